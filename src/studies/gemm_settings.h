// SPDX-License-Identifier: Apache-2.0
// This file lists the products of the study `gemmfamily` and the schedules that it compares.
#pragma once

#include <string>
#include <vector>

#include "computation.h"
#include "tileplan/plan.h"

namespace tileplan {

/// Describes how a schedule of a product uses its operands.
struct GemmSetting {
  std::string variant = {};  ///< This is a name such as "B3A2C0", or "any order".
  /// These texts tell how A and B are read: "in place", "packed inside" or, for B, "packed before".
  std::string a = {}, b = {};
  std::string parallel = {};  ///< Threads share these loops, such as "jc ir", or "none".

  bool operator==(const GemmSetting&) const = default;
};

/// Holds the schedule that the model ranks first among the schedules of one setting.
struct GemmCase {
  GemmSetting setting;
  Plan plan;  ///< The schedule is the only candidate of this plan.
  /// If true, the model ranks the schedule first among all schedules with weights of this form.
  bool is_choice = false;
};

/// Returns the products of ResNet-50 at batch 1 and 8, those of OpEvo that have no batch, squares,
/// and thin products.
std::vector<Problem> gemm_family_products();

/// Returns the setting of `schedule`. The variant follows from the order of the loops.
GemmSetting setting_of(const Computation& computation, const Schedule& schedule, int lanes);

/// Returns the model's first schedules of `shape` on one thread. There is at most one for each
/// variant that keeps C in registers, and for loops in any order, with each packing of A and B. B
/// is read in place, packed inside the measured time, or packed before it.
std::vector<GemmCase> gemm_cases(const GemmShape& shape, const Machine& machine);

/// Returns the model's first schedules of `shape` on all cores of `machine`, with plain weights.
/// There is at most one for each variant that keeps C in registers and each outermost parallel
/// loop.
std::vector<GemmCase> parallel_gemm_cases(const GemmShape& shape, const Machine& machine);

}  // namespace tileplan
