// SPDX-License-Identifier: Apache-2.0
// The study `growth`: how long planning takes, by cache levels, by operators, and over layer
// tables.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tileplan/machine.h"

namespace tileplan {

struct GrowthOptions {
  /// Folder of growth.csv and plan_time.csv; made when it is missing.
  std::string folder;
  std::vector<std::string> layers = {};  ///< of plan_time.csv
  /// Plans of each problem; the medians count.
  int repeats = 5;
  /// Of the program, for the head of the results.
  std::string version = {};
};

/// growth.csv: milliseconds of a complete plan for operators of 3 (gemm) to 8 (grouped convolution)
/// loops on the first 2, 3 and 4 levels of `machine`, a fourth cache being added where it has only
/// three: four times the last one, at half its bandwidth. plan_time.csv: the same for each layer on
/// `machine`. `say` gets each row. Throws Error when repeats < 1 or the machine has fewer than
/// three caches.
void study_growth(const Machine& machine, const GrowthOptions& options,
                  const std::function<void(const std::string&)>& say);

}  // namespace tileplan
