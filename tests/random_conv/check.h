// SPDX-License-Identifier: Apache-2.0
// Runs one drawn convolution between guard pages and compares it with the definition.
#pragma once

#include <string>

#include "draw.h"

namespace tileplan::test {

enum class Verdict { right, wrong, refused };

struct Outcome {
  Verdict verdict = Verdict::right;
  std::string text;      ///< what is wrong, or compile's reason
  bool by_peer = false;  ///< oneDNN agreed too
};

/// Compiles and runs `drawn` twice: tensors that begin at a page boundary, and tensors that end
/// there. `use_peer`: compares with oneDNN too, where it takes the problem. A byte outside the
/// tensors ends the process.
Outcome check(const Drawn& drawn, Random& random, bool use_peer);

}  // namespace tileplan::test
