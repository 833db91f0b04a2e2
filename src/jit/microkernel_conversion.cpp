// SPDX-License-Identifier: Apache-2.0
// This file converts finished sums to the output. Four vectors of 64 bytes are narrowed to bytes
// together, because narrowing one vector at a time takes twice as many operations.
#include <algorithm>
#include <cstddef>

#include "microkernel_assembler.h"

namespace tileplan {

class ConversionAssembler {
 public:
  ConversionAssembler(MicrokernelAssembler& code, bool tail)
      : code_(code), spec_(code.spec_), converted_(*code.spec_.output.converted), tail_(tail) {}

  void emit() {
    code_.emit_converted_address(to_);
    code_.mov(numbers_, code_.field(offsetof(TileGrid, conversion)));
    if (converted_.channel_scales) {
      code_.mov(scales_, code_.field(offsetof(TileGrid, bias)));
      code_.add(scales_, code_.ptr[numbers_ + offsetof(StoreConversion, scales)]);
    }
    const int sums = code_.pixels() * spec_.vectors;
    for (int i = 0; i < sums;) {
      const int end = i + pack_size(i, sums);
      for (const bool packed = end > i + 1; i < end; ++i) finish(i, packed);
    }
    if (is_packed()) load_order();
    for (int i = 0; i < sums;) i += store(i, sums);
  }

  /// Emits the indices with which a permutation restores the order of four packed vectors. Pack
  /// instructions interleave parts of these vectors.
  static void emit_order(MicrokernelAssembler& code) {
    constexpr int kParts = 4;
    code.align(static_cast<std::size_t>(kWidest));
    code.L(code.packed_);
    for (int vector = 0; vector < kParts; ++vector)
      for (int part = 0; part < kParts; ++part)
        code.dd(static_cast<std::uint32_t>(part * kParts + vector));
  }

 private:
  static constexpr int kWidest = 64, kPacked = 4;

  bool is_bytes() const { return bytes_of(converted_.type) == 1; }
  bool is_half() const { return bytes_of(converted_.type) == 2; }
  bool is_packed() const { return is_bytes() && code_.vector_bytes() == kWidest; }
  int pixel(int i) const { return i / spec_.vectors; }
  int vector(int i) const { return i % spec_.vectors; }
  bool is_masked(int i) const { return code_.is_masked(tail_, vector(i)); }
  Xbyak::Xmm sum(int i) const { return code_.accumulator(pixel(i), vector(i)); }
  Xbyak::Address number(std::size_t offset) const { return code_.ptr_b[numbers_ + offset]; }
  Xbyak::Address target(int i) const {
    return code_.ptr[to_ + (code_.output_offset(pixel(i), vector(i)) >> code_.narrowing())];
  }
  /// Returns the number of sums from `i` on that are packed together, or 1.
  int pack_size(int i, int sums) const {
    if (!is_packed() || i + kPacked > sums) return 1;
    for (int j = i; j < i + kPacked; ++j)
      if (is_masked(j)) return 1;
    return kPacked;
  }

  // Lanes beyond a tail are computed but never stored, and their scales are not read. Pack
  // instructions saturate, so packed sums need no clamp to the least number of the type.
  void finish(int i, bool packed) {
    if (is_half()) return clamp_half(i);
    const Xbyak::Xmm value = sum(i);
    code_.vcvtdq2ps(value, value);
    if (converted_.channel_scales) {
      const int offset = vector(i) * code_.vector_bytes();
      const Xbyak::Address scales = code_.ptr[scales_ + static_cast<std::size_t>(offset)];
      is_masked(i) ? code_.vmulps(value | code_.k1, value, scales)
                   : code_.vmulps(value, value, scales);
    } else if (converted_.tensor_scale) {
      code_.vmulps(value, value, number(offsetof(StoreConversion, scale)));
    }
    if (converted_.clamps_low || (is_bytes() && !packed))
      code_.vmaxps(value, value, number(offsetof(StoreConversion, low)));
    if (converted_.clamps_high) code_.vminps(value, value, number(offsetof(StoreConversion, high)));
    if (!is_bytes()) return;
    code_.vcvtps2dq(value, value);
    if (converted_.adds_zero_point)
      code_.vpaddd(value, value, number(offsetof(StoreConversion, zero_point)));
  }

  // The last operand is the value, because max and min return their last operand for a NaN.
  void clamp_half(int i) {
    const Xbyak::Xmm value = sum(i), limit = code_.scratch();
    if (converted_.clamps_low) {
      code_.vbroadcastss(limit, code_.ptr[numbers_ + offsetof(StoreConversion, low)]);
      code_.vmaxps(value, limit, value);
    }
    if (converted_.clamps_high) {
      code_.vbroadcastss(limit, code_.ptr[numbers_ + offsetof(StoreConversion, high)]);
      code_.vminps(value, limit, value);
    }
  }

  /// Stores sum `i` in elements of half the size, rounded to nearest even.
  void store_half(int i) {
    const Xbyak::Address to = is_masked(i) ? target(i) | code_.k1 : target(i);
    if (converted_.type == ElementType::f16) return code_.vcvtps2ph(to, sum(i), 0);
    const int at = sum(i).getIdx();
    const Xbyak::Xmm half =
        code_.vector_bytes() == kWidest ? Xbyak::Xmm(Xbyak::Ymm(at)) : Xbyak::Xmm(at);
    code_.vcvtneps2bf16(half, sum(i));
    code_.vmovdqu16(to, half);
  }

  Xbyak::Zmm order() const { return Xbyak::Zmm(code_.scratch().getIdx()); }
  void load_order() { code_.vmovups(order(), code_.ptr[code_.rip + code_.packed_]); }

  /// Stores sum `i`, or several sums from `i` on that are packed together. Returns how many were
  /// stored.
  int store(int i, int sums) {
    const int count = pack_size(i, sums);
    if (count > 1) {
      store_packed(i);
    } else if (is_half()) {
      store_half(i);
    } else if (is_bytes()) {
      is_masked(i) ? code_.vpmovdb(target(i) | code_.k1, sum(i)) : code_.vpmovdb(target(i), sum(i));
    } else {
      is_masked(i) ? code_.vmovups(target(i) | code_.k1, sum(i)) : code_.vmovups(target(i), sum(i));
    }
    return count;
  }

  void store_packed(int i) {
    const Xbyak::Xmm first = sum(i), third = sum(i + 2);
    code_.vpackssdw(first, first, sum(i + 1));
    code_.vpackssdw(third, third, sum(i + 3));
    converted_.type == ElementType::u8 ? code_.vpackuswb(first, first, third)
                                       : code_.vpacksswb(first, first, third);
    const Xbyak::Zmm all(first.getIdx());
    code_.vpermd(all, order(), all);
    code_.vmovdqu32(target(i), Xbyak::Xmm(first.getIdx()));
    for (int j = 1; j < kPacked; ++j)
      code_.vextracti32x4(target(i + j), all, static_cast<std::uint8_t>(j));
  }

  MicrokernelAssembler& code_;
  const MicrokernelSpec& spec_;
  const ConvertedOutput& converted_;
  const bool tail_;
  const Xbyak::Reg64 scales_ = code_.input_now_, to_ = code_.weights_now_, numbers_ = code_.steps_;
};

int MicrokernelAssembler::narrowing() const {
  if (!spec_.output.converted) return 0;
  const std::int64_t bytes = bytes_of(spec_.output.converted->type);
  return bytes == 1 ? 2 : bytes == 2 ? 1 : 0;
}

void MicrokernelAssembler::emit_converted_address(const Xbyak::Reg64& to) {
  mov(to, output_);
  sub(to, field(offsetof(TileGrid, sums)));
  sar(to, narrowing());
  add(to, field(offsetof(TileGrid, converted)));
}

void MicrokernelAssembler::emit_conversion(bool tail) { ConversionAssembler(*this, tail).emit(); }

void MicrokernelAssembler::emit_packed_order() { ConversionAssembler::emit_order(*this); }

}  // namespace tileplan
