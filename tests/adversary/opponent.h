// SPDX-License-Identifier: Apache-2.0
// This file draws and changes schedules of one problem on one machine, and predicts those that can
// run.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "merge_dims.h"
#include "nest.h"
#include "targets.h"

namespace tileplan::test {

class Opponent {
 public:
  /// Keeps a reference to `target`, which must outlive the opponent.
  explicit Opponent(const Target& target);

  /// Returns the predicted seconds of one run, or nothing when the schedule cannot run: it is
  /// illegal, its register tiles need too many registers, or they reach too far in memory
  /// (kFarthestTile).
  std::optional<double> seconds(const Schedule& schedule);

  /// Draws loops of all kinds (random_nest()), layouts of convolutions, the width of vectors, and
  /// marks for packing the input, prefetches and non-temporal stores. Some of these schedules
  /// cannot run.
  Schedule draw(Random& random);

  /// Returns `schedule` with one random change, or unchanged if the drawn change does not apply: a
  /// loop moves, loops of one dimension exchange a factor, the register tile grows or shrinks, the
  /// blocks of a list (lambda) change, a loop becomes parallel or sequential if the target has
  /// several threads, or a layout or a mark changes. T and P loops of one iteration are removed.
  Schedule change(Random& random, const Schedule& schedule) const;

  /// Returns how many schedules were predicted.
  std::size_t predicted() const { return predicted_; }

 private:
  const Computation& computation_for(const Schedule& schedule) const;
  bool is_reduction(const Schedule& schedule, const Specifier& loop) const;
  bool can_run(const Computation& computation, const Schedule& schedule, const Machine& machine,
               const Nest& nest) const;
  void change_mark(Random& random, Schedule& schedule) const;
  Layout draw_layout(Random& random) const;

  const Target& target_;
  Machine machine_;
  Computation whole_, merged_;
  std::size_t predicted_ = 0;
};

}  // namespace tileplan::test
