// SPDX-License-Identifier: Apache-2.0
// This test checks stores of a part of a register.
#include "partial_store.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "microkernel_spec.h"

using namespace tileplan;

namespace {

using Words = std::array<int, 9>;

/// Generates a function of three addresses. It loads 8 words from the first one, stores the first
/// `words` of them to the second one, and then stores the whole register to the third one.
/// store_words() may overwrite the register with the number `upper`.
class PartialStore : public Xbyak::CodeGenerator {
 public:
  PartialStore(int words, int upper) {
    vmovups(ymm1, ptr[rdi]);
    store_words(*this, rsi, ymm1, Xbyak::Ymm(upper), words);
    vmovups(ptr[rdx], ymm1);
    vzeroupper();
    ret();
  }
};

}  // namespace

TEST_CASE("the first words are stored, and nothing else is overwritten") {
  if (!host_has(Isa::avx2)) return;
  const Words from{1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (int words = 1; words < 8; ++words)
    for (const int upper : {1, 2}) {
      CAPTURE(words);
      CAPTURE(upper);
      Words to{}, all{};
      const PartialStore code(words, upper);
      code.getCode<void (*)(const int*, int*, int*)>()(from.data(), to.data(), all.data());
      for (std::size_t i = 0; i < to.size(); ++i)
        CHECK(to[i] == (static_cast<int>(i) < words ? from[i] : 0));
      // The stored register keeps its value when its upper half is moved to another register.
      if (upper != 1) CHECK(std::equal(all.begin(), all.end() - 1, from.begin()));
    }
}
