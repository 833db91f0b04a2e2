// SPDX-License-Identifier: Apache-2.0
// Computations made directly from numbers, for tests of what needs no isl. Inputs count as
// physically padded.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "computation.h"
#include "derived_fields.h"

namespace tileplan::toy {

/// Loop extents of a convolution (`c`, `k` per group) and its window steps.
struct Conv {
  std::int64_t n = 1, g = 1, k = 1, c = 1, h = 1, w = 1, r = 1, s = 1;
  std::int64_t stride = 1, dilation = 1;
};

struct Conv3d {
  std::int64_t n = 1, g = 1, k = 1, c = 1, d = 1, h = 1, w = 1, t = 1, r = 1, s = 1;
  std::int64_t stride = 1, dilation = 1;
};

struct Gemm {
  std::int64_t b = 1, i = 1, j = 1, k = 1;
};

/// The index 1*x, or stride*x + dilation*y, in an array that just holds it.
struct Index {
  std::string x, y;
  std::int64_t stride = 1, dilation = 1;
};

/// "k16 c8 h7": sizes by name.
using Sizes = std::vector<std::pair<std::string, std::int64_t>>;

inline Dim dim(const Computation& computation, const std::string& name) {
  for (int d = 0; d < computation.dims(); ++d)
    if (computation.name(Dim{d}) == name) return Dim{d};
  std::abort();
}

inline Tile whole(const Computation& computation) {
  Tile tile{};
  for (int d = 0; d < computation.dims(); ++d) tile[Dim{d}] = computation.extent(Dim{d});
  return tile;
}

/// Sizes by name; dims that are not named are 1.
inline Tile tile(const Computation& computation, const Sizes& sizes) {
  Tile result{};
  for (int d = 0; d < computation.dims(); ++d) result[Dim{d}] = 1;
  for (const auto& [name, size] : sizes) result[dim(computation, name)] = size;
  return result;
}

/// One letter per dim, innermost first as in the papers -> outermost first as in the program.
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

inline void add_tensor(Computation& computation, const std::string& name,
                       const std::vector<Index>& indices) {
  TensorAccess tensor;
  tensor.name = name;
  for (const Index& index : indices) {
    DataDim data;
    data.terms.push_back({dim(computation, index.x), index.y.empty() ? 1 : index.stride});
    if (!index.y.empty()) data.terms.push_back({dim(computation, index.y), index.dilation});
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
  add_tensor(result, "In",
             {{"n", ""},
              {"g", ""},
              {"c", ""},
              {"h", "r", z.stride, z.dilation},
              {"w", "s", z.stride, z.dilation}});
  add_tensor(result, "Ker", {{"g", ""}, {"k", ""}, {"c", ""}, {"r", ""}, {"s", ""}});
  add_tensor(result, "Out", {{"n", ""}, {"g", ""}, {"k", ""}, {"h", ""}, {"w", ""}});
  return result;
}

inline Computation conv3d(const Conv3d& z) {
  Computation result;
  result.names = {"n", "g", "k", "c", "d", "h", "w", "t", "r", "s"};
  result.extents = {z.n, z.g, z.k, z.c, z.d, z.h, z.w, z.t, z.r, z.s};
  add_tensor(result, "In",
             {{"n", ""},
              {"g", ""},
              {"c", ""},
              {"d", "t", z.stride, z.dilation},
              {"h", "r", z.stride, z.dilation},
              {"w", "s", z.stride, z.dilation}});
  add_tensor(result, "Ker", {{"g", ""}, {"k", ""}, {"c", ""}, {"t", ""}, {"r", ""}, {"s", ""}});
  add_tensor(result, "Out", {{"n", ""}, {"g", ""}, {"k", ""}, {"d", ""}, {"h", ""}, {"w", ""}});
  return result;
}

inline Computation gemm(const Gemm& z) {
  Computation result;
  result.names = {"b", "i", "j", "k"};
  result.extents = {z.b, z.i, z.j, z.k};
  add_tensor(result, "A", {{"b", ""}, {"i", ""}, {"k", ""}});
  add_tensor(result, "B", {{"b", ""}, {"k", ""}, {"j", ""}});
  add_tensor(result, "C", {{"b", ""}, {"i", ""}, {"j", ""}});
  return result;
}

/// The convolution with input and output exchanged (its derivative): windows slide over the output.
inline Computation transposed_conv(const Conv& z) {
  Computation result = conv(z);
  std::swap(result.tensors[0], result.tensors[2]);
  result.tensors[0].transfers = 1;
  result.tensors[2].transfers = 2;
  set_roles(result);
  return result;
}

}  // namespace tileplan::toy
