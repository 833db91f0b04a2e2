// SPDX-License-Identifier: Apache-2.0
// Runs one random case between guard pages and compares it with the definition.
#pragma once

#include <string>

#include "draw.h"

namespace tileplan::test {

enum class Verdict { right, wrong, refused };

struct Outcome {
  Verdict verdict = Verdict::right;
  std::string text;      ///< It says what is wrong, or why compile() refused.
  bool by_peer = false;  ///< oneDNN agreed with the expected values.
};

/// Compiles `drawn` and runs it three times: on tensors that begin at a page boundary, on tensors
/// that end there, and on tensors that begin at random multiples of their elements. `use_peer`
/// compares with oneDNN too, where it takes the problem. A byte outside the tensors ends the
/// process.
Outcome check(const RandomCase& drawn, Random& random, bool use_peer);

}  // namespace tileplan::test
