// SPDX-License-Identifier: Apache-2.0
// This file writes loops as chains of splits of one Func. Halide lists loops innermost first.
#include <algorithm>

#include "split_loops.h"
#include "text_template.h"
#include "writers.h"

namespace tileplan {
namespace {

bool is_reduction(const Computation& computation, const std::string& dim) {
  return computation.role(computation.dim(dim)) == Role::reduction;
}

/// Returns a text such as "In(c, 2*w + s, 2*h + r, g, n)".
std::string access_text(const Computation& computation, const TensorAccess& tensor,
                        const std::string& name) {
  std::vector<std::string> arguments = index_texts(computation, tensor);
  std::reverse(arguments.begin(), arguments.end());
  return name + "(" + comma_separated(arguments) + ")";
}

std::string sizes_text(const Computation& computation, const TensorAccess& tensor) {
  std::vector<std::string> sizes;
  for (const std::int64_t extent : index_extents(computation, tensor))
    sizes.insert(sizes.begin(), std::to_string(extent));
  return fill("{$}", {comma_separated(sizes)});
}

std::string var_text(const std::string& name) { return name + "{\"" + name + "\"}"; }

/// Returns Halide's expression for `type`, such as "Halide::Float(32)".
std::string type_text(ElementType type) {
  const bool is_short_float = type == ElementType::bf16;
  const char* const kind = is_short_float            ? "BFloat"
                           : type == ElementType::u8 ? "UInt"
                           : is_integer(type)        ? "Int"
                                                     : "Float";
  return fill("Halide::$($)", {kind, std::to_string(8 * bytes_of(type))});
}

std::string parameter_text(const TensorAccess& tensor) {
  return tensor.name + "{" + type_text(tensor.type) + ", " + std::to_string(tensor.data.size()) +
         "}";
}

/// Returns access_text() of an input, converted to the type of the sums.
std::string factor_text(const Computation& computation, const TensorAccess& tensor) {
  const std::string access = access_text(computation, tensor, tensor.name);
  const ElementType sums = computation.tensor(Operand::output).type;
  return tensor.type == sums ? access : fill("Halide::cast($, $)", {type_text(sums), access});
}

std::string zero_text(ElementType type) {
  if (is_integer(type)) return "0";
  return type == ElementType::f64 ? "0.0" : "0.0f";
}

/// The functions of all schedules use this class and its algorithm.
constexpr const char* kAlgorithm = R"(struct Product {
  Halide::ImageParam $;
  Halide::Func Out{"Out"};
  Halide::Var $;
  Halide::RDom reduction{Halide::Region{$}};
  Halide::RVar $;

  Product() {
$    $ = $;
    $ += $ * $;
$  }

  std::vector<Halide::ImageParam*> inputs() { return {&$, &$}; }
  /// Returns the extents of the inputs and the output, in the order of the arguments.
  static std::vector<std::vector<int>> sizes() {
    return {$};
  }
};
)";

std::string algorithm_text(const Computation& computation) {
  std::vector<std::string> vars, ranges, reduced, sizes;
  std::string definitions, bounds;
  for (int d = 0; d < computation.dims(); ++d) {
    const std::string& name = computation.name(Dim{d});
    const std::string range = "0, " + std::to_string(computation.extent(Dim{d}));
    if (is_reduction(computation, name)) {
      definitions += fill("    $ = reduction[$];\n", {name, std::to_string(ranges.size())});
      ranges.push_back(fill("{$}", {range}));
      reduced.push_back(name);
    } else {
      bounds += fill("    Out.bound($, $);\n", {name, range});
      vars.push_back(var_text(name));
    }
  }
  const TensorAccess &left = computation.tensors[0], &right = computation.tensors[1],
                     &out = computation.tensors[2];
  for (const TensorAccess& tensor : computation.tensors)
    sizes.push_back(sizes_text(computation, tensor));
  const std::string product = access_text(computation, out, "Out"), zero = zero_text(out.type);
  return fill(kAlgorithm,
              {parameter_text(left) + ", " + parameter_text(right), comma_separated(vars),
               comma_separated(ranges), comma_separated(reduced), definitions, product, zero,
               product, factor_text(computation, left), factor_text(computation, right), bounds,
               left.name, right.name, comma_separated(sizes)});
}

/// Describes a loop. Unless it is the innermost one of its dimension, a split makes it: the loop
/// over the remaining iterations becomes a loop over `name` around a loop over `inner`.
struct NamedLoop {
  SplitLoop loop;
  std::string name;   ///< A dimension with one loop has the variable `p.DIM` of the algorithm.
  std::string inner;  ///< This name is empty for the innermost loop of a dimension.
};

std::vector<NamedLoop> name_loops(const std::vector<SplitLoop>& loops) {
  std::vector<NamedLoop> result;
  std::map<std::string, int> counts;
  for (const SplitLoop& loop : loops) {
    const auto all = std::ranges::count(loops, loop.dim, &SplitLoop::dim);
    const int index = counts[loop.dim]++;
    const auto numbered = [&](int number) { return loop.dim + "_" + std::to_string(number); };
    result.push_back({loop, all == 1 ? "p." + loop.dim : numbered(index), ""});
    if (index + 1 < all)
      result.back().inner = index + 2 == all ? numbered(index + 1) : numbered(index) + "_in";
  }
  return result;
}

std::string splits_of(const std::string& dim, const std::vector<NamedLoop>& loops) {
  std::string text, left = "p." + dim;
  for (const auto& [loop, name, inner] : loops) {
    if (loop.dim != dim || inner.empty()) continue;
    text += fill("      .split($, $, $, $, Halide::TailStrategy::GuardWithIf)\n",
                 {left, name, inner, std::to_string(loop.step)});
    left = inner;
  }
  return text;
}

std::string declarations_of(const Computation& computation, const std::vector<NamedLoop>& loops) {
  std::string text;
  for (const auto& [loop, name, inner] : loops) {
    if (name.starts_with("p.")) continue;
    const std::string type = is_reduction(computation, loop.dim) ? "RVar " : "Var ";
    text.append("  Halide::").append(type).append(var_text(name));
    if (inner.ends_with("_in")) text.append(", ").append(var_text(inner));
    text += ";\n";
  }
  return text;
}

std::string schedule_text(const Schedule& schedule, const Computation& computation, int lanes) {
  const std::vector<NamedLoop> loops = name_loops(split_loops(schedule, computation, lanes));
  std::vector<std::string> inwards;
  std::string text, marks;
  for (int d = 0; d < computation.dims(); ++d) text += splits_of(computation.name(Dim{d}), loops);
  for (const auto& [loop, name, inner] : loops) {
    inwards.insert(inwards.begin(), name);
    if (loop.kind == Kind::parallel) marks += "      .parallel(" + name + ")\n";
    if (loop.kind == Kind::unroll) marks += "      .unroll(" + name + ")\n";
    if (loop.kind == Kind::vector) marks += "      .vectorize(" + name + ")\n";
  }
  return declarations_of(computation, loops) +
         fill(
             "  p.Out.vectorize(p.$, $, Halide::TailStrategy::GuardWithIf);\n"
             "  p.Out.update()\n$      .reorder({$})\n$;\n",
             {schedule.loops.back().dim, std::to_string(lanes), text, comma_separated(inwards),
              marks.substr(0, marks.size() - 1)});
}

}  // namespace

std::string halide_header(const std::vector<Schedule>& schedules, const Computation& computation,
                          int lanes) {
  std::string text = "// " + to_string(computation.problem) +
                     ": its algorithm and schedules for Halide, best first; written by tileplan.\n"
                     "#pragma once\n\n#include <Halide.h>\n\n#include <vector>\n\n"
                     "namespace tileplan_candidates {\n\n" +
                     algorithm_text(computation);
  std::vector<std::string> names;
  for (const Schedule& schedule : schedules) {
    names.push_back("schedule_" + std::to_string(names.size() + 1));
    text += "\n// " + to_string(schedule) + "\ninline void " + names.back() + "(Product& p) {\n" +
            schedule_text(schedule, computation, lanes) + "}\n";
  }
  return text + "\ninline std::vector<void (*)(Product&)> schedules() {\n  return {" +
         comma_separated(names) + "};\n}\n\n}  // namespace tileplan_candidates\n";
}

}  // namespace tileplan
