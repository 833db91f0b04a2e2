// SPDX-License-Identifier: Apache-2.0
// Makes the schedules of one computation a space that every strategy can search.
#pragma once

#include <functional>
#include <vector>

#include "computation.h"
#include "exact.h"
#include "expand_schedules.h"
#include "kernels.h"
#include "orders.h"
#include "search_space.h"
#include "tileplan/machine.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns whether kernels can be made for a schedule; compile() stands behind it when measuring.
using Runnable = std::function<bool(const Schedule&)>;

/// Coordinates, in this order: the microkernel or combination (smallest first: vectors, reductions,
/// columns, rows of the largest part); per cache level, innermost first, the order class of the
/// loops around its tile; per dim and level the trips inside the tile (a chain per dim; 1: not
/// tiled); loops inside the lambda; prefetch distance; the loop whose next weights are prefetched
/// (none, the outermost three); where the input is packed (nowhere, the outermost two of
/// input_packings); layouts; streaming stores.
class ScheduleSpace {
 public:
  /// Kernels and combinations are all of the fast class. Keeps references to `computation` and
  /// `machine`.
  ScheduleSpace(const Computation& computation, const Machine& machine, Runnable runnable);
  ScheduleSpace(const ScheduleSpace&) = delete;
  ScheduleSpace& operator=(const ScheduleSpace&) = delete;

  const StrategySpace& space() const { return space_; }
  /// Requires: the chains of `point` hold.
  Schedule schedule(const SpacePoint& point) const;

  /// Returns whether kernels can be made for `schedule`, in the space or not.
  bool can_run(const Schedule& schedule) const { return runnable_(schedule); }

  /// Returns no tiling, the smallest kernel, the first order: the first valid point with all but
  /// the kernel and the layouts at the first place. Throws Error when there is none.
  SpacePoint naive() const;
  /// Returns the optimum of the band model, prefetching as the machine does. Requires that it is
  /// runnable.
  SpacePoint model_choice() const;
  /// Returns `point` without tiles: everything in the outermost factor. In its layouts, or the
  /// first in which it is valid: blocks of channels may need loops that the tiles made.
  SpacePoint untiled(SpacePoint point) const;

 private:
  const KernelCombo& kernels_of(const SpacePoint& point) const { return kernels_[point[0]]; }
  int add(const std::string& name, Topology topology, std::size_t values);
  void add_chains();
  bool accepts(const SpacePoint& point) const;
  /// Returns the dims that are looped over around the tile of `level`, as `order` sorts them.
  std::vector<Dim> loops_around(std::size_t level, const OrderClass& order,
                                const SpacePoint& point) const;
  /// Returns whether an earlier order class of some level sorts the loops that are there in the
  /// same way.
  bool repeats(const SpacePoint& point) const;
  std::optional<SpacePoint> in_first_layouts(SpacePoint point) const;
  /// Gives `point` the order classes and tiles of `band`.
  void place_tiles(const BandSchedule& band, const KernelCombo& kernels, SpacePoint& point) const;

  const Computation& computation_;
  const Machine& machine_;
  Runnable runnable_;
  std::vector<KernelCombo> kernels_;
  OrderClasses classes_;
  std::vector<Layouts> layouts_;
  Tile covered_{};
  std::vector<Dim> tiled_;  ///< the dim of each chain
  int first_order_ = 0, lambda_ = 0, prefetch_ = 0, ahead_ = 0, pack_ = 0, layout_ = 0,
      streaming_ = 0;
  StrategySpace space_;
};

}  // namespace tileplan
