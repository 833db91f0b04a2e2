// SPDX-License-Identifier: Apache-2.0
// The JSON documents and the tables that the verbs print.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "movement.h"
#include "repack.h"
#include "statistics.h"
#include "tileplan/plan.h"

namespace tileplan {

using Json = nlohmann::ordered_json;

/// The document of `plan --json`; what was not measured is null. `measure_s` is the whole time of
/// measuring, `waited_s` the part of it that a disturbed machine cost: waiting for a quiet core,
/// and samples that were not kept, with their probes. Their difference is what a quiet machine
/// takes.
Json plan_document(const Plan& plan);

/// Null when nothing was measured.
Json median_or_null(const std::optional<Measurement>& measured);

/// Adds `ratio`, `ratio_low` and `ratio_high` to `document`; null without one.
void add_ratio(Json& document, const std::optional<MedianInterval>& ratio);

/// One of its candidates.
Json candidate_document(const Candidate& candidate, std::size_t rank);

/// Numbers under the names of their tensors, e.g. {"A": 18432, "B": 3072, "C": 24576}.
Json per_tensor(const Computation& computation, const PerTensor<std::int64_t>& elements);

/// Rows under a line of headings, in columns of equal width; those that start with a digit are
/// flush right.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

/// The ranked table: rank, predicted and measured time, share of peak, bottleneck, schedule.
std::string plan_table(const Plan& plan);

/// Throws Error when the folder of `path` is missing or something that is no regular file is there.
void require_file_place(const std::string& path);

/// Replaces the file at `path` as a whole (atomic_write). Throws Error as require_file_place does.
void write_file(const std::string& path, const std::string& text);

/// Seconds to repack the input and the output: {"in_s": 0, "out_s": 5.2e-05}.
Json repack_document(const Repack& repack);

/// "repacks the output to nchw: 52.1 us predicted\n"; a line per tensor, nothing for none.
std::string repack_text(const Repack& repack);

/// "1 thread", "2 threads".
std::string threads_text(int threads);

/// "1.234 ms", "56.7 us"; below 50 ns "12.3 ns".
std::string format_seconds(double seconds);

}  // namespace tileplan
