// SPDX-License-Identifier: Apache-2.0
// Declares the tensors of one problem in all layouts, and kernels that are bound to them.
#pragma once

#include <map>
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

/// Holds seeded random operands of one problem. Every layout holds the same logical tensors.
class Tensors {
 public:
  /// Throw Error when they do not fit in memory (`require_memory`), before anything is allocated.
  Tensors(const Problem& problem, std::uint64_t seed);
  Tensors(const Computation& computation, std::uint64_t seed);

  const Computation& computation() const { return computation_; }
  const Buffer& input(Layout layout);
  Buffer& output(Layout layout);
  /// Returns the output that lies in `layout` as a copy in the plain layout.
  Buffer plain_output(Layout layout);
  const Buffer& weights() const { return weights_; }
  const Buffer& bias();
  /// Return the residual of epilogues, and the output before a kernel accumulates onto it.
  const Buffer& residual(Layout layout);
  const Buffer& start(Layout layout);
  /// Returns the operands in their plain layouts.
  Operands operands() const;

 private:
  Computation computation_;
  Buffer input_, weights_;
  std::uint64_t seed_;
  std::map<Layout, Buffer> inputs_, outputs_, residuals_, starts_;
  std::optional<Buffer> bias_;

  const Buffer& random_like_output(std::map<Layout, Buffer>& known, Layout layout,
                                   std::uint64_t seed);
  Buffer convert(Operand operand, Layout from, const Buffer& values, Layout to) const;
};

/// Runs a kernel with its packed weights on shared tensors.
class BoundKernel {
 public:
  BoundKernel(Kernel kernel, Tensors& tensors);

  void run() const;
  /// Returns the memory that is not in any cache when a run in `regime` begins.
  std::vector<Bytes> cold(Regime regime) const;
  const Kernel& kernel() const { return kernel_; }

  /// Runs once. The output holds NaN before, or Tensors::start for kernels that accumulate.
  void run_from_start() const;

  /// Runs once and compares every output with the reference.
  Check check_all() const;

 private:
  Kernel kernel_;
  Tensors* tensors_;
  Packed weights_;
};

/// Returns the workload that runs `bound` in `regime`. Keeps a pointer to it.
Workload workload_of(const BoundKernel& bound, Regime regime);

/// Checks chosen outputs against exact values, and all outputs against the first that passed.
class SampledCheck {
 public:
  SampledCheck(Tensors& tensors, const Nest& nest, Layout layout, const Options& options);

  /// Runs `bound` once, and returns the comparison that failed, if one did.
  Check check(const BoundKernel& bound);

  /// Compares `results`, all outputs in the plain layout, with those of the first candidate that
  /// passed. The exact value decides where they differ most. The first results must not hold NaN.
  Check compare_with_first(Buffer results);

 private:
  Check exact_at(std::size_t plain_offset, const Buffer& results);

  Tensors* tensors_;
  Epilogue epilogue_;
  std::vector<OutputPoint> points_;
  std::vector<double> expected_;
  double magnitude_ = 0;         ///< It is the largest |sum| before limits.
  std::optional<Buffer> first_;  ///< The first candidate that passed had this plain output.
};

}  // namespace tileplan
