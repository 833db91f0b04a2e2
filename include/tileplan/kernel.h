// SPDX-License-Identifier: Apache-2.0
// compile() assembles a schedule of a plan for this CPU; the kernel packs weights and runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tileplan/epilogue.h"
#include "tileplan/plan.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

struct CompiledKernel;

/// Holds weights in the order in which a kernel reads them, 64-byte aligned, with the last vector
/// of output channels zero-padded. Every kernel with the same order and size can use them. Moving
/// from an object leaves it empty, with order 0.
class Packed {
 public:
  /// Allocates uninitialised memory for `elements` of `type` in the order that `order` stands for.
  /// Throws Error above 2^63 - 1 bytes, and std::bad_alloc.
  explicit Packed(std::size_t elements, std::uint64_t order = 0,
                  ElementType type = ElementType::f32);
  Packed(Packed&& from) noexcept;
  Packed& operator=(Packed&& from) noexcept;
  ~Packed() = default;
  char* data() { return data_.get(); }
  const char* data() const { return data_.get(); }
  std::size_t size() const { return size_; }  ///< elements
  std::size_t size_bytes() const { return size_ * static_cast<std::size_t>(bytes_of(type_)); }
  ElementType type() const { return type_; }
  /// Returns the number of the order of the weights, or 0 for none. Kernels that read weights in
  /// one order have the same number.
  std::uint64_t order() const { return order_; }

 private:
  struct Free {
    void operator()(char* memory) const;
  };
  std::unique_ptr<char[], Free> data_;
  std::size_t size_ = 0;
  std::uint64_t order_ = 0;
  ElementType type_ = ElementType::f32;
};

/// Holds the tensors that an epilogue adds, in the element type of the output. A span is empty if
/// the epilogue lacks that part.
template <class Number>
struct AddendsOf {
  std::span<const Number> bias = {};      ///< The bias has Kernel::bias_size() values.
  std::span<const Number> residual = {};  ///< The residual has the size and layout of the output.
};
using Addends = AddendsOf<float>;
using AddendsF64 = AddendsOf<double>;

/// An executor calls task(0) ... task(count - 1) once each, in any order and on any threads, and
/// returns after all have returned. It then rethrows an exception that a task threw.
using Executor = std::function<void(int count, const std::function<void(int)>& task)>;

/// Runs the tasks on an OpenMP team of `count` threads (at most 1024), including the calling
/// thread. This function is the default executor of Kernel::run(). The threads spin for a few
/// milliseconds after the last task; OMP_WAIT_POLICY=passive in the environment prevents that.
/// Tasks must throw nothing but std::exception. Throws Error when `count` is negative or `task` is
/// empty.
void run_tasks(int count, const std::function<void(int)>& task);

/// Ends the idle threads of run_tasks(), which later starts new ones. After run_tasks(), fork()
/// calls this function, because the child inherits no threads but its OpenMP runtime would wait for
/// them.
void release_threads();

/// Holds a schedule that was assembled as machine code for this CPU. A kernel is immutable, so
/// several threads may call its functions at once if each thread has its own output. Copies share
/// the machine code. Every function requires that the kernel was not moved from.
class Kernel {
 public:
  /// Return the number of elements that a tensor must hold. The input and the output are in the
  /// layouts of schedule(). Weights are [g][k/g][c/g][r][s], i.e. `oihw` with the groups outermost.
  /// The tensors of a gemm are A, B and C with their leading dimensions.
  std::size_t input_size() const;
  std::size_t weights_size() const;
  std::size_t output_size() const;
  /// Returns the number of values of a bias: one per output channel over all groups, or one per
  /// column of a gemm, whatever the batch. Relation tells the number for relations.
  std::size_t bias_size() const;

  const Schedule& schedule() const;
  const Problem& problem() const;
  const Epilogue& epilogue() const;
  Isa isa() const;
  ElementType type() const;
  /// Returns the number of tasks of one run: the number of threads in the plan's options, or the
  /// iterations of its P loops if these are fewer.
  int threads() const;

  /// Returns `weights` packed for this kernel. Throws Error when their number is not weights_size()
  /// or their type is not type().
  Packed pack_weights(std::span<const float> weights) const;
  Packed pack_weights(std::span<const double> weights) const;

  /// Computes problem() and then epilogue(). Every output element is written, and the padding of a
  /// last block of channels is set to zero. The results do not depend on the number of threads, bit
  /// for bit. Requires that the input does not overlap the output, which is not checked. Throws
  /// Error when the tensors are not of type(), a size is wrong, an addend is missing or not part of
  /// the epilogue, the residual overlaps the output, or the weights were packed in another order.
  /// The stores of a schedule with nt bypass the caches only if the output is aligned to a vector
  /// (64 bytes on AVX-512). With TILEPLAN_TRACE=run in the environment, each run prints a line on
  /// stderr with the implementation, the layouts, the threads, the seconds and the problem.
  void run(std::span<const float> input, const Packed& weights, std::span<float> output,
           const Addends& addends = {}) const;
  void run(std::span<const double> input, const Packed& weights, std::span<double> output,
           const AddendsF64& addends = {}) const;
  /// Run the tasks through `executor`. Also throw Error when `executor` is empty and threads() > 1.
  void run(std::span<const float> input, const Packed& weights, std::span<float> output,
           const Addends& addends, const Executor& executor) const;
  void run(std::span<const double> input, const Packed& weights, std::span<double> output,
           const AddendsF64& addends, const Executor& executor) const;

  /// Wraps what compile() assembled, which must not be null.
  explicit Kernel(std::shared_ptr<const CompiledKernel> compiled)
      : compiled_(std::move(compiled)) {}

 private:
  std::shared_ptr<const CompiledKernel> compiled_;
};

/// Assembles candidate `rank` of `plan` (0 is the choice) with the epilogue and the threads of its
/// options. Several threads may call it. Throws Error when the plan has no such candidate,
/// validate() refuses the problem, the limits of the epilogue are wrong, this CPU lacks the
/// instruction set, or the schedule cannot be assembled. A schedule cannot be assembled when the
/// sizes of its loops do not multiply to the extents of the problem, its register tile does not fit
/// or spans more than 2^30 bytes of a tensor, its layouts are not contiguous along V, or a mark
/// (pack, ahead, prefetch, nt) does not fit its loops.
Kernel compile(const Plan& plan, std::size_t rank = 0);

}  // namespace tileplan
