// SPDX-License-Identifier: Apache-2.0
// This file plans the passes before and after the loops of emitted C. They copy an input whose type
// or layout the loops cannot read, correct sums for zero points, and convert sums to the type of
// the output. Assembled kernels have the same stages (src/jit/run.cpp), unless they convert tensors
// in registers.
#pragma once

#include <cstdint>

#include "loop_program.h"
#include "strips.h"
#include "tileplan/epilogue.h"
#include "window_sets.h"

namespace tileplan {

/// Returns true when kernels for `types` may need stages: passes before and after the loops that
/// convert tensors. Kernels need none if all tensors are f32, all are f64 or all are s32.
bool has_stages(const TensorTypes& types);

struct StagePlan {
  const Computation& elements;  ///< This computation describes the tensors of the caller.
  LoopTypes types;
  Epilogue epilogue;  ///< The loops and the last stage compute this epilogue together.
  Layout in = Layout::nhwc, out = Layout::nhwc;
  bool copies_input = false;  ///< If true, the loops read a copy of the input.
  bool converts = false;      ///< If true, a stage after the loops corrects or converts their sums.
  bool parallel = false;      ///< If true, threads share the work of the stages.
  /// Lists the sets of filter taps that lie inside the input. There is only one set, unless the
  /// problem is a convolution whose input has a zero point.
  WindowSets sets = {};

  bool has_input_point() const { return epilogue.quantisation.input_zero_point; }
  bool has_weights_points() const {
    return epilogue.quantisation.weights_zero_points != Granularity::none;
  }
  /// Returns true when the loops add one correction to all pixels of an output channel, for the
  /// zero point or for inverted bits of the input.
  bool corrects_channels() const { return types.flips_input || has_input_point(); }
  /// Returns true when corrections differ from pixel to pixel, so that the last stage adds them.
  bool differs_by_pixel() const {
    return has_weights_points() || (has_input_point() && sets.count > 1);
  }
  ElementType output_type() const { return elements.tensor(Operand::output).type; }
  /// Returns true when the loops write sums to separate memory, because the output has another
  /// type.
  bool has_sums() const { return converts && output_type() != types.sums; }
};

/// Returns the stages around the loops of `schedule`. `loops` is the computation that the loops
/// execute, in_strips(elements, types).
StagePlan plan_stages(const Computation& elements, const Computation& loops, const LoopTypes& types,
                      const Schedule& schedule, const Epilogue& epilogue);

/// Returns the part of the epilogue that the loops compute, with a bias if they add corrections.
Epilogue loop_epilogue(const StagePlan& stages);

/// Returns the layout of the input that the loops read.
TensorLayout input_layout(const StagePlan& stages, const Computation& loops);

/// Holds the offsets of the parts of packed weights, in bytes. The strips of weights come first.
struct PackedSections {
  std::int64_t corrections = 0;  ///< These corrections compensate inverted bits of the input.
  std::int64_t window_sums = 0;  ///< This part holds the sum of the weights minus their zero
                                 ///< points, for each set of taps and output channel.
  /// This part holds the zero point of the weights of each output channel.
  std::int64_t zero_points = 0;
  std::int64_t bytes = 0;  ///< All parts together have this size.
};

PackedSections packed_sections(const StagePlan& stages, const Computation& loops,
                               const WeightsOrder& order);

/// Holds the offsets of the parts of a run's workspace, in bytes.
struct WorkspaceSections {
  std::int64_t input = 0, sums = 0, bias = 0, channel_sums = 0, window_sums = 0;
  std::int64_t bytes = 0;  ///< All parts together have this size, which can be 0.
};

WorkspaceSections workspace_sections(const StagePlan& stages, const Computation& loops);

/// Returns the number of output pixels of an image, or the number of rows of a product. Like
/// images_of(), requires a convolution or a matrix product.
std::int64_t output_pixels(const Computation& elements);
/// Returns the number of images, or the number of products of a batch.
std::int64_t images_of(const Computation& elements);
std::int64_t groups_of(const Computation& elements);

}  // namespace tileplan
