// SPDX-License-Identifier: Apache-2.0
// The tensors of one problem in every layout that its candidates use, and candidates ready to run
// on them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "buffers.h"
#include "compare.h"
#include "computation.h"
#include "nest.h"
#include "regime.h"
#include "runner.h"
#include "tileplan/kernel.h"
#include "tileplan/verify.h"

namespace tileplan {

/// Seeded random operands of one problem. Every layout holds the same logical tensors.
class Tensors {
 public:
  /// Throws Error when they do not fit in memory (`require_memory`), before anything is allocated.
  Tensors(const Problem& problem, std::uint64_t seed);
  /// In the dims of `computation`.
  Tensors(const Computation& computation, std::uint64_t seed);

  const Computation& computation() const { return computation_; }
  ElementType type() const { return type_of(computation_.problem); }
  const Buffer& input(Layout layout);
  Buffer& output(Layout layout);
  /// The output in `layout`, brought into the plain one.
  Buffer plain_output(Layout layout);
  const Buffer& weights() const { return weights_; }
  const Buffer& bias();
  /// A tensor of the output's shape: the residual of epilogues, and what the output holds before a
  /// kernel accumulates onto it.
  const Buffer& residual(Layout layout);
  const Buffer& start(Layout layout);
  /// The operands in their plain layouts.
  Operands operands() const;

 private:
  Computation computation_;
  TensorLayout plain_input_, plain_weights_;
  Buffer input_, weights_;
  const Buffer& like_output(std::map<Layout, Buffer>& known, Layout layout, std::uint64_t seed);

  std::uint64_t seed_;
  std::map<Layout, Buffer> inputs_, outputs_, residuals_, starts_;
  std::optional<Buffer> bias_;
};

/// A kernel with its packed weights, running on shared tensors.
class Trial {
 public:
  Trial(Kernel kernel, Tensors& tensors);

  void run() const;
  /// The memory that `regime` has cold when a run begins.
  std::vector<Bytes> cold(Regime regime) const;
  const Kernel& kernel() const { return kernel_; }

  /// Runs once, onto the start of kernels that accumulate, onto NaN otherwise.
  void run_afresh() const;

  /// Runs once and compares every output with the reference.
  Check check_all() const;

 private:
  template <class Number>
  void run_as() const;

  Kernel kernel_;
  Tensors* tensors_;
  Packed weights_;
};

/// `trial`, measured in `regime`. Keeps a pointer to it.
Workload workload_of(const Trial& trial, Regime regime);

/// Exact values of chosen outputs, computed once and compared with every candidate; and all outputs
/// of each candidate with those of the first one that passed.
class SpotCheck {
 public:
  SpotCheck(Tensors& tensors, const Nest& nest, Layout layout, const Options& options);

  /// Runs `trial` once. The worse of the two comparisons.
  Check check(const Trial& trial);

  /// `results`, all outputs in the plain layout, with those of the first candidate that passed;
  /// where they differ most, the exact value says which is wrong. The first of all only has to hold
  /// numbers.
  Check against_first(Buffer results);

 private:
  Check exact_at(std::size_t plain_offset, const Buffer& results);

  Tensors* tensors_;
  Epilogue epilogue_;
  std::vector<OutputPoint> points_;
  std::vector<double> expected_;
  double magnitude_ = 0;         ///< of the sums before limits
  std::optional<Buffer> first_;  ///< output of the first candidate that passed, plain layout
};

}  // namespace tileplan
