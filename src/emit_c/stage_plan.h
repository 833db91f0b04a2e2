// SPDX-License-Identifier: Apache-2.0
// Plans what emitted C does before and after the loops when the tensors of the caller have other
// types than the loops. The assembled kernels have the same stages (src/jit/run.cpp).
#pragma once

#include <cstdint>

#include "loop_program.h"
#include "strips.h"
#include "tileplan/epilogue.h"
#include "window_sets.h"

namespace tileplan {

/// Returns true when kernels for `types` have stages: for all types but f32, f64 and s32.
bool has_stages(const TensorTypes& types);

struct StagePlan {
  const Computation& elements;  ///< It describes the tensors of the caller.
  LoopTypes types;
  Epilogue epilogue;  ///< The loops and the last stage compute it.
  Layout in = Layout::nhwc, out = Layout::nhwc;
  bool copies_input = false;  ///< The loops read a copy of the input.
  bool converts = false;      ///< A stage finishes the sums of the loops.
  bool parallel = false;      ///< Threads share the work of the stages.
  WindowSets sets = {};       ///< Only convolutions have sets.

  bool has_input_point() const { return epilogue.quantisation.input_zero_point; }
  bool has_weights_points() const {
    return epilogue.quantisation.weights_zero_points != Granularity::none;
  }
  /// Returns true when the loops add corrections to all pixels of an output channel.
  bool corrects_channels() const { return types.flips_input || has_input_point(); }
  /// Returns true when corrections differ from pixel to pixel, so that the last stage makes them.
  bool differs_by_pixel() const {
    return has_weights_points() || (has_input_point() && sets.count > 1);
  }
  ElementType output_type() const { return elements.tensor(Operand::output).type; }
  /// Returns true when the loops write sums to memory of their own.
  bool has_sums() const { return converts && output_type() != types.sums; }
};

/// Returns the stages around the loops of `schedule`, which execute `loops`, that is
/// in_strips(elements, types).
StagePlan plan_stages(const Computation& elements, const Computation& loops, const LoopTypes& types,
                      const Schedule& schedule, const Epilogue& epilogue);

/// Returns the part of the epilogue that the loops compute.
Epilogue loop_epilogue(const StagePlan& stages);

/// Returns the layout of the input that the loops read.
TensorLayout input_layout(const StagePlan& stages, const Computation& loops);

/// Holds offsets in bytes in the packed weights, whose strips come first.
struct PackedSections {
  std::int64_t corrections = 0;  ///< They compensate inverted bits of the input.
  std::int64_t window_sums = 0;  ///< Each set of taps has the sums of its weights.
  std::int64_t zero_points = 0;  ///< They belong to the weights of each output channel.
  std::int64_t bytes = 0;        ///< All sections together have this size.
};

PackedSections packed_sections(const StagePlan& stages, const Computation& loops,
                               const WeightsOrder& order);

/// Holds offsets in bytes in the workspace of a run.
struct WorkspaceSections {
  std::int64_t input = 0, sums = 0, bias = 0, channel_sums = 0, window_sums = 0;
  std::int64_t bytes = 0;  ///< All sections together have this size, which can be 0.
};

WorkspaceSections workspace_sections(const StagePlan& stages, const Computation& loops);

/// Returns the number of output pixels of an image, or of rows of a product.
std::int64_t output_pixels(const Computation& elements);
/// Returns the number of images, or of products of a batch.
std::int64_t images_of(const Computation& elements);
std::int64_t groups_of(const Computation& elements);

}  // namespace tileplan
