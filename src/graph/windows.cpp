// SPDX-License-Identifier: Apache-2.0
// This file computes the sliding windows of convolutions and pools, and the sizes of matrix
// products.
#include <algorithm>
#include <array>

#include "integers.h"
#include "operators.h"

namespace tileplan {
namespace {

constexpr std::int64_t kMostNumber = (std::int64_t{1} << 31) - 1;

/// Returns the `count` numbers of an attribute. If the node lacks it, each is 1, or 0 if `least` is
/// below 1. Throws Error for another count, or for a number below `least` or above 2^31 - 1.
Extents numbers_of(const NodeView& node, const std::string& name, std::size_t count,
                   std::int64_t least) {
  Extents numbers = node.integers(name, Extents(count, least < 1 ? 0 : 1));
  node.require(numbers.size() == count, name + " has " + std::to_string(numbers.size()) +
                                            " numbers; must have " + std::to_string(count));
  for (const std::int64_t number : numbers)
    node.require(number >= least && number <= kMostNumber,
                 name + " has " + std::to_string(number) + "; must be from " +
                     std::to_string(least) + " to 2147483647");
  return numbers;
}

/// Sets the padding for SAME_UPPER or, with `lower`, SAME_LOWER. The output then has ceil(in /
/// stride) elements.
void pad_to_same(Axis& axis, bool lower) {
  axis.out = ceil_div(axis.in, axis.stride);
  const std::int64_t reach = (axis.out - 1) * axis.stride + (axis.filter - 1) * axis.dilation + 1;
  const std::int64_t all = std::max<std::int64_t>(0, reach - axis.in);
  axis.pad_before = lower ? all - all / 2 : all / 2;
  axis.pad_after = all - axis.pad_before;
}

/// Sets the number of windows that fit into the padded input. With the attribute ceil_mode, one
/// window may exceed it by less than a stride. Throws Error when no window fits.
void count_windows(const NodeView& node, Axis& axis) {
  const std::int64_t reach = (axis.filter - 1) * axis.dilation + 1;
  const std::int64_t room = axis.in + axis.pad_before + axis.pad_after - reach;
  const bool up = node.integer("ceil_mode", 0) != 0;
  axis.out = floor_div(room + (up ? axis.stride - 1 : 0), axis.stride) + 1;
  // With ceil_mode, a window that would begin in the padding after the input is not counted.
  if (up && (axis.out - 1) * axis.stride >= axis.in + axis.pad_before) --axis.out;
  node.require(axis.out >= 1, "a window of " + std::to_string(reach) +
                                  " does not fit into the input of " + std::to_string(axis.in) +
                                  "; at least one must fit");
}

}  // namespace

std::vector<Axis> windows_of(const NodeView& node, const Extents& filter) {
  const Extents& in = node.shape(0);
  node.require(in.size() >= 3,
               "the input has " + std::to_string(in.size()) + " dimensions; must have at least 3");
  const std::size_t axes = in.size() - 2;
  const Extents strides = numbers_of(node, "strides", axes, 1),
                dilations = numbers_of(node, "dilations", axes, 1),
                pads = numbers_of(node, "pads", 2 * axes, -kMostNumber);
  const std::string automatic = node.text("auto_pad", "NOTSET");
  constexpr std::array kRules{"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"};
  if (std::ranges::find(kRules, automatic) == kRules.end())
    throw NotUnderstood{"padding of the rule " + automatic};
  for (const std::int64_t pad : pads)
    if (pad < 0) throw NotUnderstood{"negative padding"};
  std::vector<Axis> windows;
  for (std::size_t i = 0; i < axes; ++i) {
    Axis axis{.in = in[i + 2],
              .filter = filter[i],
              .stride = strides[i],
              .dilation = dilations[i],
              .pad_before = pads[i],
              .pad_after = pads[axes + i]};
    node.require(axis.filter >= 1, "a window of 0; must have at least 1 element");
    node.require(axis.dilation <= kMostNumber / axis.filter,
                 "a window of " + std::to_string(axis.filter) + " with dilation " +
                     std::to_string(axis.dilation) + "; must span at most 2147483647");
    if (automatic == "VALID") axis.pad_before = axis.pad_after = 0;
    if (automatic.starts_with("SAME"))
      pad_to_same(axis, automatic == "SAME_LOWER");
    else
      count_windows(node, axis);
    windows.push_back(axis);
  }
  return windows;
}

Extents conv_window(const NodeView& node) {
  const Extents& weights = node.shape(1);
  Extents window(weights.begin() + 2, weights.end());
  if (!node.has("kernel_shape")) return window;
  const Extents given = numbers_of(node, "kernel_shape", window.size(), 1);
  node.require(given == window, "kernel_shape is " + shape_text(given) + "; must be " +
                                    shape_text(window) + " like the weights");
  return window;
}

Extents pool_window(const NodeView& node) {
  const std::size_t rank = node.shape(0).size();
  node.require(rank >= 3,
               "the input has " + std::to_string(rank) + " dimensions; must have at least 3");
  node.require(node.has("kernel_shape"), node.kind() + " has no kernel_shape; it must have one");
  return numbers_of(node, "kernel_shape", rank - 2, 1);
}

Product product_of(const NodeView& node) {
  const Extents &a = node.shape(0), &b = node.shape(1);
  const bool is_gemm = node.kind() == "Gemm", has_flags = node.kind() != "MatMul";
  if (!is_gemm && (a.size() < 2 || b.size() < 2)) throw NotUnderstood{"a product with a vector"};
  const auto require_rank = [&](const char* what, const Extents& shape) {
    node.require(
        !is_gemm || shape.size() == 2,
        std::string(what) + " has " + std::to_string(shape.size()) + " dimensions; must have 2");
  };
  require_rank("A", a);
  require_rank("B", b);
  Product product{.m = a[a.size() - 2],
                  .n = b.back(),
                  .k = a.back(),
                  .a_transposed = has_flags && node.integer("transA", 0) != 0,
                  .b_transposed = has_flags && node.integer("transB", 0) != 0};
  if (product.a_transposed) std::swap(product.m, product.k);
  std::int64_t rows_of_b = b[b.size() - 2];
  if (product.b_transposed) std::swap(product.n, rows_of_b);
  node.require(product.k == rows_of_b, "the reduction sizes of A and B are " +
                                           std::to_string(product.k) + " and " +
                                           std::to_string(rows_of_b) + "; must be equal");
  for (std::size_t i = 0; i + 2 < a.size(); ++i) product.batches *= a[i];
  product.b_in_batches = b.size() > 2;
  if (!product.b_in_batches) {
    product.m *= product.batches;
    product.batches = 1;
  } else if (!std::equal(a.begin(), a.end() - 2, b.begin(), b.end() - 2)) {
    throw NotUnderstood{"batches of A and B differ"};
  }
  return product;
}

}  // namespace tileplan
