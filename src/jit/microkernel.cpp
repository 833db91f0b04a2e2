// SPDX-License-Identifier: Apache-2.0
// This file tells which instruction sets this CPU has, how large their registers are and which
// instructions multiply, and owns assembled microkernels.
#include "microkernel.h"

#include "host_cpu.h"
#include "microkernel_assembler.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

const DotProducts& host_tiles() {
  static const DotProducts tiles = read_cpu().tiles;
  return tiles;
}

}  // namespace

bool host_has(Isa isa) {
  if (isa == Isa::amx) return host_has(Isa::avx512) && host_tiles() != DotProducts{};
  if (isa == Isa::avx512)
    return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0;
  if (isa == Isa::avx512vl) return host_has(Isa::avx512) && __builtin_cpu_supports("avx512vl") != 0;
  if (isa == Isa::avx2)
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return false;
}

DotProducts host_dots(Isa isa) {
  if (isa == Isa::avx2 || !host_has(isa)) return {};
  if (isa == Isa::amx) return host_tiles();
  return {.integers = __builtin_cpu_supports("avx512vnni") != 0,
          .bf16 = __builtin_cpu_supports("avx512bf16") != 0};
}

ProductCode product_code(const LoopTypes& types, const DotProducts& dots) {
  constexpr std::uint32_t kHighestBits = 0x80808080;
  const bool tiles = uses_tiles(types.arithmetic);
  return {.arithmetic = types.arithmetic,
          .two_instructions = instructions_of(types.arithmetic, dots) == 2,
          .unsigned_weights = types.unsigned_weights || (tiles && types.weights == ElementType::u8),
          .unsigned_input = types.input == ElementType::u8,
          .strip_bytes = types.strip * static_cast<int>(bytes_of(types.input)),
          .flip = types.flips_input ? kHighestBits : 0,
          .counts_padding = types.flips_input};
}

int vector_bytes_of(Isa isa) {
  if (isa == Isa::avx512 || isa == Isa::amx) return 64;
  if (isa == Isa::avx512vl || isa == Isa::avx2) return 32;
  throw Error("isa: " + to_string(isa) +
              " has no assembler; avx512, avx512vl, amx and avx2 have one");
}

int lanes_of(Isa isa, ElementType type) {
  return vector_bytes_of(isa) / static_cast<int>(bytes_of(type));
}

int registers_of(Isa isa) {
  constexpr int kAvx512Registers = 32, kAvx2Registers = 16;
  if (isa == Isa::amx) return kTileRegisters;
  return isa == Isa::avx2 ? kAvx2Registers : kAvx512Registers;
}

Microkernel::Microkernel(const MicrokernelSpec& spec)
    : assembler_(std::make_shared<const MicrokernelAssembler>(spec)) {}

KernelFunction Microkernel::function() const { return assembler_->getCode<KernelFunction>(); }

const void* Microkernel::body(PixelSet pixels) const { return assembler_->body(pixels); }

const void* Microkernel::unrolled(std::size_t number) const { return assembler_->unrolled(number); }

std::size_t Microkernel::code_bytes() const { return assembler_->getSize(); }

}  // namespace tileplan
