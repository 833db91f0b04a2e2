// SPDX-License-Identifier: Apache-2.0
// This file declares functions that write JSON fields and short texts for several subcommands of
// tileplan, and the function that finds the width and the colours of the terminal.
#pragma once

#include <nlohmann/json.hpp>

#include "tileplan/compare.h"
#include "tileplan/explain.h"
#include "tileplan/text.h"
#include "tileplan/verify.h"

namespace tileplan {

using Json = nlohmann::ordered_json;

inline constexpr double kGiga = 1e9;
/// Sets the number of significant digits of printed errors and tolerances.
inline constexpr int kErrorDigits = 3;

void print_json(const Json& document);

/// Return the number, or the median in seconds, or null in JSON when it is missing.
Json number_or_null(const std::optional<double>& number);
Json median_or_null(const std::optional<Measurement>& measured);

/// Adds `ratio`, `ratio_low` and `ratio_high` to `document`. All are null when `ratio` is missing.
void add_ratio(Json& document, const std::optional<MedianInterval>& ratio);

Json repack_document(const RepackSeconds& repack);

/// Return texts such as "12.3 us" and "1.250 [1.200, 1.300]". Without a measurement, time_text()
/// returns "-".
std::string time_text(const std::optional<Measurement>& measured);
std::string interval_text(const MedianInterval& interval);

/// Returns a text such as "output 5 is 1.25, expected 1.5" for the output Check::worst_index.
std::string mismatch_text(const Check& check);

/// Writes `text` to the file at `path`, or to stdout when `path` is empty.
void write_or_print(const std::string& path, const std::string& text);

/// Prints on stderr that `what` was written: the name of a file or folder, or a text with such
/// names. Control characters in `what` are replaced, except for tabs.
void print_written(const std::string& what);

/// Returns "packed beforehand", "packed in each run" or "read in place", which tells whether
/// measured times of `schedule` include packing of the weights.
std::string weights_text(const Schedule& schedule);

/// Returns "1 thread", "2 threads" and so on.
std::string threads_text(int threads);

/// Returns the style of texts on stdout. The width is that of the terminal, 80 if the terminal does
/// not tell it, or 100 if stdout is no terminal. A positive number in COLUMNS overrides the width.
/// Terminals get colours, unless NO_COLOR has a value, or TERM is missing or `dumb`.
TextStyle terminal_style();

}  // namespace tileplan
