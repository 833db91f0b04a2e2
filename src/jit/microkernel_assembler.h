// SPDX-License-Identifier: Apache-2.0
// Vector registers hold sums (the vectors of a pixel are neighbours), weights, a broadcast or input
// vector, and perhaps masks (AVX2) and products, in this order, except in microkernel_taps.cpp.
#pragma once

#include <xbyak/xbyak.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "activation_code.h"
#include "microkernel_spec.h"
#include "microkernel_tiles.h"
#include "scaled_sums.h"
#include "throughput.h"

namespace tileplan {

class MicrokernelAssembler : public Xbyak::CodeGenerator {
 public:
  explicit MicrokernelAssembler(const MicrokernelSpec& spec);

  const void* body(PixelSet pixels) const;
  const void* unrolled(std::size_t number) const { return unrolled_[number]; }

 private:
  friend class TapAssembler;
  friend class ConversionAssembler;
  static constexpr int kLineBytes = 64, kTileRowBytes = 64;
  // Leaf code may use 128 bytes below rsp without a frame. A register and a mask are kept there.
  static constexpr int kRedZone = -8, kStoredMask = -64;
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();

  /// Returns true when instructions accept masks and broadcast operands (AVX-512).
  bool has_masks() const { return tileplan::has_masks(spec_.isa); }
  int pixels() const { return static_cast<int>(spec_.input_offsets.size()); }
  Xbyak::Xmm vreg(int i) const {
    if (vector_bytes() == 64) return Xbyak::Zmm(i);
    return Xbyak::Ymm(i);
  }
  /// With AMX, tile registers hold the sums, and at the end vectors hold those of batch() pixels.
  Xbyak::Xmm accumulator(int pixel, int v) const {
    return vreg(pixel % batch() * spec_.vectors + v);
  }
  Xbyak::Xmm weight(int v) const { return vreg(batch() * spec_.vectors + v); }
  Xbyak::Xmm broadcast() const { return weight(weights()); }
  Xbyak::Xmm narrow_mask() const { return weight(weights() + (has_pixel_vectors() ? 1 : 0)); }
  bool has_pixel_vectors() const { return !spec_.broadcasts.weights.empty(); }
  /// Returns the number of channels of a tile. Requires: vectors hold pixels.
  int channels() const;
  int weights() const { return has_pixel_vectors() ? channels() : spec_.vectors; }
  int vector_bytes() const { return vector_bytes_of(spec_.isa); }
  int lanes() const { return lanes_of(spec_.isa, spec_.type); }
  bool is_double() const { return spec_.type == ElementType::f64; }
  int row_bytes() const;
  int row_stride() const;
  int channel_stride() const;
  /// Returns how many lanes of the last, partly filled operand vector may be read, or 0 for all.
  int read_lanes() const;
  /// Returns true when the mask of weights lies in memory, because AVX2 has no register for it.
  bool has_stored_mask() const;
  /// Returns the register for a product that a second instruction adds to the sums.
  Xbyak::Xmm product() const;
  bool has_tiles() const { return uses_tiles(spec_.product.arithmetic); }
  /// Returns the number of pixels whose sums are in vector registers at the same time.
  int batch() const;
  bool is_integer() const { return tileplan::is_integer(spec_.type); }
  bool is_bytes() const { return spec_.product.arithmetic == Arithmetic::dot_bytes; }

  /// Adds the products of weights and input. The input may be in memory unless it has bytes.
  void multiply_add(const Xbyak::Xmm& sum, const Xbyak::Xmm& weights, const Xbyak::Operand& input);
  void add_product(const Xbyak::Xmm& sum, const Xbyak::Xmm& weights, const Xbyak::Operand& input);
  /// Inverts the bits ProductCode::flip of the strips in the register broadcast().
  void emit_flip();
  /// Adds the products of weights and padding to the sums of a pixel if padding counts.
  void emit_padding(int pixel);
  // These functions choose between the instructions for each type of sums.
  void emit_broadcast(const Xbyak::Xmm& to, const Xbyak::Address& from);
  void masked_load(const Xbyak::Xmm& to, const Xbyak::Xmm& mask, const Xbyak::Address& from);
  void store_tail(const Xbyak::Address& to, const Xbyak::Xmm& from);
  void emit_tail_zeros(const Xbyak::Xmm& sum);
  void emit_add(const Xbyak::Xmm& sum, const Xbyak::Xmm& a, const Xbyak::Operand& b);
  void emit_least(const Xbyak::Xmm& sum, const Xbyak::Xmm& limit);
  void emit_largest(const Xbyak::Xmm& sum, const Xbyak::Xmm& limit);

  // Tiles of AMX hold the sums and the operands (microkernel_tile_steps.cpp).
  void emit_tile_entry();
  void emit_tile_exit();
  void emit_tile_zeros();
  void emit_tile_step(const UnrolledStep& step);
  void emit_streamed_tile_step(const UnrolledStep& step);
  void emit_tile_product(const Xbyak::Tmm& sum, const Xbyak::Tmm& input, const Xbyak::Tmm& weights);
  void emit_sums(bool to_memory);
  void emit_sums_from_output(bool tail);
  void emit_batch_load(PixelRange range);
  void emit_tile_config();
  bool has_pixel(const UnrolledStep& step, std::size_t group) const {
    return (step.pixels >> groups_[group].first & 1U) != 0;
  }
  Xbyak::Tmm sum_tile(std::size_t group, int v) const {
    return Xbyak::Tmm(static_cast<int>(group) * spec_.vectors + v);
  }
  Xbyak::Tmm input_tile(std::size_t group) const;
  Xbyak::Tmm weights_tile(int v) const;
  Xbyak::Address input_rows(const UnrolledStep& step, std::size_t group) const;
  Xbyak::Address weights_rows(const UnrolledStep& step, int v) const;
  /// Returns the address in the frame of the row of sums of `pixel` and `v`.
  Xbyak::Address sum_row(int pixel, int v) const;
  Xbyak::Address sum_rows(std::size_t group, int v) const;
  int sum_offset(std::size_t group, int v) const;
  int tiles_of_sums() const { return static_cast<int>(groups_.size()) * spec_.vectors; }
  bool streams() const { return streams_input(static_cast<int>(groups_.size()), spec_.vectors); }

  void emit();
  void emit_end(bool tail);
  void emit_batch_end(PixelRange range, bool tail);
  void emit_next_tile();
  void emit_row();
  void emit_move(std::size_t steps);
  void emit_limits();
  void emit_entry();
  void emit_resume();
  void emit_dispatch();
  void emit_body(PixelSet set);
  void emit_unrolled(const std::vector<UnrolledStep>& steps);
  void emit_output_prefetch(std::size_t at, std::size_t steps);
  void emit_next_run();
  void emit_step(const UnrolledStep& step);
  void emit_next_tile_prefetch(int step);
  void emit_broadcast_step(const UnrolledStep& step);
  void emit_vector_step(const UnrolledStep& step);
  void emit_vector_products(const UnrolledStep& step, int pixel);
  void emit_taps(const std::vector<UnrolledStep>& steps);
  void emit_strip_order();
  void emit_conversion(bool tail);
  void emit_converted_address(const Xbyak::Reg64& to);
  void emit_packed_order();
  /// Returns log2(bytes of a sum / bytes of a converted output), or 0 without a conversion.
  int narrowing() const;
  void emit_pixel_vector_step(const UnrolledStep& step);
  void emit_place_padding(int pixel);
  void emit_pixel_vector(const UnrolledStep& step, int pixel, int v);
  Xbyak::Xmm weight_of(int pixel) const {
    return weight(static_cast<int>(spec_.broadcasts.weights[static_cast<std::size_t>(pixel)] /
                                   bytes_of(spec_.type)));
  }
  int end_of_place(int pixel) const;
  void emit_read_mask();
  void emit_weights(const UnrolledStep& step, int v);
  void emit_weights_prefetch(const UnrolledStep& step);
  void emit_tile_load(bool tail);
  void emit_store(int pixel, int v, bool masked);
  bool needs_tail_mask() const;  ///< Returns true when the end of a tail may read the mask.
  /// Sets the first `set` lanes of the mask. The mask is k1, or the register `narrow` on AVX2.
  void emit_mask(int set, const Xbyak::Xmm& narrow);
  /// Multiplies the sums by alpha. Adds the output, or beta times it, if the call's flags say so.
  void emit_scaled_sums(PixelRange range, bool tail);
  void emit_product(const Xbyak::Xmm& sum, int factor);
  void emit_epilogue(PixelRange range, bool tail);
  void emit_bias(int pixel, int v, const Xbyak::Reg64& bias, bool masked);
  void emit_addition(int pixel, int v, const Xbyak::Address& addend, bool masked);
  void emit_clamp(PixelRange range);
  void emit_activation(PixelRange range);
  /// Calls visit(pixel, v, masked) for each accumulator of the pixels.
  template <class Visit>
  void for_each_sum(PixelRange range, bool tail, const Visit& visit) {
    for (int p = range.first; p < range.end(); ++p)
      for (int v = 0; v < spec_.vectors; ++v) visit(p, v, is_masked(tail, v));
  }
  bool has_low() const { return spec_.output.epilogue.low > -kNoLimit; }
  bool has_high() const { return spec_.output.epilogue.high < kNoLimit; }
  /// Emits a jump to `to`, which is taken when TileGrid::flags contains `flag`.
  void jump_if(std::int64_t flag, const Xbyak::Label& to);
  Xbyak::Address field(std::size_t offset) const { return qword[grid_ + offset]; }
  /// Returns true for the last vector of a tail, whose lanes beyond tail_lanes are not outputs.
  bool is_masked(bool tail, int v) const { return tail && v == spec_.vectors - 1; }
  /// Returns a register that is free after the reduction runs of a tile and does not hold the mask.
  Xbyak::Xmm scratch() const { return has_masks() ? weight(0) : broadcast(); }
  int output_offset(int pixel, int v) const {  // The offset is in bytes.
    return static_cast<int>(spec_.output_offsets[pixel] + v * spec_.vector_stride);
  }
  Xbyak::Address output_address(int pixel, int v) { return ptr[output_ + output_offset(pixel, v)]; }
  Xbyak::Address weights_address(const UnrolledStep& step, int bytes);
  Xbyak::Address input_address(const UnrolledStep& step, int pixel, int v);

  MicrokernelSpec spec_;
  std::vector<PixelRange> groups_;  ///< With AMX, the pixels of a group are the rows of a tile.
  std::int64_t bias_ = 0;
  std::vector<const void*> bodies_, unrolled_;
  Xbyak::Label tile_, load_, start_, store_, low_, high_, flip_, config_, order_, packed_;
  ActivationCode activation_;
  const Xbyak::Reg64 grid_ = rdi, input_ = r9, weights_ = rsi, output_ = rdx, runs_ = rcx;
  const Xbyak::Reg64 count_ = r8, input_now_ = rax, weights_now_ = r10, steps_ = r11;
  const Xbyak::Reg64 next_tile_ = rbx;  // The register rbx of the caller is saved in the red zone.
  const Xbyak::Reg64 row_stride_ = r12, line_ = r13;  // Code for AMX tiles saves and uses both.
};

}  // namespace tileplan
