// SPDX-License-Identifier: Apache-2.0
// This file assembles the loop that measures how fast AMX multiplies tiles.
#pragma once

#include <xbyak/xbyak.h>

#include <cstdint>

#include "executable.h"
#include "throughput.h"

namespace tileplan {

/// Multiplies whole tiles of zeros in a loop without memory accesses. Requires a CPU with AMX, and
/// that has_tile_permission() returned true.
class AmxLoop : public Xbyak::CodeGenerator {
 public:
  explicit AmxLoop(Arithmetic arithmetic)
      : Xbyak::CodeGenerator(kCodeBytes, Xbyak::DontSetProtectRWE) {
    Xbyak::Label step, config;
    const Xbyak::Tmm input(kSums), weights(kSums + 1);
    ldtilecfg(ptr[rip + config]);
    for (int i = 0; i < kTileRegisters; ++i) tilezero(Xbyak::Tmm(i));
    L(step);
    for (int i = 0; i < kSums; ++i)
      arithmetic == Arithmetic::tile_bf16 ? tdpbf16ps(Xbyak::Tmm(i), input, weights)
                                          : tdpbusd(Xbyak::Tmm(i), input, weights);
    dec(rdi);
    jnz(step, T_NEAR);
    tilerelease();
    ret();
    emit_config(config);
    make_executable(*this);
  }

  /// Runs the loop for `steps` steps, rounded down to whole iterations. An iteration is kTileRows
  /// steps, one for each row of a tile. Requires at least kTileRows steps.
  void run(std::int64_t steps) const { getCode<void (*)(std::int64_t)>()(steps / kTileRows); }
  /// Returns the operations of one step: two for each sum in one row of every tile of sums. Callers
  /// multiply them by the number of products that an AMX instruction adds to a sum.
  double flop_per_step() const { return 2.0 * kSums * kTileRows; }

 private:
  static constexpr std::size_t kCodeBytes = 4096;
  static constexpr int kSums = kTileRegisters - 2;

  // Emits the operand of ldtilecfg. Its header of 16 bytes begins with the number of the palette.
  // After the header come 16 widths in bytes and 16 heights in rows. Palette 1 has 8 tiles, so the
  // other entries are 0.
  void emit_config(Xbyak::Label& config) {
    constexpr int kHeader = 16, kNames = 16, kRowBytes = 64;
    L(config);
    for (int i = 0; i < kHeader; ++i) db(i == 0 ? 1 : 0);
    for (int i = 0; i < kNames; ++i) dw(i < kTileRegisters ? kRowBytes : 0);
    for (int i = 0; i < kNames; ++i) db(i < kTileRegisters ? kTileRows : 0);
  }
};

}  // namespace tileplan
