// SPDX-License-Identifier: Apache-2.0
// This file assembles the reduction loops of the microkernel.
#include "microkernel_assembler.h"

#include <algorithm>

#include "check.h"
#include "executable.h"

namespace tileplan {
namespace {

constexpr int kLoopAlignment = 32;  // Many cores fetch or cache code in aligned blocks of 32 bytes.

/// Returns the largest number of instructions for the products of a step.
std::size_t product_instructions(const MicrokernelSpec& spec, std::size_t pixels,
                                 std::size_t vectors) {
  // When the kernel makes strips of single elements, each element takes up to three instructions.
  if (spec.product.single) return (5 * pixels + 3) * vectors;
  // One instruction per pixel may invert bits of the input, and a product may take two
  // instructions.
  return pixels * (2 + (spec.product.two_instructions ? 2 : 1) * vectors);
}

std::size_t code_size(const MicrokernelSpec& spec) {
  constexpr std::size_t kInstruction = 12;  // No emitted instruction has more bytes.
  const std::size_t pixels = spec.input_offsets.size();
  const auto vectors = static_cast<std::size_t>(spec.vectors);
  const std::size_t of_pixels = spec.broadcasts.weights.size() * (2 * vectors + 2);
  const std::size_t products = product_instructions(spec, pixels, vectors);
  const std::size_t step = (products + 2 * vectors + of_pixels +
                            static_cast<std::size_t>(spec.prefetch.next_tile_lines)) *
                           kInstruction;
  const std::size_t body =
      step * (static_cast<std::size_t>(spec.reduction.unroll) + 1) + 40 * kInstruction;
  // An accumulator occurs in at most this many instructions.
  std::size_t uses = scales_sums(spec.output.epilogue) ? 28 : 19;
  if (spec.output.converted) uses += 16;
  // The activation occurs twice: in the code for tails and in the code for other tiles.
  uses += 2 * ActivationCode::most_instructions(spec.output.epilogue.activation);
  const std::size_t constants =
      ActivationCode::kMostConstants * static_cast<std::size_t>(vector_bytes_of(spec.isa));
  const std::size_t tile = (uses * (pixels * vectors + 4) + 20) * kInstruction + constants;
  std::size_t bytes = spec.reduction.bodies.size() * body + tile + 60 * kInstruction;
  for (const auto& list : spec.reduction.unrolled)
    bytes += list.size() * step + (pixels * vectors + 20) * kInstruction;
  return whole_pages(bytes);
}

}  // namespace

MicrokernelAssembler::MicrokernelAssembler(const MicrokernelSpec& spec)
    : Xbyak::CodeGenerator(code_size(spec), Xbyak::DontSetProtectRWE),
      spec_(spec),
      activation_(*this, spec.output.epilogue.activation, spec.type,
                  lanes_of(spec.isa, spec.type)) {
  if (has_tiles()) groups_ = tile_groups(spec_);
  const auto [low, high] =
      std::minmax_element(spec_.input_offsets.begin(), spec_.input_offsets.end());
  bias_ = *low + (*high - *low) / 2;  // Displacements from the middle have short encodings.
  emit();
  make_executable(*this);
}

const void* MicrokernelAssembler::body(PixelSet pixels) const {
  const auto found = std::ranges::find(spec_.reduction.bodies, pixels);
  TILEPLAN_CHECK(found != spec_.reduction.bodies.end(), "no body was assembled for a pixel set");
  return bodies_[static_cast<std::size_t>(found - spec_.reduction.bodies.begin())];
}

int MicrokernelAssembler::channels() const {
  return static_cast<int>(1 + std::ranges::max(spec_.broadcasts.weights) / bytes_of(spec_.type));
}

int MicrokernelAssembler::row_bytes() const {
  if (has_tiles()) return spec_.vectors * lanes() * spec_.product.strip_bytes;
  return has_pixel_vectors() ? channels() * static_cast<int>(bytes_of(spec_.type))
                             : spec_.vectors * vector_bytes();
}

int MicrokernelAssembler::row_stride() const {
  return static_cast<int>(spec_.weights.step_stride.value_or(row_bytes()));
}

int MicrokernelAssembler::channel_stride() const {
  return static_cast<int>(spec_.weights.channel_stride.value_or(bytes_of(spec_.type)));
}

int MicrokernelAssembler::read_lanes() const {
  return std::max(spec_.input_vectors.tail_lanes, spec_.weights.tail_lanes);
}

Xbyak::Xmm MicrokernelAssembler::product() const {
  return weight(weights() + (has_pixel_vectors() && !has_masks() ? 2 : 1));
}

bool MicrokernelAssembler::has_stored_mask() const {
  return spec_.weights.tail_lanes > 0 && !has_masks() && spec_.input_vectors.stride == 0;
}

int MicrokernelAssembler::batch() const {
  constexpr int kMostSums = 24;
  return has_tiles() ? std::min(pixels(), kMostSums / spec_.vectors) : pixels();
}

void MicrokernelAssembler::emit() {
  emit_entry();
  emit_dispatch();
  for (const PixelSet set : spec_.reduction.bodies) {
    align(kLoopAlignment);
    bodies_.push_back(getCurr());
    emit_body(set);
  }
  for (const std::vector<UnrolledStep>& steps : spec_.reduction.unrolled) {
    align(kLoopAlignment);
    unrolled_.push_back(getCurr());
    emit_unrolled(steps);
  }
  L(store_);
  if (has_tiles()) emit_sums(true);
  Xbyak::Label tail;
  if (spec_.output.tail_lanes > 0) jump_if(kTail, tail);
  emit_end(false);
  if (spec_.output.tail_lanes > 0) {
    L(tail);
    if (needs_tail_mask()) emit_mask(spec_.output.tail_lanes, weight(0));
    emit_end(true);
  }
  if (!scales_sums(spec_.output.epilogue)) emit_resume();
  emit_limits();
}

// Each run ends with its own copy of this jump, which helps the branch predictor.
void MicrokernelAssembler::emit_dispatch() {
  mov(input_now_, ptr[runs_ + offsetof(ReductionRun, input)]);
  mov(weights_now_, ptr[runs_ + offsetof(ReductionRun, weights)]);
  mov(steps_, ptr[runs_ + offsetof(ReductionRun, steps)]);
  add(input_now_, input_);
  add(weights_now_, weights_);
  jmp(ptr[runs_ + offsetof(ReductionRun, body)]);
}

void MicrokernelAssembler::emit_body(PixelSet set) {
  Xbyak::Label loop, rest, rest_loop, done;
  sub(steps_, spec_.reduction.unroll);
  jl(rest, T_NEAR);
  align(kLoopAlignment);
  L(loop);
  for (int step = 0; step < spec_.reduction.unroll; ++step) {
    emit_step({step * spec_.reduction.step_stride, std::int64_t{step} * row_stride(), set});
    emit_next_tile_prefetch(step);
  }
  if (spec_.prefetch.next_tile_lines > 0)
    add(next_tile_, kLineBytes * spec_.prefetch.next_tile_lines);
  add(input_now_, static_cast<int>(spec_.reduction.unroll * spec_.reduction.step_stride));
  add(weights_now_, spec_.reduction.unroll * row_stride());
  sub(steps_, spec_.reduction.unroll);
  jge(loop, T_NEAR);
  L(rest);
  add(steps_, spec_.reduction.unroll);
  jz(done, T_NEAR);
  L(rest_loop);
  emit_step({.pixels = set});
  add(input_now_, static_cast<int>(spec_.reduction.step_stride));
  add(weights_now_, row_stride());
  dec(steps_);
  jnz(rest_loop, T_NEAR);
  L(done);
  emit_next_run();
}

void MicrokernelAssembler::emit_next_run() {
  add(runs_, static_cast<int>(sizeof(ReductionRun)));
  dec(count_);
  jz(store_, T_NEAR);
  emit_dispatch();
}

void MicrokernelAssembler::emit_unrolled(const std::vector<UnrolledStep>& steps) {
  const bool expands = spec_.product.single.has_value();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!expands) emit_step(steps[i]);
    if (expands && spec_.prefetch.weight_steps > 0) emit_weights_prefetch(steps[i]);
    emit_output_prefetch(i, steps.size());
  }
  if (expands) emit_taps(steps);
  emit_next_run();
}

// Prefetches a part of the output tile, because stores of short calls would otherwise miss the
// cache.
void MicrokernelAssembler::emit_output_prefetch(std::size_t at, std::size_t steps) {
  if (!spec_.prefetch.output) return;
  const Xbyak::Reg64& output = spec_.output.converted ? steps_ : output_;
  if (spec_.output.converted && at == 0) emit_converted_address(steps_);
  const auto vectors = static_cast<std::size_t>(spec_.vectors);
  const std::size_t tile = spec_.output_offsets.size() * vectors;
  for (std::size_t i = tile * at / steps; i < tile * (at + 1) / steps; ++i)
    prefetchw(
        ptr[output + (output_offset(static_cast<int>(i / vectors), static_cast<int>(i % vectors)) >>
                      narrowing())]);
}

void MicrokernelAssembler::emit_step(const UnrolledStep& step) {
  if (spec_.prefetch.weight_steps > 0) emit_weights_prefetch(step);
  if (has_tiles()) return emit_tile_step(step);
  if (spec_.product.single) return emit_taps({step});
  if (has_pixel_vectors()) return emit_pixel_vector_step(step);
  if (spec_.input_vectors.stride != 0) return emit_vector_step(step);
  emit_broadcast_step(step);
}

void MicrokernelAssembler::emit_weights_prefetch(const UnrolledStep& step) {
  const int early = spec_.prefetch.weight_steps * row_stride();
  if (spec_.weights.channel_stride) {
    for (int k = 0; k < channels(); ++k)
      prefetcht0(weights_address(step, early + k * channel_stride()));
    return;
  }
  for (int line = 0; line < row_bytes(); line += kLineBytes)
    prefetcht0(weights_address(step, early + line));
}

// Loads vector `v` of the weights. Lanes beyond a tail may lie outside the tensor, so they are
// masked.
void MicrokernelAssembler::emit_weights(const UnrolledStep& step, int v) {
  const Xbyak::Address from = weights_address(step, v * vector_bytes());
  if (spec_.weights.tail_lanes == 0 || v + 1 < spec_.vectors) return vmovups(weight(v), from);
  if (has_stored_mask()) vmovups(weight(v), ptr[rsp + kStoredMask]);
  masked_load(weight(v), has_stored_mask() ? weight(v) : narrow_mask(), from);
}

// Emits the prefetches of the next tile that belong to `step`, about as many as in other steps.
void MicrokernelAssembler::emit_next_tile_prefetch(int step) {
  const int first = spec_.prefetch.next_tile_lines * step / spec_.reduction.unroll;
  const int end = spec_.prefetch.next_tile_lines * (step + 1) / spec_.reduction.unroll;
  for (int line = first; line < end; ++line)
    prefetcht1(ptr[next_tile_ + static_cast<std::size_t>(line) * kLineBytes]);
}

// Broadcasts each pixel once, or in each multiply-add if there are few vectors (embedded_vectors).
void MicrokernelAssembler::emit_broadcast_step(const UnrolledStep& step) {
  const VectorUnit unit{.isa = spec_.isa,
                        .arithmetic = spec_.product.arithmetic,
                        .dots = {.integers = !spec_.product.two_instructions}};
  const bool embedded = spec_.vectors <= embedded_vectors(unit);
  for (int v = 0; v < spec_.vectors; ++v) emit_weights(step, v);
  for (int p = 0; p < pixels(); ++p) {
    if ((step.pixels >> p & 1U) == 0) {
      emit_padding(p);
      continue;
    }
    const Xbyak::Address pixel = input_address(step, p, 0);
    if (embedded) {
      for (int v = 0; v < spec_.vectors; ++v)
        multiply_add(accumulator(p, v), weight(v), ptr_b[pixel.getRegExp()]);
      continue;
    }
    emit_broadcast(broadcast(), pixel);
    emit_flip();
    for (int v = 0; v < spec_.vectors; ++v) multiply_add(accumulator(p, v), weight(v), broadcast());
  }
}

// Emits multiply-adds of input vectors, which the instructions read from memory unless the input
// has bytes. In a tail, AVX2 needs a register for the masked input. The masked input takes the
// register of the last weights, which are then read from memory.
void MicrokernelAssembler::emit_vector_step(const UnrolledStep& step) {
  const bool loads_input = spec_.input_vectors.tail_lanes > 0 && !has_masks();
  for (int v = 0; v < spec_.vectors - (loads_input ? 1 : 0); ++v) emit_weights(step, v);
  for (int p = 0; p < pixels(); ++p)
    (step.pixels >> p & 1U) != 0 ? emit_vector_products(step, p) : emit_padding(p);
}

void MicrokernelAssembler::multiply_add(const Xbyak::Xmm& sum, const Xbyak::Xmm& weights,
                                        const Xbyak::Operand& input) {
  switch (spec_.product.arithmetic) {
    case Arithmetic::fma:
    case Arithmetic::widened_fma:
      return is_double() ? vfmadd231pd(sum, weights, input) : vfmadd231ps(sum, weights, input);
    case Arithmetic::dot_bf16:
      return vdpbf16ps(sum, weights, input);
    case Arithmetic::dot_bytes: {
      const Xbyak::Xmm strips(static_cast<const Xbyak::Xmm&>(input));
      return spec_.product.unsigned_weights ? vpdpbusd(sum, weights, strips)
                                            : vpdpbusd(sum, strips, weights);
    }
    case Arithmetic::dot_s16:
    case Arithmetic::multiply_s32:
      return add_product(sum, weights, input);
    case Arithmetic::tile_bf16:
    case Arithmetic::tile_bytes:
      TILEPLAN_CHECK(false, "tiles are multiplied by emit_tile_product()");
  }
}

void MicrokernelAssembler::add_product(const Xbyak::Xmm& sum, const Xbyak::Xmm& weights,
                                       const Xbyak::Operand& input) {
  if (!spec_.product.two_instructions) return vpdpwssd(sum, weights, input);
  // The product is masked like the sum, because lanes of the input may lie outside the tensor.
  const Xbyak::Xmm made = sum.getOpmaskIdx() != 0 ? product() | k1 | T_z : product();
  spec_.product.arithmetic == Arithmetic::multiply_s32 ? vpmulld(made, weights, input)
                                                       : vpmaddwd(made, weights, input);
  vpaddd(sum, Xbyak::Xmm(sum.getKind(), sum.getIdx()), product());
}

void MicrokernelAssembler::emit_flip() {
  if (spec_.product.flip != 0) vpxord(broadcast(), broadcast(), ptr_b[rip + flip_]);
}

void MicrokernelAssembler::emit_padding(int pixel) {
  if (!spec_.product.counts_padding) return;
  vpbroadcastd(broadcast(), ptr[rip + flip_]);
  for (int v = 0; v < spec_.vectors; ++v)
    multiply_add(accumulator(pixel, v), weight(v), broadcast());
}

// Lanes of a tail may lie outside the tensor. In a tail, AVX-512 masks the sums, or the load of
// bytes, and AVX2 masks the load.
void MicrokernelAssembler::emit_vector_products(const UnrolledStep& step, int pixel) {
  for (int v = 0; v < spec_.vectors; ++v) {
    const Xbyak::Xmm sum = accumulator(pixel, v);
    const Xbyak::Address input = input_address(step, pixel, v);
    const bool whole = spec_.input_vectors.tail_lanes == 0 || v + 1 < spec_.vectors;
    if (is_bytes()) {
      whole ? vmovups(broadcast(), input) : masked_load(broadcast(), broadcast(), input);
      emit_flip();
      multiply_add(sum, weight(v), broadcast());
    } else if (whole) {
      multiply_add(sum, weight(v), input);
    } else if (has_masks()) {
      multiply_add(sum | k1, weight(v), input);
    } else {
      masked_load(weight(v), broadcast(), input);
      multiply_add(sum, weight(v), weights_address(step, v * vector_bytes()));
    }
  }
}

// Broadcasts the weights of all channels and multiplies each input vector by each of them.
void MicrokernelAssembler::emit_pixel_vector_step(const UnrolledStep& step) {
  for (int k = 0; k < weights(); ++k)
    emit_broadcast(weight(k), weights_address(step, k * channel_stride()));
  for (int p = 0; p < pixels(); p = end_of_place(p)) {
    const bool inside = (step.pixels >> p & 1U) != 0;
    if (inside)
      for (int v = 0; v < spec_.vectors; ++v) emit_pixel_vector(step, p, v);
    else
      emit_place_padding(p);
  }
}

// If padding counts, adds the products of padding and weights for all pixels that read the input at
// the offset of `pixel`.
void MicrokernelAssembler::emit_place_padding(int pixel) {
  if (!spec_.product.counts_padding) return;
  vpbroadcastd(broadcast(), ptr[rip + flip_]);
  for (int v = 0; v < spec_.vectors; ++v)
    for (int p = pixel; p < end_of_place(pixel); ++p)
      multiply_add(accumulator(p, v), weight_of(p), broadcast());
}

// Returns the next pixel with a different input offset, or pixels() if there is none.
int MicrokernelAssembler::end_of_place(int pixel) const {
  const std::vector<std::int64_t>& offsets = spec_.input_offsets;
  const auto first = offsets.begin() + pixel;
  return static_cast<int>(
      std::find_if(first, offsets.end(), [&](std::int64_t at) { return at != *first; }) -
      offsets.begin());
}

// With one channel, the multiply-add reads its vector from memory, with two exceptions. AVX2 masks
// a tail by a separate load. Bytes are loaded into a register, because some must be inverted, and
// because vpdpbusd takes its unsigned factor from a register.
void MicrokernelAssembler::emit_pixel_vector(const UnrolledStep& step, int pixel, int v) {
  const Xbyak::Address input = input_address(step, pixel, v);
  if (spec_.prefetch.input_distance > 0)
    prefetcht1(ptr[input.getRegExp() + static_cast<std::size_t>(spec_.prefetch.input_distance)]);
  const bool masked = spec_.input_vectors.tail_lanes > 0 && v + 1 == spec_.vectors;
  if (weights() == 1 && !is_bytes() && (has_masks() || !masked)) {
    const Xbyak::Xmm sum = accumulator(pixel, v);
    return multiply_add(masked ? sum | k1 : sum, weight(0), input);
  }
  const Xbyak::Xmm vector = broadcast();
  masked ? masked_load(vector, narrow_mask(), input) : vmovups(vector, input);
  emit_flip();
  for (int p = pixel; p < end_of_place(pixel); ++p)
    multiply_add(accumulator(p, v), weight_of(p), vector);
}

Xbyak::Address MicrokernelAssembler::weights_address(const UnrolledStep& step, int bytes) {
  return ptr[weights_now_ + static_cast<int>(step.weights + bytes)];
}

Xbyak::Address MicrokernelAssembler::input_address(const UnrolledStep& step, int pixel, int v) {
  return ptr[input_now_ + static_cast<int>(spec_.input_offsets[pixel] - bias_ + step.input +
                                           v * spec_.input_vectors.stride)];
}

}  // namespace tileplan
