// SPDX-License-Identifier: Apache-2.0
// This file writes softmax, and products of matrices that have no kernel, because their second
// factor is not constant or because kernels cannot compute them.
#include "c_function.h"
#include "operators.h"
#include "softmax_lists.h"

namespace tileplan {
namespace {

/// Writes the loops that set a row of results to beta times the third input (C of a Gemm, or the
/// bias) plus the residual, before products are added.
void write_addends(CWriter& out, const NodeView& node) {
  out.line("for (int64_t j = 0; j < columns; ++j) row[j] = 0;");
  if (node.has_input(2)) {
    const Extents& shape = node.shape(2);
    const bool one_row = shape.size() < 2 || shape[0] == 1,
               one_column = shape.empty() || shape.back() == 1;
    const std::string start = one_row ? "0" : "i % rows * " + std::to_string(shape.back());
    out.line("for (int64_t j = 0; j < columns; ++j) row[j] += " +
             float_text(static_cast<float>(node.real("beta", 1))) + " * addend[" + start +
             (one_column ? "" : " + j") + "];");
  }
  if (node.has_input(3))
    out.line("for (int64_t j = 0; j < columns; ++j) row[j] += residual[i * columns + j];");
}

void write_sums(CWriter& out, const NodeView& node, const Product& product) {
  out.line("const float *const left = a + " +
           std::string(product.a_transposed ? "i % rows;" : "i * terms;"));
  out.line("const float *const right = b" +
           std::string(product.b_in_batches ? " + i / rows * terms * columns;" : ";"));
  out.open("for (int64_t k = 0; k < terms; ++k)");
  out.line("const float factor = " + float_text(static_cast<float>(node.real("alpha", 1))) +
           " * left[" + (product.a_transposed ? "k * rows" : "k") + "];");
  out.line("for (int64_t j = 0; j < columns; ++j) row[j] += factor * right[" +
           std::string(product.b_transposed ? "j * terms + k" : "k * columns + j") + "];");
  out.close();
}

}  // namespace

CFunction product_function(const WrittenStep& step) {
  const NodeView& node = step.node;
  const Product product = product_of(node);
  std::vector<CParameter> parameters{{.name = "a"}, {.name = "b", .tensor = 1}};
  if (node.has_input(2)) parameters.push_back({.name = "addend", .tensor = 2});
  if (node.has_input(3)) parameters.push_back({.name = "residual", .tensor = 3});
  parameters.push_back({.name = "out", .is_output = true});
  CWriter out;
  out.open("");
  out.line(constants_text({{"batches", product.batches},
                           {"rows", product.m},
                           {"columns", product.n},
                           {"terms", product.k}}));
  out.open("for (int64_t i = 0; i < batches * rows; ++i)");
  out.line("float *const row = out + i * columns;");
  write_addends(out, node);
  write_sums(out, node, product);
  if (has_limits(node)) {
    out.open("for (int64_t j = 0; j < columns; ++j)");
    write_limits(out, node, "row[j]");
    out.close();
  }
  out.close();
  out.close();
  return {.kind = "product", .parameters = parameters, .body = out.text()};
}

CFunction softmax_function(const WrittenStep& step) {
  const SoftmaxLists all = softmax_lists(step.node);
  CWriter out;
  out.open("");
  out.line(constants_text({{"rows", all.lists}, {"step", all.step}, {"count", all.count}}));
  write_lines(out, R"(
for (int64_t row = 0; row < rows; ++row) {
  const int64_t start = row / step * step * count + row % step;
  const float *const from = in + start;
  float *const to = out + start;
  float largest = from[0], sum = 0;
  for (int64_t j = 1; j < count; ++j)
    largest = largest < from[j * step] ? from[j * step] : largest;
  for (int64_t j = 0; j < count; ++j) {
    to[j * step] = expf(from[j * step] - largest);
    sum += to[j * step];
  }
  for (int64_t j = 0; j < count; ++j) to[j * step] /= sum;
})");
  out.close();
  return {.kind = "softmax",
          .parameters = {{.name = "in"}, {.name = "out", .is_output = true}},
          .body = out.text()};
}

}  // namespace tileplan
