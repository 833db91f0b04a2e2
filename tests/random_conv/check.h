// SPDX-License-Identifier: Apache-2.0
// This file runs one random case between inaccessible pages and compares the result with the
// definition.
#pragma once

#include <string>

#include "draw.h"

namespace tileplan::test {

enum class Verdict { right, wrong, refused };

struct Outcome {
  Verdict verdict = Verdict::right;
  std::string text;      ///< The text describes the difference or the refusal.
  bool by_peer = false;  ///< If true, oneDNN agreed with the expected values.
};

/// Compiles `drawn` and runs it three times: on tensors that begin at a page boundary, on tensors
/// that end there, and on tensors that begin a random number of elements after a boundary. An
/// access outside the tensors ends the process. If `use_peer` is true, also compares with oneDNN.
Outcome check(const RandomCase& drawn, Random& random, bool use_peer);

}  // namespace tileplan::test
