// SPDX-License-Identifier: Apache-2.0
// Makes the schedules of one computation a space that every strategy can search.
#pragma once

#include "expand_schedules.h"
#include "search_space.h"

namespace tileplan {

/// Returns whether kernels can be made for a schedule, which compile() tells when measuring.
using Runnable = std::function<bool(const Schedule&)>;

/// The coordinates are the microkernel (smallest first), the order class per cache level, the trips
/// per dim and level, the loops inside the lambda, prefetch distance, the loop whose next weights
/// are prefetched, where the input is packed, layouts, and streaming stores.
class ScheduleSpace {
 public:
  /// Takes all kernels of the fast class. Keeps references to `computation` and `machine`.
  ScheduleSpace(const Computation& computation, const Machine& machine, Runnable runnable);
  ScheduleSpace(const ScheduleSpace&) = delete;
  ScheduleSpace& operator=(const ScheduleSpace&) = delete;

  const StrategySpace& space() const { return space_; }
  /// Requires: the chains of `point` hold.
  Schedule schedule(const SpacePoint& point) const;

  /// Returns whether kernels can be made for `schedule`, in the space or not.
  bool can_run(const Schedule& schedule) const { return runnable_(schedule); }

  /// Returns the first valid point with all but the kernel and the layouts at the first place.
  /// Throws Error when there is none.
  SpacePoint naive() const;
  /// Returns the optimum of the band model. Requires that it is runnable.
  SpacePoint model_choice() const;
  /// Returns `point` without tiles, in its layouts or the first in which it is valid.
  SpacePoint untiled(SpacePoint point) const;

 private:
  const KernelCombo& kernels_of(const SpacePoint& point) const { return kernels_[point[0]]; }
  int add(const std::string& name, Topology topology, std::size_t values);
  void add_chains();
  bool accepts(const SpacePoint& point) const;
  /// Returns the dims looped over around the tile of `level`, in the order of `order`.
  std::vector<Dim> loops_around(std::size_t level, const OrderClass& order,
                                const SpacePoint& point) const;
  /// Returns whether an earlier order class of some cache level gives the same loops.
  bool repeats(const SpacePoint& point) const;
  std::optional<SpacePoint> in_first_layouts(SpacePoint point) const;
  void place_tiles(const BandSchedule& band, const KernelCombo& kernels, SpacePoint& point) const;

  const Computation& computation_;
  const Machine& machine_;
  Runnable runnable_;
  std::vector<KernelCombo> kernels_;
  OrderClasses classes_;
  std::vector<Layouts> layouts_;
  Tile covered_{};
  std::vector<Dim> tiled_;  ///< Each chain has one.
  int first_order_ = 0, lambda_ = 0, prefetch_ = 0, ahead_ = 0, pack_ = 0, layout_ = 0,
      streaming_ = 0;
  StrategySpace space_;
};

}  // namespace tileplan
