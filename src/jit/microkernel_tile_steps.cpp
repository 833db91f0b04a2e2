// SPDX-License-Identifier: Apache-2.0
// This file assembles products of tiles. A tile of sums has a row of 16 channels for each pixel of
// a group, a tile of the input has a strip for each of these pixels, and a tile of weights has 4
// bytes of the strips of 16 channels in each row.
#include "microkernel_assembler.h"

namespace tileplan {
namespace {

constexpr int kSavedBytes = 16;  // This many bytes below rbp hold saved registers of the caller.
constexpr int kGroupBytes = 4;   // A row of a tile of weights holds this many bytes of each strip.

}  // namespace

Xbyak::Tmm MicrokernelAssembler::input_tile(std::size_t group) const {
  const int first = tiles_of_sums();
  return Xbyak::Tmm(streams() ? first + spec_.vectors : first + static_cast<int>(group));
}

Xbyak::Tmm MicrokernelAssembler::weights_tile(int v) const {
  const int first = tiles_of_sums();
  if (streams()) return Xbyak::Tmm(first + v);
  const int inputs = first + static_cast<int>(groups_.size());
  return Xbyak::Tmm(inputs + v % (kTileRegisters - inputs));
}

Xbyak::Address MicrokernelAssembler::input_rows(const UnrolledStep& step, std::size_t group) const {
  const auto pixel = static_cast<std::size_t>(groups_[group].first);
  return ptr[input_now_ + row_stride_ +
             static_cast<int>(spec_.input_offsets[pixel] - bias_ + step.input)];
}

Xbyak::Address MicrokernelAssembler::weights_rows(const UnrolledStep& step, int v) const {
  const int bytes = lanes() * spec_.product.strip_bytes;
  return ptr[weights_now_ + line_ + static_cast<int>(step.weights + std::int64_t{v} * bytes)];
}

Xbyak::Address MicrokernelAssembler::sum_rows(std::size_t group, int v) const {
  return ptr[rsp + line_ + sum_offset(group, v)];
}

Xbyak::Address MicrokernelAssembler::sum_row(int pixel, int v) const {
  std::size_t group = 0;
  while (pixel >= groups_[group].end()) ++group;
  const int row = pixel - groups_[group].first;
  const int offset = sum_offset(group, v) + row * kTileRowBytes;
  return ptr[rsp + offset];
}

int MicrokernelAssembler::sum_offset(std::size_t group, int v) const {
  return (static_cast<int>(group) * spec_.vectors + v) * kTileRows * kTileRowBytes;
}

// Tiles are configured in each call and released at its end, so that no state outlives a call.
void MicrokernelAssembler::emit_tile_entry() {
  push(rbp);
  mov(rbp, rsp);
  push(row_stride_);
  push(line_);
  and_(rsp, -kLineBytes);
  sub(rsp, tiles_of_sums() * kTileRows * kTileRowBytes);
  mov(row_stride_, tile_row_stride(spec_));
  mov(line_, kTileRowBytes);
  ldtilecfg(ptr[rip + config_]);
}

void MicrokernelAssembler::emit_tile_exit() {
  tilerelease();
  lea(rsp, ptr[rbp - kSavedBytes]);
  pop(line_);
  pop(row_stride_);
  pop(rbp);
}

void MicrokernelAssembler::emit_tile_zeros() {
  for (int i = 0; i < tiles_of_sums(); ++i) tilezero(Xbyak::Tmm(i));
}

void MicrokernelAssembler::emit_tile_step(const UnrolledStep& step) {
  if (streams()) return emit_streamed_tile_step(step);
  for (int v = 0; v < spec_.vectors; ++v) {
    tileloadd(weights_tile(v), weights_rows(step, v));
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (!has_pixel(step, g)) continue;
      if (v == 0) tileloadd(input_tile(g), input_rows(step, g));
      emit_tile_product(sum_tile(g, v), input_tile(g), weights_tile(v));
    }
  }
}

void MicrokernelAssembler::emit_streamed_tile_step(const UnrolledStep& step) {
  for (int v = 0; v < spec_.vectors; ++v) tileloadd(weights_tile(v), weights_rows(step, v));
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (!has_pixel(step, g)) continue;
    tileloadd(input_tile(g), input_rows(step, g));
    for (int v = 0; v < spec_.vectors; ++v)
      emit_tile_product(sum_tile(g, v), input_tile(g), weights_tile(v));
  }
}

void MicrokernelAssembler::emit_tile_product(const Xbyak::Tmm& sum, const Xbyak::Tmm& input,
                                             const Xbyak::Tmm& weights) {
  const ProductCode& product = spec_.product;
  if (product.arithmetic == Arithmetic::tile_bf16) return tdpbf16ps(sum, input, weights);
  if (product.unsigned_input)
    return product.unsigned_weights ? tdpbuud(sum, input, weights) : tdpbusd(sum, input, weights);
  product.unsigned_weights ? tdpbsud(sum, input, weights) : tdpbssd(sum, input, weights);
}

// Stores the sums in the stack frame, or loads the sums from there.
void MicrokernelAssembler::emit_sums(bool to_memory) {
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (int v = 0; v < spec_.vectors; ++v)
      to_memory ? tilestored(sum_rows(g, v), sum_tile(g, v))
                : tileloadd(sum_tile(g, v), sum_rows(g, v));
}

void MicrokernelAssembler::emit_sums_from_output(bool tail) {
  for (int p = 0; p < pixels(); ++p)
    for (int v = 0; v < spec_.vectors; ++v) {
      const Xbyak::Xmm sums = accumulator(p, v);
      is_masked(tail, v) ? masked_load(sums, weight(0), output_address(p, v))
                         : vmovups(sums, output_address(p, v));
      vmovups(sum_row(p, v), sums);
    }
  emit_sums(false);
}

void MicrokernelAssembler::emit_batch_load(PixelRange range) {
  for (int p = range.first; p < range.end(); ++p)
    for (int v = 0; v < spec_.vectors; ++v) vmovups(accumulator(p, v), sum_row(p, v));
}

// Palette 1 has 8 tiles of up to 16 rows of 64 bytes. Sizes of unused tiles are 0.
void MicrokernelAssembler::emit_tile_config() {
  constexpr int kPalette = 1, kReserved = 14, kNames = 16;
  std::uint8_t rows[kNames] = {};
  std::uint16_t bytes[kNames] = {};
  const auto set = [&](const Xbyak::Tmm& tile, int count, int width) {
    rows[tile.getIdx()] = static_cast<std::uint8_t>(count);
    bytes[tile.getIdx()] = static_cast<std::uint16_t>(width);
  };
  for (int v = 0; v < spec_.vectors; ++v)
    set(weights_tile(v), spec_.product.strip_bytes / kGroupBytes, kTileRowBytes);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    set(input_tile(g), groups_[g].count, spec_.product.strip_bytes);
    for (int v = 0; v < spec_.vectors; ++v) set(sum_tile(g, v), groups_[g].count, kTileRowBytes);
  }
  align(kLineBytes);
  L(config_);
  db(kPalette);
  for (int i = 0; i <= kReserved; ++i) db(0);
  for (const std::uint16_t width : bytes) dw(width);
  for (const std::uint8_t count : rows) db(count);
}

}  // namespace tileplan
