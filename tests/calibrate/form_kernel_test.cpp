// SPDX-License-Identifier: Apache-2.0
// Tests the code of kernel forms against the definition of these forms.
#include "form_kernel.h"

#include <doctest/doctest.h>
#include <xbyak/xbyak_util.h>

#include <algorithm>
#include <vector>

#include "buffers.h"
#include "calibrate_kernels.h"
#include "vector_units.h"

using namespace tileplan;

namespace {

bool runs_here(Isa isa) {
  const Xbyak::util::Cpu cpu;
  return isa == Isa::avx512 ? cpu.has(Xbyak::util::Cpu::tAVX512F) : cpu.has(Xbyak::util::Cpu::tFMA);
}

constexpr std::int64_t kTiles = 3;

/// Returns the outputs of kTiles tiles of `form`. Inputs of 1 and weights of 2 add 2 per step.
std::vector<float> outputs(const KernelForm& form, const VectorUnit& unit, std::int64_t blocks) {
  Buffer memory(kKernelBytes / 4);
  const std::size_t part = (1 << 20) / 4;
  std::fill_n(memory.data(), part, 1.0F);
  std::fill_n(memory.data() + part, part, 2.0F);
  char* bytes = reinterpret_cast<char*>(memory.data());
  const FormKernel kernel(form, unit);
  kernel.run({.input = bytes,
              .weights = bytes + (1 << 20),
              .output = bytes + (2 << 20),
              .blocks = blocks,
              .tiles = kTiles});
  const float* first = memory.data() + 2 * part;
  return {first, first + kTiles * kernel.output_bytes() / 4};
}

}  // namespace

TEST_CASE("form kernel: every output sums all steps of the blocks") {
  for (const VectorUnit& unit : {VectorUnit{}, avx2()}) {
    if (!runs_here(unit.isa)) continue;
    for (const KernelForm& form : {KernelForm{.w = 2, .h = 3, .k = 2, .c = 5},
                                   KernelForm{.w = 3, .h = 2, .k = 1, .r = 3, .s = 3, .c = 2},
                                   KernelForm{.w = 1, .h = 6, .k = 2, .r = 7}}) {
      CAPTURE(form.r);
      const std::vector<float> sums = outputs(form, unit, 4);
      CHECK(sums.size() == static_cast<std::size_t>(kTiles * form.w * form.h * form.k) *
                               static_cast<std::size_t>(unit.lanes));
      for (const float sum : sums)
        REQUIRE(sum == 2.0F * 4 * static_cast<float>(form.r * form.s * form.c));
    }
  }
}

TEST_CASE("form kernel: 320 vectors of weights at most, in a multiple of four blocks") {
  if (!runs_here(Isa::avx2)) return;
  const FormKernel plain({.w = 6, .k = 2, .c = 8}, avx2());
  CHECK(plain.blocks() == 20);  // A block has 16 vectors.
  const FormKernel straight({.w = 6, .k = 2, .r = 3, .s = 3}, avx2());
  CHECK(straight.blocks() == 16);  // A block has 18 vectors, so that 17 blocks fit.
}
