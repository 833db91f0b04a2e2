// SPDX-License-Identifier: Apache-2.0
// The table of the study `gemmfamily` has one row for each thing that was timed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "csv.h"
#include "gemm_settings.h"
#include "tileplan/compare.h"

namespace tileplan {

struct GemmRow {
  std::string problem;
  /// This is "choice" for the model's first schedule of a form of the weights, "case" for its first
  /// of other settings, "parallel" for cases on all cores, "rival" for a pair of the choice and a
  /// case that seemed faster, "step" for a step of the generator, or "peer".
  std::string role;
  GemmSetting setting;  ///< Steps and peers have their names in place of a variant.
  std::optional<double> predicted = {};        ///< seconds
  std::optional<MedianInterval> seconds = {};  ///< There is none when no sample was undisturbed.
  double share_of_peak = 0;                    ///< The peak is that of the cores in use.
  /// In adjacent pairs, this is the time of the row divided by that of the choice that takes B in
  /// the same form.
  std::optional<MedianInterval> ratio = {};
  std::size_t code_bytes = 0;  ///< The microkernels have these bytes of machine code.
  std::size_t c_bytes = 0;     ///< The emitted C has these characters.
  std::string note = {};       ///< This text tells why a number is missing.
  std::string schedule = {};
};

/// Returns the names of the columns, separated by commas.
std::string gemm_columns();

CsvFields to_fields(const GemmRow& row);

/// Reads fields that to_fields() wrote. Throws Error for a malformed number.
GemmRow read_gemm_row(const CsvFields& fields);

/// Returns the line of one product. Requires that its rows are not empty.
std::string gemm_line(const std::vector<GemmRow>& rows);
std::string gemm_line_head();

/// Returns how often the model's choice is within 5 % of the fastest case, and the geometric means
/// of the fastest peer's times divided by ours, over all products of `rows`.
std::string gemm_totals(const std::vector<GemmRow>& rows);

}  // namespace tileplan
