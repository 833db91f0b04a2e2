// SPDX-License-Identifier: Apache-2.0
// This file compiles schedules of one problem and compares their results with the reference.
#pragma once

#include "attached_kernel.h"
#include "merge_dims.h"
#include "tileplan/plan.h"

namespace tileplan {

struct CheckedSchedule {
  /// Holds the kernel, or nothing if the schedule failed.
  std::optional<AttachedKernel> bound = {};
  std::string failure = {};  ///< If the schedule failed, this text tells why.
};

/// Returns a text with the wrong and the expected output, or "" for a passed check.
std::string failure_text(const Check& check);

/// Compiles schedules and runs them on its own tensors. A schedule may crash, so this object is
/// used in a child process.
class ScheduleChecker {
 public:
  /// The first candidate of `first` determines which outputs are compared.
  ScheduleChecker(const Plan& first, std::uint64_t seed);

  /// Returns true when compile() accepts `schedule`.
  bool can_run(const Schedule& schedule);
  /// Returns the kernel of `schedule`, or the reason why it cannot be compiled or computes a wrong
  /// result. The kernel refers to tensors(), so this object must outlive it.
  CheckedSchedule check(const std::string& schedule);

  const Plan& plan() const { return plan_; }
  Tensors& tensors() { return tensors_; }

 private:
  Plan plan_;  ///< The schedule that is being compiled is the only candidate of this plan.
  ComputationVariants readings_;
  Tensors tensors_;
  SampledCheck spots_;
  std::map<std::string, bool> can_run_;
};

}  // namespace tileplan
