// SPDX-License-Identifier: Apache-2.0
// This file writes the headers and sources that all steps share. Names from models appear in
// comments only, so that they cannot become code.
#include "network_files.h"

#include <algorithm>
#include <cctype>

#include "emit_parts.h"
#include "tileplan/version.h"

namespace tileplan {
namespace {

const GraphValue& value_at(const Graph& graph, int at) {
  return graph.values[static_cast<std::size_t>(at)];
}

std::string parameter(const CParameter& each) {
  return (each.is_output ? "float *restrict " : "const float *restrict ") + each.name;
}

std::string signature_of(const NamedFunction& named) {
  std::string parameters;
  for (const CParameter& each : named.function.parameters)
    parameters += (parameters.empty() ? "" : ", ") + parameter(each);
  return "void " + named.name + "(" + parameters + ")";
}

/// Calls visit(name, value) for each input and output, in the order of the parameters.
template <class Visit>
void for_each_tensor(const Graph& graph, const Visit& visit) {
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    visit(parameter_name(graph, false, static_cast<int>(i)), value_at(graph, graph.inputs[i]));
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    visit(parameter_name(graph, true, static_cast<int>(i)), value_at(graph, graph.outputs[i]));
}

std::string arguments_of(const Graph& graph) {
  std::string text;
  for_each_tensor(graph, [&](const std::string& name, const GraphValue&) { text += name + ", "; });
  return text;
}

int threads_of(const NetworkPlan& plan) {
  return plan.layers.empty() ? 1 : plan.layers.front().plan.options.threads;
}

/// Writes a comment that tells how to compile and call the network.
void describe(CWriter& out, const NetworkFacts& facts) {
  const std::string& name = facts.name;
  const int threads = threads_of(facts.plan);
  out.line("/* The network " + comment_text(facts.plan.name) + " in C for " + facts.target.name +
           ", written by tileplan " + version() + ".");
  out.line(" * Compile:  cc -O3 -fno-math-errno -c " + name + "*.c, and link with -lm.");
  if (threads > 1)
    out.line(" *           Layers use " + std::to_string(threads) +
             " threads with -fopenmp and OMP_NUM_THREADS=" + std::to_string(threads) + ".");
  out.line(" * Call:     void *weights = " + name + "_load(\"" + name + ".weights\");");
  out.line(" *           void *workspace = aligned_alloc(64, " + name + "_workspace_bytes);");
  out.line(" *           " + name + "_run(weights, " + arguments_of(*facts.plan.rewritten) +
           "workspace);");
  out.line(
      " * All tensors are row-major arrays of float: an image is [batch][channel][row][column].");
  for_each_tensor(*facts.plan.rewritten, [&](const std::string& each, const GraphValue& value) {
    out.line(" *   " + each + ": " + shape_text(*value.shape) + ", " + comment_text(value.name));
  });
  out.line(" */");
}

void write_sizes(CWriter& out, const NetworkFacts& facts) {
  const auto define = [&](const std::string& what, std::int64_t size) {
    out.directive("#define " + facts.name + "_" + what + " INT64_C(" + std::to_string(size) + ")");
  };
  define("weights_bytes", facts.weights_bytes);
  define("workspace_bytes", facts.workspace_bytes);
  for_each_tensor(*facts.plan.rewritten, [&](const std::string& each, const GraphValue& value) {
    define(each + "_floats", elements_of(*value.shape));
  });
}

void write_declarations(CWriter& out, const NetworkFacts& facts) {
  write_lines(out, R"(
/* Returns the weights in the file at `path`, or a null pointer when it cannot be read or belongs to
 * other C files. free() releases them. Any memory that holds the file will do as well, for example
 * a mapping of it; it must begin at a multiple of 64 bytes. */)");
  out.line("void *" + facts.name + "_load(const char *path);");
  write_lines(out, R"(
/* Computes the outputs. Allocates nothing. Threads may call it at once, each with outputs and a
 * workspace of its own; the workspace begins at a multiple of 64 bytes, and needs no values. */)");
  out.line(run_signature(facts) + ";");
}

}  // namespace

std::string comment_text(const std::string& text) {
  constexpr std::size_t kMost = 100;
  std::string allowed = text.substr(0, kMost);
  for (char& c : allowed)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 &&
        std::string_view(" ._-:()[]+,=#/").find(c) == std::string_view::npos)
      c = '_';
  return allowed;
}

std::string parameter_name(const Graph& graph, bool is_output, int index) {
  const std::size_t count = is_output ? graph.outputs.size() : graph.inputs.size();
  return std::string(is_output ? "output" : "input") + (count == 1 ? "" : std::to_string(index));
}

std::string run_signature(const NetworkFacts& facts) {
  std::string text = "void " + facts.name + "_run(const void *weights, ";
  const Graph& graph = *facts.plan.rewritten;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    text += "const float *" + parameter_name(graph, false, static_cast<int>(i)) + ", ";
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    text += "float *" + parameter_name(graph, true, static_cast<int>(i)) + ", ";
  return text + "void *workspace)";
}

std::string network_header(const NetworkFacts& facts) {
  CWriter out;
  describe(out, facts);
  out.directive("#pragma once\n\n#include <stdint.h>\n");
  out.directive("#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
  write_sizes(out, facts);
  out.line("");
  write_declarations(out, facts);
  out.directive("\n#ifdef __cplusplus\n}\n#endif");
  return out.text();
}

std::string network_source(const NetworkFacts& facts, const std::string& calls) {
  CWriter out;
  out.line("/* Written by tileplan emit: the steps of " + facts.name + ".h. */");
  out.directive("#include \"" + facts.name + ".h\"\n\n#include \"" + facts.name + "_steps.h\"\n");
  out.directive("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n");
  if (facts.scratch > 0)
    out.line(
        "/* Kernels share the boxes in which they pack or transform tensors. */\n"
        "_Alignas(64) _Thread_local float " +
        facts.name + "_scratch[" + std::to_string(facts.scratch) + "];\n");
  out.open("void *" + facts.name + "_load(const char *path)");
  out.line("static const char identity[] = \"" + facts.identity + "\";");
  out.line("const size_t size = " + facts.name + "_weights_bytes;");
  write_lines(out, R"(
FILE *const file = fopen(path, "rb");
char *const weights = file ? aligned_alloc(64, size) : NULL;
const int is_whole = weights && fread(weights, 1, size, file) == size && fgetc(file) == EOF;
if (file) fclose(file);
if (is_whole && memcmp(weights, identity, sizeof identity - 1) == 0) return weights;
free(weights);
return NULL;)");
  out.close();
  out.line("");
  out.directive("#define WEIGHTS(byte) ((const float *)((const char *)weights + (byte)))");
  out.directive("#define TENSOR(byte) ((float *)((char *)workspace + (byte)))\n");
  return out.text() + run_signature(facts) + " {\n" + calls + "}\n";
}

std::string steps_header(const NetworkFacts& facts, const std::vector<std::string>& declarations,
                         const std::vector<NamedFunction>& functions) {
  CWriter out;
  out.line("/* Written by tileplan emit: the functions that " + facts.name + "_run calls. */");
  out.directive("#pragma once\n\n#include <stdint.h>\n");
  for (const std::string& each : declarations) out.line(each);
  for (const NamedFunction& each : functions) out.line(signature_of(each) + ";");
  return out.text();
}

std::string operators_source(const NetworkFacts& facts,
                             const std::vector<NamedFunction>& functions) {
  CWriter out;
  out.line("/* Written by tileplan emit: the operators of " + facts.name +
           " that are no convolutions or products. */");
  out.directive("#include <math.h>\n#include <stdint.h>\n\n#include \"" + facts.name +
                "_steps.h\"\n");
  emit_kernel_macro(out, facts.target);
  std::string text = out.text();
  for (const NamedFunction& each : functions) {
    text += "\n";
    if (each.function.contracts) text += "KERNEL\n";
    text += signature_of(each) + " " + each.function.body;
  }
  return text;
}

}  // namespace tileplan
