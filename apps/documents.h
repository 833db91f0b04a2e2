// SPDX-License-Identifier: Apache-2.0
// The verbs print these JSON documents and tables.
#pragma once

#include <nlohmann/json.hpp>

#include "movement.h"
#include "network_page.h"
#include "repack.h"
#include "statistics.h"
#include "tileplan/verify.h"

namespace tileplan {

using Json = nlohmann::ordered_json;

void print_json(const Json& document);

/// Returns the document of `plan --json`, in which null stands for what was not measured.
/// `waited_s` is the part of `measure_s` that a disturbed machine cost.
Json plan_document(const Plan& plan);

Json candidate_document(const Candidate& candidate, std::size_t rank);

/// These functions return null for what is missing.
Json number_or_null(const std::optional<double>& number);
Json median_or_null(const std::optional<Measurement>& measured);

/// Adds `ratio`, `ratio_low` and `ratio_high` to `document`; they are null without a ratio.
void add_ratio(Json& document, const std::optional<MedianInterval>& ratio);

/// Returns numbers with the names of their tensors, e.g. {"A": 18432, "B": 3072, "C": 24576}.
Json per_tensor(const Computation& computation, const PerTensor<std::int64_t>& elements);

Json unplanned_json(const std::vector<Unplanned>& unplanned);

Json repack_document(const Repack& repack);

/// Returns a line such as "repacks the output to nchw: 52.1 us predicted" for each repacked tensor.
std::string repack_text(const Repack& repack);

/// Returns `rows`, the first of which holds the headings, in columns of equal width. Columns whose
/// last entry starts with a digit are flush right.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

std::string plan_table(const Plan& plan);

/// These functions return "12.3 us", or "-" without a measurement, and "1.250 [1.200, 1.300]".
std::string time_text(const std::optional<Measurement>& measured);
std::string interval_text(const MedianInterval& interval);

/// Returns "output 5 is 1.25, expected 1.5" for the worst output.
std::string mismatch_text(const Check& check);

/// Throws Error when the folder of `path` is missing, or when `path` exists and is no regular file.
void require_file_place(const std::string& path);

/// Replaces the file at `path` as a whole. Throws Error as require_file_place() does.
void write_file(const std::string& path, const std::string& text);

/// Writes `text` to the file at `path`, or to stdout when `path` is empty.
void write_or_print(const std::string& path, const std::string& text);

/// Returns "1 thread" or a text like "2 threads".
std::string threads_text(int threads);

/// Returns `value` in a format of printf, e.g. "%.1f".
std::string formatted(const char* format, double value);

/// Returns a text like "1.234 ms" or "56.7 us", and below 50 ns one like "12.3 ns".
std::string format_seconds(double seconds);

}  // namespace tileplan
