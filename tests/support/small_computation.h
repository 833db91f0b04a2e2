// SPDX-License-Identifier: Apache-2.0
// This file makes computations directly from numbers, without isl. Their inputs include the
// padding.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "computation.h"
#include "product.h"

namespace tileplan::toy {

/// Holds the loop extents of a convolution (`c` and `k` per group) and the steps of its window. 3-D
/// convolutions also have `d` and `t`.
struct Conv {
  std::int64_t n = 1, g = 1, k = 1, c = 1, d = 1, h = 1, w = 1, t = 1, r = 1, s = 1;
  std::int64_t stride = 1, dilation = 1;
};

struct Gemm {
  std::int64_t b = 1, i = 1, j = 1, k = 1;
};

using Sizes = std::vector<std::pair<std::string, std::int64_t>>;

inline Dim dim(const Computation& computation, const std::string& name) {
  return computation.dim(name);
}

inline Tile whole(const Computation& computation) { return extents_of(computation); }

/// Returns a tile of `sizes`. The size of dimensions without a name in `sizes` is 1.
inline Tile tile(const Computation& computation, const Sizes& sizes) {
  Tile result{};
  for (int d = 0; d < computation.dims(); ++d) result[Dim{d}] = 1;
  for (const auto& [name, size] : sizes) result[dim(computation, name)] = size;
  return result;
}

/// Returns the order of the loops that `letters` names from the innermost to the outermost, such as
/// "kij". A LoopOrder begins with the outermost loop, so the letters are reversed.
inline LoopOrder inner_to_outer(const Computation& computation, const std::string& letters) {
  LoopOrder order;
  for (auto letter = letters.rbegin(); letter != letters.rend(); ++letter)
    order.push_back(dim(computation, std::string(1, *letter)));
  return order;
}

inline std::string letters_inner_to_outer(const Computation& computation, const LoopOrder& order) {
  std::string letters;
  for (auto loop = order.rbegin(); loop != order.rend(); ++loop) letters += computation.name(*loop);
  return letters;
}

/// Holds the factors of the two iterators in an index.
struct Steps {
  std::int64_t first = 1, second = 1;
};

/// Adds a tensor with these indices. Each dimension has one letter: "c" is the iterator c, and "hr"
/// is first * h + second * r. The third tensor is the output, and adding it sets the roles of the
/// dimensions.
inline void add_tensor(Computation& computation, const std::string& name,
                       const std::vector<std::string>& indices, const Steps& steps = {}) {
  TensorAccess tensor;
  tensor.name = name;
  for (const std::string& letters : indices) {
    DataDim data;
    for (const char letter : letters)
      data.terms.push_back({dim(computation, std::string(1, letter)), letters.size() == 1 ? 1
                                                                      : data.terms.empty()
                                                                          ? steps.first
                                                                          : steps.second});
    for (const Term& term : data.terms)
      data.extent += std::abs(term.coefficient) * (computation.extent(term.dim) - 1);
    tensor.data.push_back(data);
  }
  const bool is_output = computation.tensors.size() + 1 == kOperands;
  tensor.transfers = is_output ? 2 : 1;
  computation.tensors.push_back(tensor);
  if (is_output) set_roles(computation);
}

inline Computation conv(const Conv& z) {
  Computation result;
  result.names = {"n", "g", "k", "c", "h", "w", "r", "s"};
  result.extents = {z.n, z.g, z.k, z.c, z.h, z.w, z.r, z.s};
  add_tensor(result, "In", {"n", "g", "c", "hr", "ws"}, {z.stride, z.dilation});
  add_tensor(result, "Ker", {"g", "k", "c", "r", "s"});
  add_tensor(result, "Out", {"n", "g", "k", "h", "w"});
  return result;
}

inline Computation conv3d(const Conv& z) {
  Computation result;
  result.names = {"n", "g", "k", "c", "d", "h", "w", "t", "r", "s"};
  result.extents = {z.n, z.g, z.k, z.c, z.d, z.h, z.w, z.t, z.r, z.s};
  add_tensor(result, "In", {"n", "g", "c", "dt", "hr", "ws"}, {z.stride, z.dilation});
  add_tensor(result, "Ker", {"g", "k", "c", "t", "r", "s"});
  add_tensor(result, "Out", {"n", "g", "k", "d", "h", "w"});
  return result;
}

inline Computation gemm(const Gemm& z) {
  Computation result;
  result.names = {"b", "i", "j", "k"};
  result.extents = {z.b, z.i, z.j, z.k};
  add_tensor(result, "A", {"b", "i", "k"});
  add_tensor(result, "B", {"b", "k", "j"});
  add_tensor(result, "C", {"b", "i", "j"});
  return result;
}

/// Returns the convolution with input and output exchanged. Its windows slide over the output.
inline Computation transposed_conv(const Conv& z) {
  Computation result = conv(z);
  std::swap(result.tensors[0], result.tensors[2]);
  result.tensors[0].transfers = 1;
  result.tensors[2].transfers = 2;
  set_roles(result);
  return result;
}

}  // namespace tileplan::toy
