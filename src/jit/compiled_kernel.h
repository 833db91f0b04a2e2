// SPDX-License-Identifier: Apache-2.0
// This file declares the kernel that compile() makes of a schedule, and divides its work among
// threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "block_padding.h"
#include "element.h"
#include "loop_tree.h"
#include "output_conversion.h"
#include "scratch.h"
#include "strip_copy.h"
#include "strips.h"
#include "tileplan/kernel.h"
#include "transpose.h"
#include "zero_points.h"

namespace tileplan {

struct CompiledKernel {
  struct Source {
    Problem problem;
    Schedule schedule;
    Epilogue epilogue;
    Isa isa = Isa::avx512;
    TensorTypes types;
  };
  struct Layouts {
    TensorLayout input, weights, output, bias;
  };
  struct Stages {
    std::optional<Transposition> fill_input = {}, empty_output = {};
    std::optional<StripCopy> copy_input = {};  ///< If set, this copy replaces `fill_input`.
    /// This conversion follows `empty_output`, unless the loops convert the output.
    std::optional<OutputConversion> conversion = {};
    std::optional<ConvertedOutput> converted;  ///< If set, the loops convert the output themselves.
    /// Each run writes zeros to this padding of the output, which no microkernel call writes.
    BlockPadding padding = {};
  };
  /// Holds memory that runs use again. A run never reads the data of earlier runs.
  struct Scratch {
    /// Each running task takes memory for its boxes of packed or transformed elements from this
    /// pool.
    std::optional<ScratchPool> boxes;
    std::optional<ScratchPool> inputs, outputs,
        residuals;  ///< These pools hold copies of tensors in the layouts of the loops.
    std::optional<ScratchPool> sums;    ///< The sums have the layout of the caller's output.
    std::optional<ScratchPool> biases;  ///< A run stores the sums of bias and corrections here.
    /// Sums of the input over channels come first, and sums over filter windows follow.
    std::optional<ScratchPool> input_sums;
  };

  Source source;
  Computation elements;  ///< This computation describes the tensors of the caller.
  /// The loops execute this computation, whose element is a strip (polyhedral/strips.h).
  Computation computation;
  /// If set, the loops compute the products of this Winograd convolution.
  std::optional<WinogradConvolution> winograd;
  LoopTypes loop_types;
  ZeroPoints zero_points;
  /// A bias that the kernel makes (has_own_bias()) has this many values.
  std::size_t corrections = 0;
  Layouts layouts;
  LoopTree tree;
  /// If the schedule has streaming stores (nt), this tree has ordinary stores instead.
  std::optional<LoopTree> cached_tree;
  /// This is tree.weights.fingerprint(). A kernel that takes packed weights compares it with the
  /// order of the given weights.
  std::uint64_t order = 0;
  int threads = 1;  ///< Each run is divided into this many tasks.
  Stages stages;
  mutable Scratch scratch;

  /// Returns the number of elements of the packed weights. Requires that the kernel takes packed
  /// weights.
  std::size_t packed_elements() const {
    return static_cast<std::size_t>(tree.weights.elements() * loop_types.strip);
  }
  /// Returns true when the loops add one correction to all pixels of an output channel, for a zero
  /// point or for inverted bits of the input.
  bool corrects_channels() const { return loop_types.flips_input || zero_points.of_input; }
  /// Returns true when the loops add a bias that the kernel makes: the caller's bias, if any, plus
  /// corrections. Loops that multiply by scales of channels need one too, because they find the
  /// scales by their distance from the bias.
  bool has_own_bias() const {
    return corrects_channels() || (stages.converted && stages.converted->channel_scales);
  }
  /// Returns the tree for the output `out`. Streaming stores fault when `out` is not aligned to
  /// vectors; ordinary stores are used then.
  const LoopTree& tree_for(const void* out) const {
    const auto bytes = static_cast<std::uintptr_t>(vector_bytes_of(source.isa));
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(out) % bytes == 0;
    return cached_tree && !is_aligned ? *cached_tree : tree;
  }
  /// Returns the part of `all` iterations that task `task` runs.
  TaskRange share(int task, std::int64_t all) const { return task_share(all, task, threads); }
  /// Calls `task` with the number of each task. One task needs no executor, and no std::function,
  /// which would allocate memory.
  template <class Task>
  void share_out(const Executor& executor, const Task& task) const {
    if (threads == 1) return task(0);
    executor(threads, task);
  }
  void transpose_all(const Executor& executor, const Transposition& shape, const char* from,
                     char* to) const {
    with_size(computation.tensor(Operand::output).element_bytes(), [&](auto zero) {
      using Number = decltype(zero);
      share_out(executor, [&](int task) {
        transpose(shape, reinterpret_cast<const Number*>(from), reinterpret_cast<Number*>(to),
                  share(task, shape.columns));
      });
    });
  }
  /// Runs the loops on `tensors`, which have the layouts of the loops.
  void run_loops(const Executor& executor, const Buffers& tensors) const {
    const LoopTree& chosen = tree_for(tensors.output);
    share_out(executor, [&](int task) {
      const ScratchPool::Lease box = scratch.boxes->lease();
      Buffers own = tensors;
      own.box = box.data();
      execute(chosen, own, share(task, chosen.tasks()));
      // Streaming stores must become visible to other threads before later ordinary stores.
      if (source.schedule.nontemporal) std::atomic_thread_fence(std::memory_order_seq_cst);
    });
  }
};

/// Holds the factors of sums and of the old output (Epilogue).
struct Factors {
  double alpha = 1, beta = 0;
};

/// Holds the tensors that Kernel::run() takes.
struct RunTensors {
  const ConstElements& input;
  const RunWeights& weights;
  const Elements& output;
  const Addends& addends;
  /// If set, these factors replace those of the kernel's epilogue. Requires that either both alphas
  /// are 1 or neither is, and that both betas are 0, both are 1, or neither is 0 or 1, because the
  /// code depends on that (scaled_sums.h).
  std::optional<Factors> factors = {};
};

/// Checks the tensors, then runs the kernel. Throws Error as Kernel::run() does.
void check_and_run(const Kernel& kernel, const CompiledKernel& compiled, const RunTensors& tensors,
                   const Executor& executor);

/// Throws Error, whose message calls the tensor `what`, unless `got` has `size` elements and, if it
/// is not empty, the type `type`.
void require_tensor(const char* what, const ConstElements& got, ElementType type, std::size_t size);

}  // namespace tileplan
