// SPDX-License-Identifier: Apache-2.0
// compile() assembles a schedule of a plan for this CPU; the kernel packs weights and runs.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tileplan/elements.h"
#include "tileplan/epilogue.h"
#include "tileplan/plan.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

struct CompiledKernel;

/// Holds numbers that correct the sums of kernels with zero points. All sums are modulo 2^32.
struct PackedZeroPoints {
  /// Holds the zero points of the weights: one per value of a bias, or none.
  std::vector<std::int32_t> weights = {};
  /// Holds sums of weights minus their zero points, for each set of filter taps that lie inside the
  /// input at some output, because taps on padding add nothing. There is one sum per set and output
  /// channel (and product of a batch), and the set of all taps is first. No sums are needed when
  /// the input has no zero point.
  std::vector<std::int32_t> window_sums = {};
};

/// Holds weights in the order and the type in which a kernel reads them. The memory is 64-byte
/// aligned, and the last vector of output channels is zero-padded. Kernels can share weights if
/// they need equal order, type, size and zero points. A moved-from object is empty and has order 0.
class Packed {
 public:
  /// Allocates uninitialised memory for `elements` of `type` in the order that order() returns.
  /// Throws Error above 2^63 - 1 bytes, and std::bad_alloc when memory is exhausted.
  explicit Packed(std::size_t elements, std::uint64_t order = 0,
                  ElementType type = ElementType::f32);
  Packed(Packed&& from) noexcept;
  Packed& operator=(Packed&& from) noexcept;
  ~Packed() = default;
  /// Makes room for other weights, which are uninitialised. The memory is replaced only if it is
  /// too small. Throws as the constructor does.
  void reset(std::size_t elements, std::uint64_t order, ElementType type);
  char* data() { return data_.get(); }
  const char* data() const { return data_.get(); }
  std::size_t size() const { return size_; }  ///< Returns the number of elements.
  std::size_t size_bytes() const { return size_ * static_cast<std::size_t>(bytes_of(type_)); }
  ElementType type() const { return type_; }
  /// Returns a number per output channel (and product of a batch) that kernels add to the sums
  /// because they inverted the highest bit of each input element, or nothing if they invert none.
  const std::vector<std::int32_t>& corrections() const { return corrections_; }
  void set_corrections(std::vector<std::int32_t> corrections) {
    corrections_ = std::move(corrections);
  }
  const PackedZeroPoints& zero_points() const { return zero_points_; }
  void set_zero_points(PackedZeroPoints zero_points) { zero_points_ = std::move(zero_points); }
  /// Returns the number of the weights' order, or 0 for none. Kernels that read weights in the same
  /// order have the same number.
  std::uint64_t order() const { return order_; }

 private:
  struct Free {
    void operator()(char* memory) const;
  };
  std::unique_ptr<char[], Free> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;  // Gives the size of the memory in bytes.
  std::uint64_t order_ = 0;
  ElementType type_ = ElementType::f32;
  std::vector<std::int32_t> corrections_;
  PackedZeroPoints zero_points_;
};

/// Refers to the weights of a run: either packed ones, or plain ones for kernels whose schedule
/// takes_plain_weights(). The weights must outlive this object.
class RunWeights {
 public:
  RunWeights(const Packed& packed) : packed_(&packed) {}
  template <class Plain>
  requires(std::convertible_to<const Plain&, ConstElements>) RunWeights(const Plain& plain)
      : plain_(plain) {}

  /// Returns the packed weights, or null when the weights are plain.
  const Packed* packed() const { return packed_; }
  const ConstElements& plain() const { return plain_; }
  const char* data() const { return packed_ != nullptr ? packed_->data() : plain_.data(); }

 private:
  const Packed* packed_ = nullptr;
  ConstElements plain_;
};

/// Holds the scales and zero points that Epilogue::quantisation selects; all others keep their
/// defaults. Integer sums become outputs of another type than s32 by
/// output = saturate(round(clamp(f32(sum + bias) * scale + (residual - residual_zero_point) *
/// residual_scale)) + zero_point), where round() takes ties to even, and real outputs neither round
/// nor have a zero point. Each operation rounds to f32. This is QLinearConv of ONNX if scale =
/// x_scale * w_scale / y_scale.
struct Requantisation {
  /// Holds one scale in f32 for all channels, Kernel::bias_size() scales, or none.
  ConstElements scales = {};
  std::int32_t zero_point = 0;  ///< Holds a value of the output's type.
  float residual_scale = 1;
  std::int32_t residual_zero_point = 0;  ///< Holds a value of the output's type.
};

/// Holds the tensors and numbers that an epilogue needs. Views of other tensors are empty.
struct Addends {
  /// The bias has Kernel::bias_size() values of the type of the sums, accumulator_of(types()).
  ConstElements bias = {};
  /// The residual has the type, the size and the layout of the output.
  ConstElements residual = {};
  Requantisation requantisation = {};
  /// This value of the input's type is subtracted from each element of the input.
  std::int32_t input_zero_point = 0;
};

/// Calls task(0) ... task(count - 1) once each, in any order and on any threads. An executor
/// returns after all tasks have returned, and then rethrows an exception that a task threw.
using Executor = std::function<void(int count, const std::function<void(int)>& task)>;

/// Runs task(0) ... task(count - 1) on an OpenMP team of `count` threads (at most 1024), including
/// the calling thread. Kernel::run() uses this executor by default. The threads spin for a few
/// milliseconds after the last task, unless OMP_WAIT_POLICY=passive is in the environment. Tasks
/// may throw only std::exception. Throws Error when `count` is negative or `task` is empty.
void run_tasks(int count, const std::function<void(int)>& task);

/// Ends the idle threads of run_tasks(), which starts new threads when it is called again. After a
/// run of several tasks, fork() calls this function, because the child's OpenMP runtime would wait
/// for threads that the child does not inherit.
void release_threads();

/// Holds the machine code of a schedule for this CPU. A kernel is immutable, so several threads may
/// call its functions at once if each thread has its own output. Copies share the machine code. No
/// function may be called after the kernel was moved from.
class Kernel {
 public:
  /// Return the number of elements that a tensor must hold. The input and the output have the
  /// layouts of schedule(). Weights are [g][k/g][c/g][t][r][s], i.e. `oihw` (`oidhw` in 3-D) with
  /// the groups outermost. The tensors of a gemm are A, B and C with their leading dimensions.
  std::size_t input_size() const;
  std::size_t weights_size() const;
  std::size_t output_size() const;
  /// Returns the number of values of a bias: one per output channel over all groups, or one per
  /// column of a gemm, whatever the batch. The comment of Relation gives the number for relations.
  std::size_t bias_size() const;

  const Schedule& schedule() const;
  const Problem& problem() const;
  const Epilogue& epilogue() const;
  Isa isa() const;
  TensorTypes types() const;
  /// Returns the number of tasks of one run, which is the number of threads in the plan's options,
  /// or the number of iterations of the P loops if this is smaller.
  int threads() const;

  /// Returns `weights` in the order and the type that this kernel reads. `zero_points` has as many
  /// values as Quantisation::weights_zero_points says: none, one, or bias_size(). Throws Error when
  /// the number of weights is not weights_size(), a type is not types().weights, the number of zero
  /// points is wrong, or the schedule takes plain weights.
  Packed pack_weights(const ConstElements& weights, const ConstElements& zero_points = {}) const;
  /// Packs the weights into `packed`, whose memory is reused if it is large enough.
  void pack_weights(const ConstElements& weights, Packed& packed,
                    const ConstElements& zero_points = {}) const;

  /// Computes problem() and then epilogue(). Writes every output element, and zeros into the
  /// padding of a last block of channels. The results do not depend on the number of threads, bit
  /// for bit. Requires that the input does not overlap the output, which is not checked. Throws
  /// Error when the tensors are not of types(), a size is wrong, an addend is missing or not part
  /// of the epilogue, a zero point is no number of its type, the residual overlaps the output, or
  /// the weights have another form (packed or plain), order or zero points than the kernel takes.
  /// With the mark nt, stores bypass the caches only if the output is aligned to a vector (64 bytes
  /// on AVX-512). If the environment has TILEPLAN_TRACE=run, each run prints a line on stderr.
  void run(const ConstElements& input, const RunWeights& weights, const Elements& output,
           const Addends& addends = {}) const;
  /// Runs the tasks by `executor`. Also throws Error when threads() > 1 and `executor` is empty.
  void run(const ConstElements& input, const RunWeights& weights, const Elements& output,
           const Addends& addends, const Executor& executor) const;

  /// Serves compile(), which assembles the code. Requires that `compiled` is not null.
  explicit Kernel(std::shared_ptr<const CompiledKernel> compiled)
      : compiled_(std::move(compiled)) {}

 private:
  std::shared_ptr<const CompiledKernel> compiled_;
};

/// Assembles candidate `rank` of `plan` (0 is the choice) with the epilogue and the threads of its
/// options. Several threads may call it. Throws Error when the plan has no such candidate,
/// validate() refuses the problem, the epilogue breaks a rule of Epilogue or does not suit the
/// types, this CPU lacks the instruction set, memory may not be made executable, or the schedule
/// cannot be assembled, as when the sizes of its loops do not multiply to the extents of the
/// problem, its register tile does not fit or spans more than 2^30 bytes of a tensor, its layouts
/// are not contiguous along V, or a mark such as pack, ahead or nt is not possible with its loops.
Kernel compile(const Plan& plan, std::size_t rank = 0);

}  // namespace tileplan
