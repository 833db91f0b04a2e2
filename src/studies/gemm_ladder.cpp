// SPDX-License-Identifier: Apache-2.0
// This file is compiled without vectorisation (CMakeLists.txt), so that its three products show
// what blocking and packing gain by themselves, before vectors are used.
#include "gemm_ladder.h"

#include <algorithm>

namespace tileplan {
namespace {

/// Blocks have 64 x 64 f32, which are 16 KiB, so that three blocks fit into the second-level caches
/// of all supported CPUs.
constexpr std::int64_t kBlock = 64;

void plain_loops(const GemmShape& shape, const GemmOperands& operands) {
  for (std::int64_t i = 0; i < shape.m; ++i)
    for (std::int64_t j = 0; j < shape.n; ++j) {
      float sum = 0;
      for (std::int64_t k = 0; k < shape.k; ++k)
        sum += operands.a[i * shape.k + k] * operands.b[k * shape.n + j];
      operands.c[i * shape.n + j] = sum;
    }
}

/// Holds a block whose rows are `pitch` elements apart.
struct Block {
  const float* first = nullptr;
  std::int64_t pitch = 0;
};

struct BlockSizes {
  std::int64_t m = 0, n = 0, k = 0;
};

void multiply_block(const BlockSizes& sizes, const Block& a, const Block& b, float* c,
                    std::int64_t pitch) {
  for (std::int64_t i = 0; i < sizes.m; ++i)
    for (std::int64_t j = 0; j < sizes.n; ++j) {
      float sum = c[i * pitch + j];
      for (std::int64_t k = 0; k < sizes.k; ++k)
        sum += a.first[i * a.pitch + k] * b.first[k * b.pitch + j];
      c[i * pitch + j] = sum;
    }
}

/// Calls `multiply(i, j, k, sizes)` for each block, in the loop order j, k, i of the GEMM variant
/// B3A2C0.
template <class Multiply>
void for_each_block(const GemmShape& shape, const Multiply& multiply) {
  for (std::int64_t j = 0; j < shape.n; j += kBlock)
    for (std::int64_t k = 0; k < shape.k; k += kBlock)
      for (std::int64_t i = 0; i < shape.m; i += kBlock)
        multiply(i, j, k,
                 BlockSizes{std::min(kBlock, shape.m - i), std::min(kBlock, shape.n - j),
                            std::min(kBlock, shape.k - k)});
}

void blocked(const GemmShape& shape, const GemmOperands& operands) {
  std::ranges::fill(operands.c, 0.0F);
  for_each_block(shape, [&](std::int64_t i, std::int64_t j, std::int64_t k,
                            const BlockSizes& sizes) {
    multiply_block(sizes, {&operands.a[i * shape.k + k], shape.k},
                   {&operands.b[k * shape.n + j], shape.n}, &operands.c[i * shape.n + j], shape.n);
  });
}

/// Stores `columns` columns of `from` one after the other, so that sums over rows read them in
/// order.
void pack_columns(const Block& from, std::int64_t rows, std::int64_t columns,
                  std::vector<float>& to) {
  to.resize(static_cast<std::size_t>(rows * columns));
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t k = 0; k < rows; ++k) to[j * rows + k] = from.first[k * from.pitch + j];
}

void multiply_packed(const BlockSizes& sizes, const Block& a, const std::vector<float>& b, float* c,
                     std::int64_t pitch) {
  for (std::int64_t i = 0; i < sizes.m; ++i)
    for (std::int64_t j = 0; j < sizes.n; ++j) {
      float sum = c[i * pitch + j];
      for (std::int64_t k = 0; k < sizes.k; ++k)
        sum += a.first[i * a.pitch + k] * b[j * sizes.k + k];
      c[i * pitch + j] = sum;
    }
}

void packed(const GemmShape& shape, const GemmOperands& operands) {
  std::ranges::fill(operands.c, 0.0F);
  std::vector<float> columns;
  for_each_block(
      shape, [&](std::int64_t i, std::int64_t j, std::int64_t k, const BlockSizes& sizes) {
        // The block of B is packed for the first block of A only. The other blocks of A in this
        // column multiply the same block of B.
        if (i == 0)
          pack_columns({&operands.b[k * shape.n + j], shape.n}, sizes.k, sizes.n, columns);
        multiply_packed(sizes, {&operands.a[i * shape.k + k], shape.k}, columns,
                        &operands.c[i * shape.n + j], shape.n);
      });
}

}  // namespace

std::vector<ScalarProduct> scalar_products() {
  return {{"plain loops", plain_loops}, {"blocked", blocked}, {"packed", packed}};
}

}  // namespace tileplan
