// SPDX-License-Identifier: Apache-2.0
// This file draws random schedules of a problem, direct ones and Winograd convolutions.
#pragma once

#include <random>
#include <vector>

#include "kernels.h"
#include "layouts.h"
#include "tileplan/candidate.h"
#include "tileplan/options.h"
#include "winograd_choices.h"

namespace tileplan {

/// Draws schedules of one problem by the algorithms of Options::algorithm, and predicts them.
class RandomSchedules {
 public:
  /// Throws Error when the algorithm is `winograd` and no Winograd convolution computes the problem
  /// within Options::max_error.
  RandomSchedules(const Problem& problem, const Machine& machine, const Options& options);

  /// Draws a schedule and then its layouts. A direct schedule comes from random_schedule(). A
  /// Winograd schedule has random blocks, orders and register tile, where each algorithm, and then
  /// each of its choices, has equal probability. With Algorithm::any, a schedule is direct with
  /// probability 1/2 if the problem has both kinds.
  Candidate draw(std::mt19937& random) const;

 private:
  /// Holds one Winograd algorithm and all its choices of blocks, orders and register tile.
  struct WinogradSpace {
    WinogradProblem problem;
    std::vector<WinogradChoice> choices;
  };

  void add_winograd_spaces();
  bool draws_winograd(std::mt19937& random) const;
  Schedule draw_winograd(std::mt19937& random) const;

  Problem problem_;
  Machine machine_;
  Options options_;
  Computation loops_;
  std::vector<KernelCombo> combos_;
  std::vector<Layouts> layouts_;
  std::vector<WinogradSpace> spaces_;
};

}  // namespace tileplan
