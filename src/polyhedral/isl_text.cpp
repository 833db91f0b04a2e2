// SPDX-License-Identifier: Apache-2.0
// isl text of convolutions and matrix products, from the equations of their definitions.
#include "isl_text.h"

#include "tileplan/error.h"

namespace tileplan {
namespace {

struct Size {
  const char* name;
  std::int64_t value;
};

void require_positive(const char* what, const std::vector<Size>& sizes) {
  for (const Size& size : sizes)
    if (size.value < 1)
      throw Error(std::string(what) + ": " + size.name + " is " + std::to_string(size.value) +
                  "; must be at least 1");
}

void require_divides(const char* channels, std::int64_t count, std::int64_t groups) {
  if (count % groups != 0)
    throw Error(std::string("conv: g is ") + std::to_string(groups) + "; must divide " + channels +
                " = " + std::to_string(count));
}

void require_row(const char* pitch, std::int64_t value, const char* loop, std::int64_t row) {
  if (value < row)
    throw Error(std::string("gemm: ") + pitch + " is " + std::to_string(value) +
                "; must be at least " + loop + " = " + std::to_string(row));
}

std::string joined(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ",") + name;
  return list;
}

/// "2h + 1r + -1": the input row that output row h and tap r read.
std::string window(const Axis& axis, const std::string& out, const std::string& tap) {
  return std::to_string(axis.stride) + out + " + " + std::to_string(axis.dilation) + tap + " + " +
         std::to_string(-axis.pad_before);
}

Relation text_of(const ConvShape& shape) {
  const Axis &y = shape.height, &x = shape.width;
  require_positive("conv", {{"n", shape.n},
                            {"g", shape.g},
                            {"c", shape.c},
                            {"k", shape.k},
                            {"input height", y.in},
                            {"output height", y.out},
                            {"filter height", y.filter},
                            {"vertical stride", y.stride},
                            {"vertical dilation", y.dilation},
                            {"input width", x.in},
                            {"output width", x.out},
                            {"filter width", x.filter},
                            {"horizontal stride", x.stride},
                            {"horizontal dilation", x.dilation}});
  require_divides("c", shape.c, shape.g);
  require_divides("k", shape.k, shape.g);
  const std::vector<std::string> names = {"n", "g", "k", "c", "h", "w", "r", "s"};
  const std::string from = "S[" + joined(names) + "] -> ";
  return {.name = shape.name,
          .domain = box_text("S", names, std::vector<std::int64_t>(names.size()),
                             {shape.n, shape.g, shape.k / shape.g, shape.c / shape.g, y.out, x.out,
                              y.filter, x.filter}),
          .reads = "{ " + from + "In[n,g,c," + window(y, "h", "r") + "," + window(x, "w", "s") +
                   "]; " + from + "Ker[g,k,c,r,s] }",
          .writes = "{ " + from + "Out[n,g,k,h,w] }"};
}

Relation text_of(const GemmShape& shape) {
  require_positive("gemm", {{"b", shape.b}, {"m", shape.m}, {"n", shape.n}, {"k", shape.k}});
  require_row("lda", shape.lda, "k", shape.k);
  require_row("ldb", shape.ldb, "n", shape.n);
  require_row("ldc", shape.ldc, "n", shape.n);
  const bool batched = shape.b > 1;
  std::vector<std::string> names = {"i", "j", "k"};
  std::vector<std::int64_t> sizes = {shape.m, shape.n, shape.k};
  if (batched) {
    names.insert(names.begin(), "b");
    sizes.insert(sizes.begin(), shape.b);
  }
  const std::string from = "S[" + joined(names) + "] -> ", b = batched ? "b," : "";
  return {.name = shape.name,
          .domain = box_text("S", names, std::vector<std::int64_t>(names.size()), sizes),
          .reads = "{ " + from + "A[" + b + "i,k]; " + from + "B[" + b + "k,j] }",
          .writes = "{ " + from + "C[" + b + "i,j] }"};
}

Relation text_of(const Relation& relation) { return relation; }

}  // namespace

Relation relation_text(const Problem& problem) {
  return std::visit([](const auto& shape) { return text_of(shape); }, problem);
}

std::vector<std::int64_t> stored_input_extents(const Problem& problem) {
  const auto* conv = std::get_if<ConvShape>(&problem);
  if (conv == nullptr) return {};
  return {conv->n, conv->g, conv->c / conv->g, conv->height.in, conv->width.in};
}

std::string box_text(const std::string& tuple, const std::vector<std::string>& names,
                     const std::vector<std::int64_t>& lower,
                     const std::vector<std::int64_t>& size) {
  std::string bounds;
  for (std::size_t i = 0; i < names.size(); ++i)
    bounds += (i == 0 ? " : " : " and ") + std::to_string(lower[i]) + " <= " + names[i] + " < " +
              std::to_string(lower[i] + size[i]);
  return "{ " + tuple + "[" + joined(names) + "]" + bounds + " }";
}

}  // namespace tileplan
