// SPDX-License-Identifier: Apache-2.0
// Reads and writes lists of problems as oneDNN does: lines of benchdnn, and verbose logs.
#pragma once

#include <map>

#include "tileplan/problem.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns why benchdnn cannot be given `problem`: relations, other types than f32, row strides, or
/// padding that only `ah` says. Returns nothing when it can.
std::optional<std::string> why_no_benchdnn(const Problem& problem);

/// Returns a line such as "--conv --dt=f32 --dir=FWD_D --stag=axb --dtag=axb
/// mb1ic64ih56oc64oh56kh3ph1".
std::string to_benchdnn(const Problem& problem, const Schedule& schedule);

/// Counts how often a problem was executed.
struct WorkloadLayer {
  Problem problem = {};
  int count = 1;

  bool operator==(const WorkloadLayer&) const = default;
};

struct LayerList {
  std::vector<WorkloadLayer> layers = {};   ///< Each problem is here once, in the text's order.
  std::map<std::string, int> skipped = {};  ///< It counts other executions by reason.
};

/// Reads benchdnn lines of convolutions and products (`#` starts a comment), and `exec` lines of a
/// verbose log. Throws Error with `origin` (the file), the line and the rule.
LayerList read_workload(const std::string& text, const std::string& origin);

}  // namespace tileplan
