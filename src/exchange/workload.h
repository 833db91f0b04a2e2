// SPDX-License-Identifier: Apache-2.0
// This file reads lists of problems from benchdnn files and oneDNN's verbose logs, and writes
// benchdnn lines.
#pragma once

#include <map>

#include "tileplan/problem.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns the reason why benchdnn cannot express `problem`, or nothing if it can. The reasons are
/// relations, element types for which oneDNN has no primitives, transposed matrices, distances
/// between rows or matrices that are not the default, and padding after the input that oneDNN does
/// not deduce.
std::optional<std::string> why_no_benchdnn(const Problem& problem);

/// Returns the line with which benchdnn runs `problem`. The line of a convolution has the layouts
/// of `schedule`. Requires: why_no_benchdnn() returns nothing. An example is "--conv --dt=f32
/// --dir=FWD_D --stag=axb --dtag=axb mb1ic64ih56oc64oh56kh3ph1".
std::string to_benchdnn(const Problem& problem, const Schedule& schedule);

struct WorkloadLayer {
  Problem problem = {};
  int count = 1;

  bool operator==(const WorkloadLayer&) const = default;
};

struct LayerList {
  /// The problems are distinct and in the order of the text.
  std::vector<WorkloadLayer> layers = {};
  /// Maps each reason for skipping a line to its number of occurrences.
  std::map<std::string, int> skipped = {};
};

/// Reads benchdnn lines of convolutions and products, and `exec` lines of a verbose log. `#` starts
/// a comment. Throws Error with `origin` (the file), the number of the line and the rule when a
/// line is invalid. Throws Error with `origin` when the text has no convolution or product to list.
LayerList read_workload(const std::string& text, const std::string& origin);

}  // namespace tileplan
