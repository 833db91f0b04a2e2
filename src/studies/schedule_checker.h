// SPDX-License-Identifier: Apache-2.0
// This file compiles schedules of one problem and compares their results with the reference.
#pragma once

#include "attached_kernel.h"
#include "merge_dims.h"
#include "tileplan/plan.h"

namespace tileplan {

struct CheckedSchedule {
  std::optional<AttachedKernel> bound = {};  ///< A schedule that failed has none.
  std::string failure = {};  ///< This text tells why the schedule failed, if it did.
};

/// Returns a text with the wrong and the expected output, or "" for a passed check.
std::string failure_text(const Check& check);

/// Compiles and runs schedules on tensors of its own. Candidates may crash, so use a child process.
class ScheduleChecker {
 public:
  /// The first candidate of `first` determines the outputs that are compared.
  ScheduleChecker(const Plan& first, std::uint64_t seed);

  /// Returns true when compile() accepts `schedule`.
  bool can_run(const Schedule& schedule);
  CheckedSchedule check(const std::string& schedule);

  const Plan& plan() const { return plan_; }
  Tensors& tensors() { return tensors_; }

 private:
  Plan plan_;  ///< Its only candidate is being compiled.
  ComputationVariants readings_;
  Tensors tensors_;
  SampledCheck spots_;
  std::map<std::string, bool> can_run_;
};

}  // namespace tileplan
