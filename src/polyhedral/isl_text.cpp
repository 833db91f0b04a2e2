// SPDX-License-Identifier: Apache-2.0
// The text follows from the equations that define convolutions and matrix products.
#include "isl_text.h"

#include "tileplan/error.h"

namespace tileplan {
namespace {

struct Size {
  std::string name;
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

std::string join(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ",") + name;
  return list;
}

/// Returns the input index that output index `out` and filter tap `tap` read, as isl text such as
/// "2h + 1r + -1".
std::string window(const Axis& axis, const std::string& out, const std::string& tap) {
  return std::to_string(axis.stride) + out + " + " + std::to_string(axis.dilation) + tap + " + " +
         std::to_string(-axis.pad_before);
}

/// Describes one spatial direction: its axis, the letters of its loops and its names in messages.
struct Direction {
  const Axis& axis;
  std::string out, tap;
  std::string size, way;
};

/// Returns the directions outermost first. The depth is included only for 3-D convolutions.
std::vector<Direction> directions_of(const ConvShape& shape) {
  std::vector<Direction> all;
  if (shape.depth != Axis{}) all.push_back({shape.depth, "d", "t", "depth", "deep"});
  all.push_back({shape.height, "h", "r", "height", "vertical"});
  all.push_back({shape.width, "w", "s", "width", "horizontal"});
  return all;
}

void check_direction(const Direction& one) {
  const Axis& axis = one.axis;
  require_positive("conv", {{"input " + one.size, axis.in},
                            {"output " + one.size, axis.out},
                            {"filter " + one.size, axis.filter},
                            {one.way + " stride", axis.stride},
                            {one.way + " dilation", axis.dilation}});
}

struct Loops {
  std::vector<std::string> names;
  std::vector<std::int64_t> sizes;

  void add(const std::string& name, std::int64_t size) {
    names.push_back(name);
    sizes.push_back(size);
  }
};

/// Returns the relation that reads the elements `left` and `right` and writes the element `out`.
Relation product_text(const std::string& name, const Loops& loops, const std::string& left,
                      const std::string& right, const std::string& out) {
  const std::string from = "S[" + join(loops.names) + "] -> ";
  return {.name = name,
          .domain = box_text("S", loops.names, loops.sizes),
          .reads = "{ " + from + left + "; " + from + right + " }",
          .writes = "{ " + from + out + " }"};
}

Relation text_of(const ConvShape& shape) {
  require_positive("conv", {{"n", shape.n}, {"g", shape.g}, {"c", shape.c}, {"k", shape.k}});
  require_divides("c", shape.c, shape.g);
  require_divides("k", shape.k, shape.g);
  Loops loops{.names = {"n", "g", "k", "c"},
              .sizes = {shape.n, shape.g, shape.k / shape.g, shape.c / shape.g}};
  std::string in = "In[n,g,c", taps = "Ker[g,k,c", out = "Out[n,g,k";
  const std::vector<Direction> directions = directions_of(shape);
  for (const Direction& one : directions) {
    check_direction(one);
    in.append(",").append(window(one.axis, one.out, one.tap));
    out += "," + one.out;
    loops.add(one.out, one.axis.out);
  }
  for (const Direction& one : directions) {
    taps += "," + one.tap;
    loops.add(one.tap, one.axis.filter);
  }
  return product_text(shape.name, loops, in + "]", taps + "]", out + "]");
}

Relation text_of(const GemmShape& shape) {
  require_positive("gemm", {{"b", shape.b}, {"m", shape.m}, {"n", shape.n}, {"k", shape.k}});
  require_row("lda", shape.lda, shape.ta ? "m" : "k", shape.ta ? shape.m : shape.k);
  require_row("ldb", shape.ldb, shape.tb ? "k" : "n", shape.tb ? shape.k : shape.n);
  require_row("ldc", shape.ldc, "n", shape.n);
  Loops loops;
  if (shape.b > 1) loops.add("b", shape.b);
  loops.add("i", shape.m);
  loops.add("j", shape.n);
  loops.add("k", shape.k);
  // Matrices that all products of a batch share have no index b.
  const auto access = [&](const char* name, const auto& distance, const char* indices) {
    std::string text = name;
    text += shape.b > 1 && distance != 0 ? "[b," : "[";
    return text + indices + "]";
  };
  return product_text(shape.name, loops, access("A", shape.sa, shape.ta ? "k,i" : "i,k"),
                      access("B", shape.sb, shape.tb ? "j,k" : "k,j"),
                      access("C", shape.sc, "i,j"));
}

Relation text_of(const Relation& relation) { return relation; }

}  // namespace

Relation relation_text(const Problem& problem) {
  return std::visit([](const auto& shape) { return text_of(shape); }, problem);
}

std::vector<std::int64_t> stored_input_extents(const Problem& problem) {
  const auto* conv = std::get_if<ConvShape>(&problem);
  if (conv == nullptr) return {};
  std::vector<std::int64_t> extents = {conv->n, conv->g, conv->c / conv->g};
  for (const Direction& one : directions_of(*conv)) extents.push_back(one.axis.in);
  return extents;
}

std::string box_text(const std::string& tuple, const std::vector<std::string>& names,
                     const std::vector<std::int64_t>& size) {
  std::string bounds;
  for (std::size_t i = 0; i < names.size(); ++i)
    bounds += (i == 0 ? " : 0 <= " : " and 0 <= ") + names[i] + " < " + std::to_string(size[i]);
  return "{ " + tuple + "[" + join(names) + "]" + bounds + " }";
}

}  // namespace tileplan
