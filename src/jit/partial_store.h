// SPDX-License-Identifier: Apache-2.0
// This file stores a part of a register where the instruction set has no mask registers.
#pragma once

#include <xbyak/xbyak.h>

namespace tileplan {

/// Appends to `code` stores of the first `words` words of 4 bytes of `value`, a register of 256
/// bits, to the address `to`. `upper` is overwritten if `words` exceeds 4, and may be the register
/// of `value`. Zen 3 takes about 11 cycles for one vmaskmovps into memory, so at most three plain
/// stores take its place on all CPUs. Requires 0 < words < 8.
inline void store_words(Xbyak::CodeGenerator& code, const Xbyak::RegExp& to,
                        const Xbyak::Xmm& value, const Xbyak::Xmm& upper, int words) {
  Xbyak::Xmm half(value.getIdx());
  int offset = 0;
  if (words >= 4) {
    code.vmovups(code.ptr[to], half);
    if (words == 4) return;
    half = Xbyak::Xmm(upper.getIdx());
    code.vextractf128(half, Xbyak::Ymm(value.getIdx()), 1);
    offset = 16;
    words -= 4;
  }
  if (words == 1) return code.vmovss(code.ptr[to + offset], half);
  code.vmovlps(code.ptr[to + offset], half);
  if (words == 3) code.vextractps(code.ptr[to + (offset + 8)], half, 2);
}

}  // namespace tileplan
