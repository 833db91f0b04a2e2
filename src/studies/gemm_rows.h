// SPDX-License-Identifier: Apache-2.0
// The table of the study `gemmfamily` has one row for each measurement of a kernel or a library,
// also for measurements that failed.
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
  /// Tells what the row measures. "choice" is the model's first schedule for plain or for packed
  /// B, and "case" its first schedule for another setting. "parallel" is a case on all cores,
  /// "rival" a case that seemed faster and was timed in pairs with the choice, "step" a step of
  /// gemm_measurement.cpp from plain loops to the choice, and "peer" another library.
  std::string role;
  /// The variant of a step or peer is its name. The other texts are empty for steps and for peers
  /// that cannot run. For other peers, `a` is "library", and `b` is a form such as "plain".
  GemmSetting setting;
  std::optional<double> predicted = {};        ///< Holds the predicted time in seconds.
  std::optional<MedianInterval> seconds = {};  ///< This is empty without an undisturbed sample.
  double share_of_peak = 0;  ///< The share refers to the peak of the cores in use.
  /// Holds the time of the row divided by the time of the choice that takes B in the same form.
  /// Both times are measured in adjacent pairs.
  std::optional<MedianInterval> ratio = {};
  /// The microkernels have this many bytes of machine code. It is 0 for a row without a schedule.
  std::size_t code_bytes = 0;
  /// The emitted C has this many characters. It is 0 for a row without a schedule.
  std::size_t c_bytes = 0;
  std::string note = {};  ///< This text tells why a number is missing.
  std::string schedule = {};
};

/// Returns the names of the columns, separated by commas.
std::string gemm_columns();

CsvFields to_fields(const GemmRow& row);

/// Reads fields that to_fields() wrote. Throws Error for a malformed number.
GemmRow read_gemm_row(const CsvFields& fields);

/// Returns the line of the summary about one product, and a line for each different note. Requires
/// that `rows` are its rows and not empty.
std::string gemm_line(const std::vector<GemmRow>& rows);
std::string gemm_line_head();

/// Returns one line for B in place or packed inside the measured time, and one for B packed before
/// it. Each line tells for how many products of `rows` the model's choice is within 5 % of the
/// fastest case, and the geometric mean of the fastest peer's times divided by the choice's.
std::string gemm_totals(const std::vector<GemmRow>& rows);

}  // namespace tileplan
