// SPDX-License-Identifier: Apache-2.0
// This file draws small products of two tensors in the isl notation of users, and batched matrix
// products.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "integers.h"
#include "random_conv.h"
#include "tileplan/problem.h"

namespace tileplan::test {

inline std::string access_text(const std::string& name, const std::vector<std::string>& indices) {
  std::string text = name + "[";
  for (const std::string& index : indices) text += (text.back() == '[' ? "" : ", ") + index;
  return text + "]";
}

/// Holds an index of an access, and its largest value before an offset is added.
struct RandomIndex {
  std::string text;
  std::int64_t last = 0;
};

/// Adds a constant to `index` with probability 1/3. The constant is chosen such that the first
/// element read is inside the tensor or in the zeros before it, and at least one element of the
/// tensor is read.
inline std::string with_offset(Random& random, const RandomIndex& index) {
  if (pick(random, 0, 2) != 0) return index.text;
  const std::int64_t offset = pick(random, -std::min<std::int64_t>(index.last, 5), 4);
  return index.text + (offset < 0 ? " - " : " + ") + std::to_string(std::abs(offset));
}

/// Draws the indices of a tensor from its iterators `dims`, in random order. Some reads have two
/// iterators in one index, factors, offsets or constant indices.
inline std::vector<std::string> random_indices(Random& random, std::vector<RandomIndex> dims,
                                               bool is_read) {
  std::shuffle(dims.begin(), dims.end(), random);
  if (is_read && dims.size() >= 2 && pick(random, 0, 3) == 0) {
    const std::int64_t stride = pick(random, 1, 3);
    const RandomIndex last = dims.back();
    dims.pop_back();
    dims.back() = {std::to_string(stride) + dims.back().text + " + " + last.text,
                   stride * dims.back().last + last.last};
  }
  std::vector<std::string> texts;
  if (is_read && pick(random, 0, 5) == 0) texts.push_back(std::to_string(pick(random, 0, 2)));
  for (const RandomIndex& index : dims)
    texts.push_back(is_read ? with_offset(random, index) : index.text);
  return texts;
}

/// Draws a relation of 1 to 5 iterators. Each iterator occurs in A, in B or in both, and some also
/// in C. The first iterator always occurs in C.
inline Relation random_relation(Random& random) {
  constexpr int kTensors = 3, kMasks = 7, kOutput = 4;
  const std::int64_t dims = pick(random, 1, 5);
  std::vector<RandomIndex> of_tensor[kTensors];
  std::string names, bounds;
  for (std::int64_t d = 0; d < dims; ++d) {
    const std::string name(1, static_cast<char>('a' + d));
    const std::int64_t longest = dims > 3 ? 9 : 40;
    names += (d == 0 ? "" : ",") + name;
    const std::int64_t extent = pick(random, 0, 4) == 0 ? 1 : pick(random, 2, longest);
    bounds += (d == 0 ? "0 <= " : " and 0 <= ") + name + " < " + std::to_string(extent);
    std::int64_t mask = pick(random, 1, kMasks);
    if (mask == kOutput || d == 0) mask = kOutput + pick(random, 1, kOutput - 1);
    for (int t = 0; t < kTensors; ++t)
      if ((mask >> t & 1) != 0) of_tensor[t].push_back({name, extent - 1});
  }
  const auto access = [&](int t, const char* name) {
    const bool is_read = t + 1 < kTensors;
    return "S[" + names + "] -> " +
           access_text(name, random_indices(random, of_tensor[t], is_read));
  };
  return {.domain = "{ S[" + names + "] : " + bounds + " }",
          .reads = "{ " + access(0, "A") + "; " + access(1, "B") + " }",
          .writes = "{ " + access(2, "C") + " }",
          .types = pick(random, 0, 3) == 0 ? ElementType::f64 : ElementType::f32};
}

/// Draws the distances between matrices. Some batches share a matrix, and rows of some matrices lie
/// between those of others.
inline void draw_distances(Random& random, GemmShape& shape) {
  const auto distance = [&](std::int64_t matrix) -> std::optional<std::int64_t> {
    const std::int64_t kind = pick(random, 0, 5);
    if (kind == 0) return 0;
    if (kind == 1) return matrix + pick(random, 0, 9);
    return std::nullopt;
  };
  const std::int64_t kind = pick(random, 0, 3);
  if (kind == 0) shape.sc = shape.m * shape.ldc + pick(random, 0, 9);
  if (kind == 1) {
    shape.sc = shape.n + pick(random, 0, 2);
    shape.ldc = shape.b * *shape.sc;
  }
  shape.sa = distance((shape.ta ? shape.k : shape.m) * shape.lda);
  shape.sb = distance((shape.tb ? shape.n : shape.k) * shape.ldb);
  if (shape.sa == 0 && shape.sb == 0) shape.sb.reset();
}

/// Draws a batch of 1 to 70 products, whose matrices have at most 40 rows and columns. Some row
/// strides are longer than the rows.
inline GemmShape random_product(Random& random) {
  const auto size = [&] { return pick(random, 0, 1) == 0 ? 1 : pick(random, 2, 40); };
  const auto gap = [&] { return pick(random, 0, 1) == 0 ? 0 : pick(random, 1, 9); };
  GemmShape shape{.b = pick(random, 1, 70), .m = size(), .n = size(), .k = size()};
  shape.ta = pick(random, 0, 2) == 0, shape.tb = pick(random, 0, 2) == 0;
  shape.lda = (shape.ta ? shape.m : shape.k) + gap();
  shape.ldb = (shape.tb ? shape.k : shape.n) + gap();
  shape.ldc = shape.n + gap();
  shape.types = pick(random, 0, 3) == 0 ? ElementType::f64 : ElementType::f32;
  if (shape.b > 1) draw_distances(random, shape);
  return shape;
}

}  // namespace tileplan::test
