// SPDX-License-Identifier: Apache-2.0
// The tensors of one problem in every layout that its candidates use, and candidates ready to run
// on them.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "buffers.h"
#include "compare.h"
#include "computation.h"
#include "nest.h"
#include "tileplan/kernel.h"
#include "tileplan/verify.h"

namespace tileplan {

/// Seeded random operands of one problem. Every layout holds the same logical tensors.
class Tensors {
 public:
  Tensors(const Problem& problem, std::uint64_t seed);

  const Computation& computation() const { return computation_; }
  const Buffer& input(Layout layout);
  Buffer& output(Layout layout);
  const Buffer& weights() const { return weights_; }
  /// The operands in their plain layouts.
  Operands operands() const;

 private:
  Computation computation_;
  TensorLayout plain_input_, plain_weights_;
  Buffer input_, weights_;
  std::map<Layout, Buffer> inputs_, outputs_;
};

/// A kernel with its packed weights, running on shared tensors.
class Trial {
 public:
  Trial(Kernel kernel, Tensors& tensors);

  void run() const;
  const Kernel& kernel() const { return kernel_; }

  /// Runs once and compares every output with `expected` (plain layout order of `reference`).
  Check check_all() const;

 private:
  Kernel kernel_;
  Tensors* tensors_;
  Packed weights_;
};

/// Exact values of chosen outputs, computed once and compared with every candidate; and all outputs
/// of each candidate with those of the first one that passed.
class SpotCheck {
 public:
  SpotCheck(Tensors& tensors, const Nest& nest, Layout layout, std::uint64_t seed);

  /// Runs `trial` once. The worse of the two comparisons.
  Check check(const Trial& trial);

 private:
  Check against_first(const Trial& trial);

  Tensors* tensors_;
  std::vector<OutputPoint> points_;
  std::vector<double> expected_;
  std::vector<float> first_;  ///< output of the first candidate that passed, plain layout
};

}  // namespace tileplan
