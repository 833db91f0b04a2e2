// SPDX-License-Identifier: Apache-2.0
// This file assembles the beginning and the end of a tile: accumulators, masks, the epilogue and
// stores.
#include <algorithm>
#include <bit>
#include <cstddef>

#include "element.h"
#include "microkernel_assembler.h"
#include "partial_store.h"

namespace tileplan {
namespace {

/// Returns true when the epilogue changes complete sums by more than the factors alpha and beta.
bool changes_sums(const Epilogue& epilogue) {
  return epilogue != Epilogue{.alpha = epilogue.alpha, .beta = epilogue.beta};
}

}  // namespace

void MicrokernelAssembler::emit_broadcast(const Xbyak::Xmm& to, const Xbyak::Address& from) {
  if (!is_double()) return vbroadcastss(to, from);
  spec_.isa == Isa::avx512 ? vbroadcastsd(Xbyak::Zmm(to.getIdx()), from)
                           : vbroadcastsd(Xbyak::Ymm(to.getIdx()), from);
}

// Loads the lanes that the mask selects (k1 on AVX-512, `mask` on AVX2) and zeroes all other lanes.
void MicrokernelAssembler::masked_load(const Xbyak::Xmm& to, const Xbyak::Xmm& mask,
                                       const Xbyak::Address& from) {
  const Xbyak::Xmm zeroed = to | k1 | T_z;
  if (has_masks()) return is_double() ? vmovupd(zeroed, from) : vmovups(zeroed, from);
  is_double() ? vmaskmovpd(to, mask, from) : vmaskmovps(to, mask, from);
}

// Stores the lanes of the tail. Without mask registers, `from` may be overwritten.
void MicrokernelAssembler::store_tail(const Xbyak::Address& to, const Xbyak::Xmm& from) {
  if (has_masks()) return is_double() ? vmovupd(to | k1, from) : vmovups(to | k1, from);
  const int words = static_cast<int>(bytes_of(spec_.type)) / 4;
  store_words(*this, to.getRegExp(), from, from, spec_.output.tail_lanes * words);
}

void MicrokernelAssembler::emit_tail_zeros(const Xbyak::Xmm& sum) {
  if (!has_masks()) return vandps(sum, sum, weight(0));
  is_double() ? vmovapd(sum | k1 | T_z, sum) : vmovaps(sum | k1 | T_z, sum);
}

void MicrokernelAssembler::emit_add(const Xbyak::Xmm& sum, const Xbyak::Xmm& a,
                                    const Xbyak::Operand& b) {
  if (is_integer()) return vpaddd(sum, a, b);
  is_double() ? vaddpd(sum, a, b) : vaddps(sum, a, b);
}

void MicrokernelAssembler::emit_least(const Xbyak::Xmm& sum, const Xbyak::Xmm& limit) {
  if (is_integer()) return vpminsd(sum, limit, sum);
  is_double() ? vminpd(sum, limit, sum) : vminps(sum, limit, sum);
}

void MicrokernelAssembler::emit_largest(const Xbyak::Xmm& sum, const Xbyak::Xmm& limit) {
  if (is_integer()) return vpmaxsd(sum, limit, sum);
  is_double() ? vmaxpd(sum, limit, sum) : vmaxps(sum, limit, sum);
}

void MicrokernelAssembler::emit_entry() {
  mov(input_, field(offsetof(TileGrid, input)));
  mov(weights_, field(offsetof(TileGrid, weights)));
  mov(output_, field(offsetof(TileGrid, output)));
  add(input_, static_cast<int>(bias_));
  if (has_tiles()) emit_tile_entry();
  if (spec_.prefetch.next_tile_lines > 0) mov(ptr[rsp + kRedZone], next_tile_);
  emit_row();
  L(tile_);
  mov(runs_, field(offsetof(TileGrid, runs)));
  mov(count_, field(offsetof(TileGrid, count)));
  if (spec_.prefetch.next_tile_lines > 0) mov(next_tile_, field(offsetof(TileGrid, next_tile)));
  if (!scales_sums(spec_.output.epilogue)) jump_if(kAccumulate, load_);
  if (has_tiles()) emit_tile_zeros();
  for (int i = 0; !has_tiles() && i < pixels() * spec_.vectors; ++i) {
    const Xbyak::Xmm low(i);
    i < 16 ? vxorps(low, low, low) : vpxord(vreg(i), vreg(i), vreg(i));
  }
  L(start_);
  if (read_lanes() > 0) emit_read_mask();
  test(count_, count_);
  jz(store_, T_NEAR);
}

// Loads the accumulators from the output, which holds the sums of earlier reduction steps, or
// numbers to which the sums are added.
void MicrokernelAssembler::emit_resume() {
  Xbyak::Label tail;
  L(load_);
  if (spec_.output.tail_lanes > 0) jump_if(kTail, tail);
  emit_tile_load(false);
  jmp(start_, T_NEAR);
  if (spec_.output.tail_lanes == 0) return;
  L(tail);
  emit_mask(spec_.output.tail_lanes, weight(0));
  emit_tile_load(true);
  jmp(start_, T_NEAR);
}

void MicrokernelAssembler::jump_if(std::int64_t flag, const Xbyak::Label& to) {
  test(dword[grid_ + offsetof(TileGrid, flags)], static_cast<std::uint32_t>(flag));
  jnz(to, T_NEAR);
}

void MicrokernelAssembler::emit_tile_load(bool tail) {
  if (has_tiles()) return emit_sums_from_output(tail);
  for (int p = 0; p < pixels(); ++p)
    for (int v = 0; v < spec_.vectors; ++v)
      is_masked(tail, v) ? masked_load(accumulator(p, v), weight(0), output_address(p, v))
                         : vmovups(accumulator(p, v), output_address(p, v));
}

void MicrokernelAssembler::emit_read_mask() {
  Xbyak::Label tail, done;
  jump_if(kTail, tail);
  emit_mask(lanes(), narrow_mask());
  jmp(done, T_NEAR);
  L(tail);
  emit_mask(read_lanes(), narrow_mask());
  L(done);
  if (has_stored_mask()) vmovups(ptr[rsp + kStoredMask], narrow_mask());
}

// Without mask registers, stores do not read a mask.
bool MicrokernelAssembler::needs_tail_mask() const {
  const Epilogue& epilogue = spec_.output.epilogue;
  return has_masks() || spec_.output.tail_zeroed || scales_sums(epilogue) || epilogue.bias ||
         epilogue.add || spec_.output.converted;
}

void MicrokernelAssembler::emit_mask(int set, const Xbyak::Xmm& narrow) {
  if (has_masks()) {
    mov(eax, (1 << set) - 1);
    kmovw(k1, eax);
    return;
  }
  Xbyak::Label table, after;
  jmp(after);
  align(32);
  L(table);
  const int words = static_cast<int>(bytes_of(spec_.type)) / 4;
  for (int i = 0; i < lanes() * words; ++i) dd(i < set * words ? ~0U : 0U);
  L(after);
  vmovups(narrow, ptr[rip + table]);
}

void MicrokernelAssembler::emit_end(bool tail) {
  for (int first = 0; first < pixels(); first += batch())
    emit_batch_end({first, std::min(batch(), pixels() - first)}, tail);
  emit_next_tile();
}

void MicrokernelAssembler::emit_batch_end(PixelRange range, bool tail) {
  const Epilogue& epilogue = spec_.output.epilogue;
  const bool converts = spec_.output.converted.has_value();
  Xbyak::Label partial, stored;
  if (has_tiles()) emit_batch_load(range);
  if (scales_sums(epilogue)) emit_scaled_sums(range, tail);
  if (changes_sums(epilogue) || converts) {
    test(dword[grid_ + offsetof(TileGrid, flags)], static_cast<std::uint32_t>(kApplyEpilogue));
    jz(partial, T_NEAR);
    emit_epilogue(range, tail);
    if (converts) {
      emit_conversion(tail);
      jmp(stored, T_NEAR);
    }
    L(partial);
  }
  for_each_sum(range, tail, [&](int p, int v, bool masked) { emit_store(p, v, masked); });
  L(stored);
}

// A vector in memory holds each factor in all lanes, so that no vector register is needed for the
// factor.
void MicrokernelAssembler::emit_scaled_sums(PixelRange range, bool tail) {
  const Epilogue& epilogue = spec_.output.epilogue;
  mov(steps_, field(offsetof(TileGrid, factors)));
  if (epilogue.alpha != 1)
    for_each_sum(range, tail, [&](int p, int v, bool) { emit_product(accumulator(p, v), 0); });
  Xbyak::Label scaled, done;
  if (scales_output(epilogue)) {
    test(dword[grid_ + offsetof(TileGrid, flags)], static_cast<std::uint32_t>(kScaleOutput));
    jnz(scaled, T_NEAR);
  }
  test(dword[grid_ + offsetof(TileGrid, flags)], static_cast<std::uint32_t>(kAccumulate));
  jz(done, T_NEAR);
  for_each_sum(range, tail, [&](int p, int v, bool masked) {
    emit_addition(p, v, output_address(p, v), masked);
  });
  if (scales_output(epilogue)) {
    jmp(done, T_NEAR);
    L(scaled);
    for_each_sum(range, tail, [&](int p, int v, bool masked) {
      const Xbyak::Address from = output_address(p, v);
      masked ? masked_load(scratch(), weight(0), from) : vmovups(scratch(), from);
      emit_product(scratch(), vector_bytes());
      emit_add(accumulator(p, v), accumulator(p, v), scratch());
    });
  }
  L(done);
}

void MicrokernelAssembler::emit_product(const Xbyak::Xmm& sum, int factor) {
  is_double() ? vmulpd(sum, sum, ptr[steps_ + factor]) : vmulps(sum, sum, ptr[steps_ + factor]);
}

void MicrokernelAssembler::emit_row() {
  mov(steps_, field(offsetof(TileGrid, tiles)));
  mov(field(offsetof(TileGrid, left)), steps_);
}

// The kernel itself loops over tiles, so that out-of-order cores overlap the work of two tiles.
void MicrokernelAssembler::emit_next_tile() {
  Xbyak::Label next_row, done;
  dec(field(offsetof(TileGrid, left)));
  jz(next_row, T_NEAR);
  emit_move(offsetof(TileGrid, step));
  jmp(tile_, T_NEAR);
  L(next_row);
  dec(field(offsetof(TileGrid, rows)));
  jz(done, T_NEAR);
  emit_move(offsetof(TileGrid, row_step));
  emit_row();
  jmp(tile_, T_NEAR);
  L(done);
  vzeroupper();
  if (spec_.prefetch.next_tile_lines > 0) mov(next_tile_, ptr[rsp + kRedZone]);
  if (has_tiles()) emit_tile_exit();
  ret();
}

// Advances the pointers that the kernel uses by the TileStride at byte offset `steps` of the grid.
void MicrokernelAssembler::emit_move(std::size_t steps) {
  add(input_, field(steps + offsetof(TileStride, input)));
  add(weights_, field(steps + offsetof(TileStride, weights)));
  add(output_, field(steps + offsetof(TileStride, output)));
  if (spec_.output.epilogue.bias) {
    mov(steps_, field(steps + offsetof(TileStride, bias)));
    add(field(offsetof(TileGrid, bias)), steps_);
  }
  if (spec_.prefetch.next_tile_lines > 0) {
    mov(steps_, field(steps + offsetof(TileStride, next_tile)));
    add(field(offsetof(TileGrid, next_tile)), steps_);
  }
}

void MicrokernelAssembler::emit_epilogue(PixelRange range, bool tail) {
  const Xbyak::Reg64 bias = input_now_, residual = weights_now_;
  if (spec_.output.epilogue.bias) mov(bias, field(offsetof(TileGrid, bias)));
  if (spec_.output.epilogue.add) {
    mov(residual, field(offsetof(TileGrid, residual)));
    add(residual, output_);
  }
  for (int p = range.first; p < range.end(); ++p)
    for (int v = 0; v < spec_.vectors; ++v) {
      if (spec_.output.epilogue.bias) emit_bias(p, v, bias, is_masked(tail, v));
      if (spec_.output.epilogue.add)
        emit_addition(p, v, ptr[residual + output_offset(p, v)], is_masked(tail, v));
    }
  emit_activation(range);
  emit_clamp(range);
}

// At the end of a tile, vector registers are free except those of the sums and the mask. With AMX,
// registers_of() counts tile registers, so `free` may be empty.
void MicrokernelAssembler::emit_activation(PixelRange range) {
  std::vector<int> free;
  for (int i = batch() * spec_.vectors + (has_masks() ? 0 : 1); i < registers_of(spec_.isa); ++i)
    free.push_back(i);
  for (int i = 0; i < range.count * spec_.vectors; ++i) activation_.apply(vreg(i), free);
}

// A broadcast bias is added to all lanes, because stores mask or zero the lanes beyond a tail.
void MicrokernelAssembler::emit_bias(int pixel, int v, const Xbyak::Reg64& bias, bool masked) {
  const int channels = v * vector_bytes();
  if (spec_.broadcasts.bias.empty()) return emit_addition(pixel, v, ptr[bias + channels], masked);
  const Xbyak::Xmm sum = accumulator(pixel, v);
  const std::int64_t offset = spec_.broadcasts.bias[static_cast<std::size_t>(pixel)];
  emit_broadcast(scratch(), ptr[bias + static_cast<int>(offset)]);
  emit_add(sum, sum, scratch());
}

void MicrokernelAssembler::emit_addition(int pixel, int v, const Xbyak::Address& addend,
                                         bool masked) {
  const Xbyak::Xmm sum = accumulator(pixel, v);
  if (!masked) {
    emit_add(sum, sum, addend);
  } else if (has_masks()) {
    emit_add(sum | k1, sum, addend);
  } else {
    masked_load(scratch(), weight(0), addend);
    emit_add(sum, sum, scratch());
  }
}

// The second source operand is the sum, because max and min return that operand for a NaN.
void MicrokernelAssembler::emit_clamp(PixelRange range) {
  const int sums = range.count * spec_.vectors;
  if (has_low()) {
    emit_broadcast(scratch(), ptr[rip + low_]);
    for (int i = 0; i < sums; ++i) emit_largest(vreg(i), scratch());
  }
  if (has_high()) {
    emit_broadcast(scratch(), ptr[rip + high_]);
    for (int i = 0; i < sums; ++i) emit_least(vreg(i), scratch());
  }
}

void MicrokernelAssembler::emit_limits() {
  const auto constant = [&](Xbyak::Label& label, double value) {
    L(label);
    if (is_double()) return dq(std::bit_cast<std::uint64_t>(value));
    if (is_integer()) return dd(static_cast<std::uint32_t>(nearest<std::int32_t>(value)));
    dd(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  };
  align(static_cast<std::size_t>(bytes_of(spec_.type)));
  if (has_low()) constant(low_, spec_.output.epilogue.low);
  if (has_high()) constant(high_, spec_.output.epilogue.high);
  activation_.emit_constants();
  if (has_tiles()) emit_tile_config();
  if (spec_.product.single) emit_strip_order();
  if (spec_.output.converted) emit_packed_order();
  if (spec_.product.flip == 0) return;
  L(flip_);
  dd(spec_.product.flip);
}

void MicrokernelAssembler::emit_store(int pixel, int v, bool masked) {
  const Xbyak::Xmm sum = accumulator(pixel, v);
  const Xbyak::Address to = output_address(pixel, v);
  if (masked && !spec_.output.tail_zeroed) return store_tail(to, sum);
  if (masked) emit_tail_zeros(sum);
  spec_.output.nontemporal ? vmovntps(to, sum) : vmovups(to, sum);
}

}  // namespace tileplan
