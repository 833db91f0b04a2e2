// SPDX-License-Identifier: Apache-2.0
// This file declares the tensors of a problem in all layouts, and kernels that run on these
// tensors.
#pragma once

#include <list>
#include <map>
#include <optional>
#include <vector>

#include "buffers.h"
#include "compare.h"
#include "computation.h"
#include "nest.h"
#include "quantised_tensors.h"
#include "regime.h"
#include "runner.h"
#include "tileplan/kernel.h"
#include "tileplan/verify.h"

namespace tileplan {

/// Holds random operands of one problem. The copies for all layouts have the same values.
class Tensors {
 public:
  /// All constructors throw Error when the operands do not fit in memory (require_memory).
  Tensors(const Problem& problem, std::uint64_t seed);
  Tensors(const Computation& computation, std::uint64_t seed);

  const Computation& computation() const { return computation_; }
  const Buffer& input(Layout layout);
  Buffer& output(Layout layout);
  /// Returns a copy of output(layout) in the plain layout.
  Buffer plain_output(Layout layout);
  const Buffer& plain_input() const { return input_; }
  const Buffer& weights() const { return weights_; }
  const Buffer& bias();
  /// Returns the residual for an epilogue, in `layout`. start() returns the values of the output
  /// before a kernel that adds to the output runs.
  const Buffer& residual(Layout layout);
  const Buffer& start(Layout layout);
  /// Returns `bytes` bytes of memory that no kernel uses, rounded up to a multiple of 4. Reading
  /// them evicts other data from the caches. A call with another positive size invalidates the
  /// memory of earlier calls.
  Bytes others(std::int64_t bytes);
  /// Returns the operands for the reference. If `quantisation` has zero points of the input or of
  /// the weights, they are subtracted.
  Operands operands(const Quantisation& quantisation = {});
  /// Returns the scales and zero points that `quantisation` names. The numbers are equal in each
  /// call.
  const QuantisedNumbers& numbers(const Quantisation& quantisation);

 private:
  /// Holds the scales and zero points of one quantisation. The operands minus their zero points are
  /// empty until operands() needs them.
  struct Quantised {
    Quantisation names;
    QuantisedNumbers numbers;
    std::optional<Buffer> input = {}, weights = {};
  };
  Quantised& quantised(const Quantisation& quantisation);

  Computation computation_;
  Buffer input_, weights_;
  std::uint64_t seed_;
  std::map<Layout, Buffer> inputs_, outputs_, residuals_, starts_;
  std::list<Quantised> quantised_;
  std::optional<Buffer> bias_, others_;

  const Buffer& random_like_output(std::map<Layout, Buffer>& known, Layout layout,
                                   std::uint64_t seed);
  Buffer convert(Operand operand, Layout from, const Buffer& values, Layout to) const;
};

/// Runs a kernel on tensors that other kernels use too. The weights are packed once, unless the
/// kernel takes plain weights. Requires that the tensors outlive this object.
class AttachedKernel {
 public:
  AttachedKernel(Kernel kernel, Tensors& tensors);

  void run() const;
  /// Returns the memory that is flushed before a run in `regime` begins, or none for hot caches and
  /// for the regime `network`.
  std::vector<Bytes> cold(Regime regime) const;
  /// Returns a function that must precede each run in `regime`, or an empty one (regime.h).
  std::function<void()> preparation(Regime regime) const;
  const Kernel& kernel() const { return kernel_; }

  /// Fills the output with the byte 0xff, which makes floating-point numbers NaN, or with
  /// Tensors::start if the kernel adds to the output. Then runs once.
  void run_from_start() const;

  /// Runs once and compares every output with the reference.
  Check check_all() const;

 private:
  /// Returns the weights in the form that the kernel takes, packed or plain.
  RunWeights weights() const;

  Kernel kernel_;
  Tensors* tensors_;
  std::optional<Packed> packed_;  ///< The weights are packed unless the kernel takes plain weights.
  const QuantisedNumbers* numbers_;  ///< `tensors_` owns these numbers.
};

/// Returns the root mean square of the rounding errors of `kernel` for random tensors, divided by
/// that of a direct convolution, but at least 1. Only Winograd kernels have more than 1. Tolerances
/// that are derived from statistics grow by this factor.
double error_growth_of(const Kernel& kernel);

/// Returns a workload that runs `attached` in `regime`. Requires that `attached` outlives the
/// workload.
Workload workload_of(const AttachedKernel& attached, Regime regime);

/// Compares sampled outputs with exact values, and all outputs with those of the first kernel that
/// passed. The tolerances of Winograd kernels are multiplied by error_growth_of(), which is valid
/// for random tensors.
class SampledCheck {
 public:
  SampledCheck(Tensors& tensors, const Nest& nest, Layout layout, const Options& options);

  /// Runs `attached` once. Returns the comparison with exact values, or that of
  /// compare_with_first() if only the latter failed.
  Check check(const AttachedKernel& attached);

  /// Compares `results`, which holds all outputs in plain layout, with those of the first kernel
  /// that passed. At the output where the two differ most, the exact value shows which kernel is
  /// wrong. The results of the first kernel fail here only if they contain NaN.
  Check compare_with_first(Buffer results);

 private:
  Check exact_at(std::size_t plain_offset, const Buffer& results);

  Tensors* tensors_;
  Epilogue epilogue_;
  std::vector<OutputPoint> points_;
  std::vector<double> expected_;
  double growth_ = 1;  ///< Tolerances for the kernel under test are multiplied by this factor.
  /// This is the result of apply_epilogue_at() for `points_`. Tolerances grow with it.
  double magnitude_ = 0;
  std::optional<Buffer> first_;  ///< Holds the outputs of the first kernel that passed.
};

}  // namespace tileplan
