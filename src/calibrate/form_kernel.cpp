// SPDX-License-Identifier: Apache-2.0
// Computes the offsets of an h x w rectangle of outputs and of the r * s * c steps of a block.
#include "form_kernel.h"

#include <algorithm>

namespace tileplan {
namespace {

constexpr std::int64_t kFloat = 4;
constexpr std::int64_t kWeightVectors = 320;  ///< L1 holds this many and the pixels.
constexpr std::int64_t kBlockUnit = 4;        ///< The shorter call has a quarter of the blocks.

bool is_straight(const KernelForm& form) { return form.r * form.s > 1; }

std::int64_t row_bytes(const KernelForm& form, const VectorUnit& unit) {
  return kFloat * form.k * unit.lanes;
}

/// Returns the byte offset of the input pixel in row `h` and column `w`. One extra vector per pixel
/// avoids strides that are powers of two.
std::int64_t pixel_offset(const KernelForm& form, const VectorUnit& unit, int h, int w) {
  const std::int64_t stride = kFloat * (block_count(form) * form.c + unit.lanes);
  return (h * std::int64_t{form.w + form.s - 1} + w) * stride;
}

std::vector<UnrolledStep> block_steps(const KernelForm& form, const VectorUnit& unit) {
  std::vector<UnrolledStep> steps;
  for (int s = 0; s < form.s; ++s)
    for (int r = 0; r < form.r; ++r)
      for (int c = 0; c < form.c; ++c)
        steps.push_back({.input = pixel_offset(form, unit, r, s) + c * kFloat,
                         .weights = static_cast<std::int64_t>(steps.size()) * row_bytes(form, unit),
                         .pixels = all_pixels(form.w * form.h)});
  return steps;
}

MicrokernelSpec spec_of(const KernelForm& form, const VectorUnit& unit) {
  MicrokernelSpec spec;
  spec.isa = unit.isa;
  spec.vectors = form.k;
  spec.vector_stride = std::int64_t{unit.lanes} * kFloat;
  spec.reduction.unroll = form.c;
  for (int h = 0; h < form.h; ++h)
    for (int w = 0; w < form.w; ++w) {
      spec.input_offsets.push_back(pixel_offset(form, unit, h, w));
      spec.output_offsets.push_back((h * form.w + w) * row_bytes(form, unit));
    }
  if (is_straight(form))
    spec.reduction.unrolled = {block_steps(form, unit)};
  else
    spec.reduction.bodies = {all_pixels(form.w * form.h)};
  return spec;
}

}  // namespace

std::int64_t block_count(const KernelForm& form) {
  const std::int64_t block = std::int64_t{form.k} * form.r * form.s * form.c;
  return std::max(kBlockUnit, kWeightVectors / block / kBlockUnit * kBlockUnit);
}

FormKernel::FormKernel(const KernelForm& form, const VectorUnit& unit)
    : steps_per_block_(std::int64_t{form.r} * form.s * form.c),
      blocks_(block_count(form)),
      output_bytes_(row_bytes(form, unit) * form.w * form.h),
      kernel_(spec_of(form, unit)),
      straight_(is_straight(form)) {
  if (!straight_)
    runs_ = {{.steps = blocks_ * form.c, .body = kernel_.body(all_pixels(form.w * form.h))}};
  for (std::int64_t block = 0; straight_ && block < blocks_; ++block)
    runs_.push_back({.input = block * form.c * kFloat,
                     .weights = block * steps_per_block_ * row_bytes(form, unit),
                     .steps = steps_per_block_,
                     .body = kernel_.unrolled(0)});
}

void FormKernel::run(const FormCall& call) const {
  ReductionRun run = runs_.front();
  run.steps = call.blocks * steps_per_block_;
  TileGrid row{.input = call.input,
               .weights = call.weights,
               .output = call.output,
               .runs = straight_ ? runs_.data() : &run,
               .count = straight_ ? call.blocks : 1,
               .flags = call.flags,
               .tiles = call.tiles,
               .step = {.output = output_bytes_}};
  kernel_.function()(&row);
}

}  // namespace tileplan
