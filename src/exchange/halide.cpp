// SPDX-License-Identifier: Apache-2.0
// Loops become chains of splits of the update of one Func; reorder() is innermost first.
#include "halide.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

#include "split_loops.h"

namespace tileplan {

namespace {

bool is_reduction(const Computation& computation, const std::string& dim) {
  return computation.role(computation.dim(dim)) == Role::reduction;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string text;
  for (const std::string& each : texts) text += (text.empty() ? "" : ", ") + each;
  return text;
}

/// "In(c, 2*w + s, 2*h + r, n)": Halide's arguments are innermost first.
std::string access_text(const Computation& computation, const TensorAccess& tensor) {
  std::vector<std::string> arguments = index_texts(computation, tensor);
  std::reverse(arguments.begin(), arguments.end());
  return tensor.name + "(" + joined(arguments) + ")";
}

/// "{32, 16, 16, 1, 1}": elements of each argument.
std::string sizes_text(const Computation& computation, const TensorAccess& tensor) {
  std::vector<std::string> sizes;
  for (const std::int64_t extent : index_extents(computation, tensor))
    sizes.insert(sizes.begin(), std::to_string(extent));
  return std::string("{").append(joined(sizes)).append("}");
}

std::string var_text(const std::string& name) { return name + "{\"" + name + "\"}"; }

std::string bound_text(const std::string& name, const std::string& extent) {
  return "    Out.bound(" + name + ", 0, " + extent + ");\n";
}

std::string definition_text(const std::string& name, std::size_t index) {
  return "    " + name + " = reduction[" + std::to_string(index) + "];\n";
}

/// The members and the algorithm, the same for all schedules.
std::string algorithm_text(const Computation& computation) {
  std::vector<std::string> vars, ranges;
  std::string definitions, bounds;
  for (int d = 0; d < computation.dims(); ++d) {
    const std::string& name = computation.name(Dim{d});
    const std::string extent = std::to_string(computation.extent(Dim{d}));
    if (!is_reduction(computation, name)) {
      vars.push_back(var_text(name));
      bounds += bound_text(name, extent);
    } else {
      definitions += definition_text(name, ranges.size());
      ranges.push_back(std::string("{0, ").append(extent).append("}"));
    }
  }
  std::vector<std::string> rvars;
  for (int d = 0; d < computation.dims(); ++d)
    if (is_reduction(computation, computation.name(Dim{d})))
      rvars.push_back(computation.name(Dim{d}));
  const auto& tensors = computation.tensors;
  const auto rank = [&](std::size_t t) { return std::to_string(tensors[t].data.size()); };
  TensorAccess output = tensors[2];
  output.name = "Out";
  const std::string out = access_text(computation, output);
  const std::string type =
      "{Halide::Float(" + std::to_string(8 * computation.element_bytes()) + "), ";
  const char* const zero = type_of(computation.problem) == ElementType::f64 ? "0.0" : "0.0f";
  return "struct Product {\n  Halide::ImageParam " + tensors[0].name + type + rank(0) + "}, " +
         tensors[1].name + type + rank(1) + "};\n  Halide::Func Out{\"Out\"};\n  Halide::Var " +
         joined(vars) + ";\n  Halide::RDom reduction{Halide::Region{" + joined(ranges) +
         "}};\n  Halide::RVar " + joined(rvars) + ";\n\n  Product() {\n" + definitions + "    " +
         out + " = " + zero + ";\n    " + out + " += " + access_text(computation, tensors[0]) +
         " * " + access_text(computation, tensors[1]) + ";\n" + bounds +
         "  }\n\n  std::vector<Halide::ImageParam*> inputs() { return {&" + tensors[0].name +
         ", &" + tensors[1].name +
         "}; }\n  /// Of the inputs and the output, in the order of their arguments.\n"
         "  static std::vector<std::vector<int>> sizes() {\n    return {" +
         sizes_text(computation, tensors[0]) + ", " + sizes_text(computation, tensors[1]) + ", " +
         sizes_text(computation, tensors[2]) + "};\n  }\n};\n";
}

/// The names of the loops that a schedule makes of each dim.
struct NamedLoop {
  SplitLoop loop;
  std::string name;
};

std::vector<NamedLoop> named(const std::vector<SplitLoop>& loops) {
  std::vector<NamedLoop> result;
  std::map<std::string, int> counts;
  result.reserve(loops.size());
  for (const SplitLoop& loop : loops)
    result.push_back({loop, loop.dim + "_" + std::to_string(counts[loop.dim]++)});
  return result;
}

std::string split_text(const std::string& left, const NamedLoop& outer, const std::string& inner) {
  return "      .split(" + left + ", " + outer.name + ", " + inner + ", " +
         std::to_string(outer.loop.step) + ", Halide::TailStrategy::GuardWithIf)\n";
}

/// The splits of one dim: from the outermost loop inwards, what is left is split again.
std::string splits_of(const std::string& dim, const std::vector<NamedLoop>& loops) {
  std::vector<const NamedLoop*> own;
  for (const NamedLoop& each : loops)
    if (each.loop.dim == dim) own.push_back(&each);
  std::string text, left = "p." + dim;
  for (std::size_t i = 0; i + 1 < own.size(); ++i) {
    const bool last = i + 2 == own.size();
    const std::string inner = last ? own[i + 1]->name : own[i]->name + "_in";
    text += split_text(left, *own[i], inner);
    left = inner;
  }
  return text;
}

/// A dim of one loop keeps its variable.
std::string variable_of(const NamedLoop& loop, const std::vector<NamedLoop>& loops) {
  const auto same = [&](const NamedLoop& each) { return each.loop.dim == loop.loop.dim; };
  return std::count_if(loops.begin(), loops.end(), same) == 1 ? "p." + loop.loop.dim : loop.name;
}

std::string declarations_of(const Computation& computation, const std::vector<NamedLoop>& loops) {
  std::string text;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const std::string& dim = loops[i].loop.dim;
    if (variable_of(loops[i], loops) != loops[i].name) continue;
    const auto inside =
        std::count_if(loops.begin() + static_cast<std::ptrdiff_t>(i) + 1, loops.end(),
                      [&](const NamedLoop& each) { return each.loop.dim == dim; });
    const std::string type = is_reduction(computation, dim) ? "RVar " : "Var ";
    text.append("  Halide::").append(type).append(var_text(loops[i].name));
    if (inside > 1) text.append(", ").append(var_text(loops[i].name + "_in"));
    text += ";\n";
  }
  return text;
}

std::string schedule_text(const Schedule& schedule, const Computation& computation, int lanes) {
  const std::vector<NamedLoop> loops = named(split_loops(schedule, computation, lanes));
  std::vector<std::string> inwards;
  std::string text, marks;
  for (int d = 0; d < computation.dims(); ++d) text += splits_of(computation.name(Dim{d}), loops);
  for (const NamedLoop& each : loops) {
    const std::string variable = variable_of(each, loops);
    inwards.insert(inwards.begin(), variable);
    if (each.loop.kind == Kind::parallel) marks += "      .parallel(" + variable + ")\n";
    if (each.loop.kind == Kind::unroll) marks += "      .unroll(" + variable + ")\n";
    if (each.loop.kind == Kind::vector) marks += "      .vectorize(" + variable + ")\n";
  }
  const std::string vectorised = "p." + schedule.loops.back().dim;
  return declarations_of(computation, loops) + "  p.Out.vectorize(" + vectorised + ", " +
         std::to_string(lanes) + ", Halide::TailStrategy::GuardWithIf);\n  p.Out.update()\n" +
         text + "      .reorder({" + joined(inwards) + "})\n" + marks.substr(0, marks.size() - 1) +
         ";\n";
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
         joined(names) + "};\n}\n\n}  // namespace tileplan_candidates\n";
}

}  // namespace tileplan
