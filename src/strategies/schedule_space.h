// SPDX-License-Identifier: Apache-2.0
// This file encodes the schedules of one computation as a space that every strategy can search.
#pragma once

#include "expand_schedules.h"
#include "search_space.h"

namespace tileplan {

/// Returns true when compile() accepts a schedule.
using Runnable = std::function<bool(const Schedule&)>;

/// Encodes schedules by these coordinates: the microkernel (smallest first), a loop order per cache
/// level, the tile size per dimension and level, the number of loops over the dimension of the list
/// of blocks (lambda) that are inside it, the prefetch distance, the positions of the marks `ahead`
/// and `pack`, the layouts, and non-temporal stores.
class ScheduleSpace {
 public:
  /// Uses all microkernels that kernel_combos() lists. `computation` and `machine` must outlive
  /// this object.
  ScheduleSpace(const Computation& computation, const Machine& machine, Runnable runnable);
  ScheduleSpace(const ScheduleSpace&) = delete;
  ScheduleSpace& operator=(const ScheduleSpace&) = delete;

  const StrategySpace& space() const { return space_; }
  /// Returns the schedule that `point` encodes. Requires: chains_hold() returns true for `point`.
  Schedule schedule(const SpacePoint& point) const;

  /// Returns true when compile() accepts `schedule`, which need not be in the space.
  bool can_run(const Schedule& schedule) const { return runnable_(schedule); }

  /// Returns the first valid point whose coordinates are all 0, except those of the microkernel and
  /// the layouts. Throws Error when there is none.
  SpacePoint naive() const;
  /// Returns the point of the best schedule of at most 40 microkernels in the per-level cost model
  /// (exact.h). Throws Error when the model finds no schedule, or when no layout makes its schedule
  /// valid.
  SpacePoint model_choice() const;
  /// Returns `point` without cache tiles, without the marks `ahead` and `pack`, and without loops
  /// inside the list of blocks (lambda). Its layouts are kept if they are valid; otherwise the
  /// first valid layouts are used. The result is invalid if no layouts are valid.
  SpacePoint untiled(SpacePoint point) const;

  /// Returns the point of `tiles` with `inside` loops inside the list of blocks (lambda), the
  /// machine's prefetch distance if the space has it, and 0 for the other coordinates. Requires
  /// that the space contains `kernels`, and that `tiles` are chains of divisors.
  SpacePoint point_of(const KernelCombo& kernels, const PerLevelSchedule& tiles,
                      int inside = 0) const;
  /// Returns `point` in the first layouts that make it valid, or nothing.
  std::optional<SpacePoint> in_first_layouts(SpacePoint point) const;
  /// Returns the number of loops past which the list of blocks (lambda) of `kernels` can move, or 0
  /// without such a list.
  int loops_of_lambda(const KernelCombo& kernels, const PerLevelSchedule& tiles) const;

  const std::vector<KernelCombo>& kernels() const { return kernels_; }
  const OrderClasses& classes() const { return classes_; }

 private:
  const KernelCombo& kernels_of(const SpacePoint& point) const { return kernels_[point[0]]; }
  int add(const std::string& name, Topology topology, std::size_t values);
  void add_chains();
  bool accepts(const SpacePoint& point) const;
  /// Returns the dimensions of the loops between the tile of `level` and the next outer tile, in
  /// the order of `order`.
  std::vector<Dim> loops_around(std::size_t level, const OrderClass& order,
                                const SpacePoint& point) const;
  /// Returns true when another loop order that is listed earlier gives the same loops.
  bool repeats(const SpacePoint& point) const;
  std::ptrdiff_t lambda_loops(const KernelCombo& kernels, const SpacePoint& point) const;

  const Computation& computation_;
  const Machine& machine_;
  Runnable runnable_;
  std::vector<KernelCombo> kernels_;
  OrderClasses classes_;
  std::vector<Layouts> layouts_;
  Tile covered_{};
  std::vector<Dim> tiled_;  ///< Chain i splits the loops over dimension tiled_[i].
  int first_order_ = 0, lambda_ = 0, prefetch_ = 0, ahead_ = 0, pack_ = 0, layout_ = 0,
      streaming_ = 0;
  StrategySpace space_;
};

}  // namespace tileplan
