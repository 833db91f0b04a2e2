// SPDX-License-Identifier: Apache-2.0
// This file reads lists of problems from benchdnn files and oneDNN's verbose logs, and writes
// benchdnn lines.
#pragma once

#include <map>

#include "tileplan/problem.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns the reason why benchdnn cannot express `problem` (relations, element types other than
/// f32, row strides, padding after the input that oneDNN does not deduce), or nothing if it can.
std::optional<std::string> why_no_benchdnn(const Problem& problem);

/// Returns a line such as "--conv --dt=f32 --dir=FWD_D --stag=axb --dtag=axb
/// mb1ic64ih56oc64oh56kh3ph1".
std::string to_benchdnn(const Problem& problem, const Schedule& schedule);

struct WorkloadLayer {
  Problem problem = {};
  int count = 1;

  bool operator==(const WorkloadLayer&) const = default;
};

struct LayerList {
  std::vector<WorkloadLayer> layers = {};   ///< Problems are distinct, in the order of the text.
  std::map<std::string, int> skipped = {};  ///< Each reason occurred this many times.
};

/// Reads benchdnn lines of convolutions and products (`#` starts a comment), and `exec` lines of a
/// verbose log. Throws Error with `origin` (the file), the line and the rule.
LayerList read_workload(const std::string& text, const std::string& origin);

}  // namespace tileplan
