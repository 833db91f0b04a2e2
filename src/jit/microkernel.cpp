// SPDX-License-Identifier: Apache-2.0
// Assembles code into executable memory for the instruction sets that have an assembler.
#include "microkernel.h"

#include "microkernel_assembler.h"
#include "tileplan/error.h"

namespace tileplan {

bool host_has(Isa isa) {
  if (isa == Isa::avx512)
    return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0;
  if (isa == Isa::avx512vl) return host_has(Isa::avx512) && __builtin_cpu_supports("avx512vl") != 0;
  if (isa == Isa::avx2)
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return false;
}

int vector_bytes_of(Isa isa) {
  if (isa == Isa::avx512) return 64;
  if (isa == Isa::avx512vl || isa == Isa::avx2) return 32;
  throw Error("isa: " + to_string(isa) + " has no assembler; avx512, avx512vl and avx2 have one");
}

int lanes_of(Isa isa, ElementType type) {
  return vector_bytes_of(isa) / static_cast<int>(bytes_of(type));
}

int registers_of(Isa isa) {
  constexpr int kAvx512Registers = 32, kAvx2Registers = 16;
  return isa == Isa::avx2 ? kAvx2Registers : kAvx512Registers;
}

Microkernel::Microkernel(const MicrokernelSpec& spec)
    : assembler_(std::make_shared<const MicrokernelAssembler>(spec)) {}

KernelFunction Microkernel::function() const { return assembler_->getCode<KernelFunction>(); }

const void* Microkernel::body(PixelSet pixels) const { return assembler_->body(pixels); }

const void* Microkernel::unrolled(std::size_t number) const { return assembler_->unrolled(number); }

}  // namespace tileplan
