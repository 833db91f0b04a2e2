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
  /// Throw Error before any allocation when the operands do not fit in memory (`require_memory`).
  Tensors(const Problem& problem, std::uint64_t seed);
  Tensors(const Computation& computation, std::uint64_t seed);

  const Computation& computation() const { return computation_; }
  const Buffer& input(Layout layout);
  Buffer& output(Layout layout);
  /// Returns a copy of output(layout) in the plain layout.
  Buffer plain_output(Layout layout);
  const Buffer& weights() const { return weights_; }
  const Buffer& bias();
  /// Return the residual of epilogues, and the initial output of kernels that accumulate.
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

  /// Runs once. The output first holds NaN, or Tensors::start for kernels that accumulate.
  void run_from_start() const;

  /// Runs once and compares every output with the reference.
  Check check_all() const;

 private:
  Kernel kernel_;
  Tensors* tensors_;
  Packed weights_;
};

/// Returns the workload that runs `bound` in `regime`. The workload keeps a pointer to `bound`.
Workload workload_of(const BoundKernel& bound, Regime regime);

/// Checks sampled outputs against exact values, and all outputs against the first kernel that
/// passed.
class SampledCheck {
 public:
  SampledCheck(Tensors& tensors, const Nest& nest, Layout layout, const Options& options);

  /// Runs `bound` once. Returns a comparison that failed, if there is one.
  Check check(const BoundKernel& bound);

  /// Compares `results`, all outputs in the plain layout, with those of the first kernel that
  /// passed. Where they differ most, the exact value decides. The first results must not hold NaN.
  Check compare_with_first(Buffer results);

 private:
  Check exact_at(std::size_t plain_offset, const Buffer& results);

  Tensors* tensors_;
  Epilogue epilogue_;
  std::vector<OutputPoint> points_;
  std::vector<double> expected_;
  double magnitude_ = 0;         ///< No |sum| before clamping is larger.
  std::optional<Buffer> first_;  ///< The first kernel that passed had this plain output.
};

}  // namespace tileplan
