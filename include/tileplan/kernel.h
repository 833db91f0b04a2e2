// SPDX-License-Identifier: Apache-2.0
// compile(): the chosen schedule of a plan as a callable kernel for this CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tileplan/epilogue.h"
#include "tileplan/plan.h"

namespace tileplan {

struct CompiledKernel;  // src/codegen/kernel.cpp

/// Weights in the order in which kernels read them, 64-byte aligned, the last vector of output
/// channels zero-padded. The kernel that packed them can use them, and others of the same order()
/// and size. After a move the source is empty: no data, 0 elements, order 0.
class Packed {
 public:
  /// Uninitialised memory for `elements` of `type`; `order` says in which order they will be.
  /// Throws Error beyond 2^63 - 1 bytes, std::bad_alloc when there is less memory.
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
  /// The same for kernels that read weights in the same order, 0 for no kernel's.
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

/// What an epilogue adds, in elements of the output's type. Empty where the epilogue has none.
template <class Number>
struct AddendsOf {
  std::span<const Number> bias = {};      ///< `bias_size()` values
  std::span<const Number> residual = {};  ///< as the output: `output_size()`, same layout
};
using Addends = AddendsOf<float>;
using AddendsF64 = AddendsOf<double>;

/// Runs task(0) ... task(count - 1), each once, in any order and on any threads, and returns when
/// all have returned. What a task throws reaches the caller, after the others have returned.
using Executor = std::function<void(int count, const std::function<void(int)>& task)>;

/// The executor that Kernel::run uses unless the caller brings one: an OpenMP team of `count`
/// threads, 1024 at most, the calling one among them, which share the tasks. They wait busily for a
/// few milliseconds after the last task; OMP_WAIT_POLICY=passive in the environment stops that.
/// Tasks must throw std::exception only. Throws Error when `count` is negative or `task` empty.
void run_tasks(int count, const std::function<void(int)>& task);

/// Ends the idle threads of that team; the next tasks start new ones. To be called before fork():
/// the child has none of the threads, but its runtime would wait for them.
void release_threads();

/// A schedule assembled for this CPU. Immutable: all functions are safe to call from several
/// threads at once, runs of one kernel on outputs of their own; copies share one assembly.
/// Requires, of every function: the kernel was not moved from.
class Kernel {
 public:
  /// Elements that each tensor must hold: input and output in the layouts of `schedule()`; weights
  /// as `oihw` with groups outermost ([g][k/g][c/g][r][s]); gemm: A, B and C with leading
  /// dimensions.
  std::size_t input_size() const;
  std::size_t weights_size() const;
  std::size_t output_size() const;
  /// Values of a bias, of any epilogue: one per output channel, over all groups; gemm: one per
  /// column, the same for all of the batch; relations: see Relation (problem.h).
  std::size_t bias_size() const;

  const Schedule& schedule() const;
  const Problem& problem() const;
  const Epilogue& epilogue() const;
  Isa isa() const;
  ElementType type() const;  ///< of all tensors
  /// Tasks that one run is shared out to: the threads of the plan's options, but no more than its P
  /// loops have iterations.
  int threads() const;

  /// Weights packed for this kernel. Throws Error when the size is not `weights_size()`, or they
  /// are not of `type()`.
  Packed pack_weights(std::span<const float> weights) const;
  Packed pack_weights(std::span<const double> weights) const;

  /// output = the computation of `problem()`, then `epilogue()`. Every output element is written;
  /// padding of a last channel block is written as zero. The bits are the same for any number of
  /// threads. Throws Error when the tensors are not of `type()`, a size is wrong, an addend is
  /// missing or not of the epilogue, the residual overlaps the output, or the weights are in the
  /// order of another kernel. Requires: the input does not overlap the output, which is not
  /// checked. Stores of schedules with nt bypass the caches where the output begins
  /// at a multiple of the vectors' bytes (64 on AVX-512), and are ordinary ones elsewhere.
  /// With TILEPLAN_TRACE=run in the environment, each run prints a line on stderr: implementation,
  /// layouts, threads, seconds, problem.
  void run(std::span<const float> input, const Packed& weights, std::span<float> output,
           const Addends& addends = {}) const;
  void run(std::span<const double> input, const Packed& weights, std::span<double> output,
           const AddendsF64& addends = {}) const;
  /// The same, its tasks on the threads of the caller. Throws Error too when `executor` is empty
  /// and threads() is more than 1.
  void run(std::span<const float> input, const Packed& weights, std::span<float> output,
           const Addends& addends, const Executor& executor) const;
  void run(std::span<const double> input, const Packed& weights, std::span<double> output,
           const AddendsF64& addends, const Executor& executor) const;

  /// For compile(). Requires: not null.
  explicit Kernel(std::shared_ptr<const CompiledKernel> compiled)
      : compiled_(std::move(compiled)) {}

 private:
  std::shared_ptr<const CompiledKernel> compiled_;
};

/// Assembles candidate `rank` (0 = the choice) of `plan`, with the epilogue and for the threads of
/// its options. Safe to call from several threads. Throws Error when validate() refuses the
/// problem, the limits of the epilogue are crossed or no numbers, the plan has no such candidate,
/// this CPU lacks the plan's instruction set, or the schedule cannot be assembled: its products are
/// not the extents of the problem, its register tile does not fit or reaches over more than 2^30
/// bytes of a tensor, its layouts lack vectors along V, a mark (pack, ahead, prefetch, nt) does not
/// fit its loops.
Kernel compile(const Plan& plan, std::size_t rank = 0);

}  // namespace tileplan
