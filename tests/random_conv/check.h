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
  /// This text describes the difference, or the reason why the case was refused. It is empty when
  /// the results are right.
  std::string text;
  bool by_peer = false;  ///< If true, oneDNN agreed with the expected values.
};

/// Compiles `drawn` and runs it on three sets of tensors, which begin at a page boundary, end at
/// one, or begin a random number of elements after one. An access to the pages before or after a
/// tensor ends the process. If `use_peer` is true, also compares f32 convolutions with oneDNN. The
/// verdict is `refused` when compile() throws Error.
Outcome check(const RandomCase& drawn, Random& random, bool use_peer);

}  // namespace tileplan::test
