// SPDX-License-Identifier: Apache-2.0
// Small random products of two tensors, as users write them in isl.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "integers.h"
#include "random_conv.h"
#include "tileplan/problem.h"

namespace tileplan::test {

/// "A[i, j + 2k, 0]" from the indices.
inline std::string access_text(const std::string& name, const std::vector<std::string>& indices) {
  std::string text = name + "[";
  for (const std::string& index : indices) text += (text.back() == '[' ? "" : ", ") + index;
  return text + "]";
}

/// The indices of a tensor with the iterators `dims`: in random order, in a read two of them at
/// times in one index.
inline std::vector<std::string> random_indices(Random& random, std::vector<std::string> dims,
                                               bool is_read) {
  std::shuffle(dims.begin(), dims.end(), random);
  if (!is_read || dims.size() < 2 || pick(random, 0, 3) != 0) return dims;
  const std::string stride = std::to_string(pick(random, 1, 3));
  const std::string last = dims.back();
  dims.pop_back();
  dims.back() = stride + dims.back() + " + " + last;
  return dims;
}

/// A relation of 1 to 5 iterators over A, B and C; each is in one to three of them, some in all.
inline Relation random_relation(Random& random) {
  constexpr int kTensors = 3, kMasks = 7, kOutput = 4;
  const std::int64_t dims = pick(random, 1, 5);
  std::vector<std::string> of_tensor[kTensors];
  std::string names, bounds;
  for (std::int64_t d = 0; d < dims; ++d) {
    const std::string name(1, static_cast<char>('a' + d));
    const std::int64_t longest = dims > 3 ? 9 : 40;
    names += (d == 0 ? "" : ",") + name;
    bounds += (d == 0 ? "0 <= " : " and 0 <= ") + name + " < " +
              std::to_string(pick(random, 0, 4) == 0 ? 1 : pick(random, 2, longest));
    std::int64_t mask = pick(random, 1, kMasks);
    if (mask == kOutput || d == 0) mask = kOutput + pick(random, 1, kOutput - 1);
    for (int t = 0; t < kTensors; ++t)
      if ((mask >> t & 1) != 0) of_tensor[t].push_back(name);
  }
  const auto access = [&](int t, const char* name) {
    const bool is_read = t + 1 < kTensors;
    return "S[" + names + "] -> " +
           access_text(name, random_indices(random, of_tensor[t], is_read));
  };
  return {.domain = "{ S[" + names + "] : " + bounds + " }",
          .reads = "{ " + access(0, "A") + "; " + access(1, "B") + " }",
          .writes = "{ " + access(2, "C") + " }",
          .type = pick(random, 0, 3) == 0 ? ElementType::f64 : ElementType::f32};
}

/// A batched product, its rows at times further apart than they are long.
inline GemmShape random_product(Random& random) {
  const auto size = [&] { return pick(random, 0, 1) == 0 ? 1 : pick(random, 2, 40); };
  GemmShape shape{.b = pick(random, 1, 70), .m = size(), .n = size(), .k = size()};
  const auto gap = [&] { return pick(random, 0, 1) == 0 ? 0 : pick(random, 1, 9); };
  shape.lda = shape.k + gap();
  shape.ldb = shape.n + gap();
  shape.ldc = shape.n + gap();
  shape.type = pick(random, 0, 3) == 0 ? ElementType::f64 : ElementType::f32;
  return shape;
}

}  // namespace tileplan::test
