// SPDX-License-Identifier: Apache-2.0
// Constants are row-major in the graph, so they are copied to the layouts in which steps read them.
#include "step_constants.h"

#include "fast_operators.h"
#include "operators.h"
#include "rewrite.h"
#include "tileplan/error.h"

namespace tileplan {

const std::vector<float>& step_numbers(const std::string& step, const GraphValue& value) {
  const std::vector<float>* numbers = float_numbers(value);
  if (!numbers)
    throw Error("node " + step + ": constant " + value.name +
                " has no numbers of f32 in the file; it must have them to be run");
  return *numbers;
}

std::vector<float> numbers_in_layout(const std::string& step, const GraphValue& value,
                                     Layout layout) {
  const std::vector<float>& numbers = step_numbers(step, value);
  std::vector<float> copy(numbers.size());
  const float* from = numbers.data();
  float* to = copy.data();
  if (!numbers.empty()) conversion_of(*value.shape, Layout::nchw, layout)({&from, &to});
  return copy;
}

std::vector<float> kernel_weights(const NodeView& node) {
  const std::vector<float>& from = step_numbers(node.node().name, node.input(1));
  if (!is_product(node.kind()) || !product_of(node).b_transposed) return from;
  const Product product = product_of(node);
  std::vector<float> weights(from.size());
  for (std::int64_t j = 0; j < product.n; ++j)
    for (std::int64_t k = 0; k < product.k; ++k)
      weights[static_cast<std::size_t>(k * product.n + j)] =
          from[static_cast<std::size_t>(j * product.k + k)];
  return weights;
}

void check_addends(const NodeView& node, const Epilogue& epilogue, const AddendSizes& sizes) {
  constexpr std::size_t kBias = 2, kResidual = 3;
  const auto check = [&](bool is_read, std::size_t i, std::size_t size) {
    if (is_read && elements_of(node.shape(i)) != static_cast<std::int64_t>(size))
      node.refuse("input " + std::to_string(i + 1) + " is " + shape_text(node.shape(i)) +
                  "; must have " + std::to_string(size) + " elements");
  };
  check(epilogue.bias, kBias, sizes.bias);
  check(epilogue.add, kResidual, sizes.residual);
}

}  // namespace tileplan
