// SPDX-License-Identifier: Apache-2.0
// Convolutions are given as benchdnn descriptors, and products as the sizes of A and B.
#include "workload.h"

#include <algorithm>
#include <sstream>

#include "shape_rules.h"
#include "tileplan/error.h"
#include "words.h"

namespace tileplan {
namespace {

std::string tag_of(Layout layout) {
  if (layout == Layout::nchw) return "abx";
  if (layout == Layout::nChw16c) return "aBx16b";
  return layout == Layout::nChw8c ? "aBx8b" : "axb";
}

std::string shapes_text(const GemmShape& shape) {
  const std::string batch = shape.b > 1 ? std::to_string(shape.b) + "x" : "";
  const std::string m = std::to_string(shape.m), n = std::to_string(shape.n);
  const std::string k = std::to_string(shape.k);
  return batch + m + "x" + k + ":" + batch + k + "x" + n;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream{std::string(text)};
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// Splits "16x128x512:16x512x256" into the sizes of each operand.
std::vector<std::vector<std::string>> operand_sizes(const std::string& text) {
  std::vector<std::vector<std::string>> sizes;
  for (const std::string& operand : split(text, ':')) sizes.push_back(split(operand, 'x'));
  return sizes;
}

/// Translates "128x512:512x256" or "16x128x512:16x512x256" into the text of a problem.
std::string product_text(const std::string& text) {
  const std::vector<std::vector<std::string>> sizes = operand_sizes(text);
  const bool right = sizes.size() >= 2 && sizes[0].size() == sizes[1].size() &&
                     (sizes[0].size() == 2 || sizes[0].size() == 3);
  if (!right)
    throw Error(in_quotes(text) + "; must be the shapes of A and B, MxK:KxN or BxMxK:BxKxN");
  const std::size_t last = sizes[0].size() - 1;
  if (sizes[0][last] != sizes[1][last - 1] || (last == 2 && sizes[0][0] != sizes[1][0]))
    throw Error(in_quotes(text) + "; the shapes of A and B must agree");
  return (last == 2 ? "b" + sizes[0][0] : "") + "m" + sizes[0][last - 1] + "n" + sizes[1][last] +
         "k" + sizes[0][last];
}

/// Returns true for the options of benchdnn listed below, which choose layouts or the way to run.
/// These options do not change the problem.
bool is_layout_or_mode(std::string_view option) {
  for (const char* name : {"--reset", "--stag=", "--dtag=", "--wtag=", "--mode=",
                           "--perf-template=", "--fix-times-per-prb=", "--cold-cache="})
    if (option.starts_with(name)) return true;
  return false;
}

Problem problem_of_line(const std::string& line) {
  bool product = false;
  std::string type, rest, word;
  for (std::istringstream words(line); words >> word;) {
    if (word == "--conv" || is_layout_or_mode(word)) continue;
    if (word == "--matmul")
      product = true;
    else if (word.starts_with("--dt="))
      type = word + " ";
    else
      rest += (rest.empty() ? "" : " ") + word;
  }
  return parse_problem(type + (product ? product_text(rest) : rest));
}

/// Holds the fields of a log line that describe the executed primitive.
struct LoggedPrimitive {
  std::string kind, propagation, types, shape;
};

/// Parses a line of a verbose log. Returns nothing for lines that report no execution. Throws Error
/// for an execution with too few fields.
std::optional<LoggedPrimitive> parse_log_line(const std::string& line) {
  const std::vector<std::string> fields = split(line, ',');
  const auto exec = std::find(fields.begin(), fields.end(), "exec");
  constexpr std::ptrdiff_t kKind = 2, kPropagation = 4, kTypes = 5, kShape = 8;
  if (exec == fields.end()) return std::nullopt;
  if (fields.end() - exec <= kShape)
    throw Error("an execution of " + std::to_string(fields.end() - exec) +
                " fields; must be whole, at least " + std::to_string(kShape + 1));
  return LoggedPrimitive{exec[kKind], exec[kPropagation], exec[kTypes], exec[kShape]};
}

/// Returns true when the input is f32. Its text depends on the version of oneDNN:
/// "src_f32::blocked", "src:f32::blocked" or "src:f32:a:blocked".
bool reads_f32(const LoggedPrimitive& run) {
  return run.types.find("src_f32:") != std::string::npos ||
         run.types.find("src:f32:") != std::string::npos;
}

/// Returns true for products of two matrices or of two equally large batches of matrices. Returns
/// false for more dimensions, and when a batch shares an operand, as in "12x128x64:1x64x128".
bool is_plain_product(const std::string& text) {
  const std::vector<std::vector<std::string>> sizes = operand_sizes(text);
  // A text without two operands is accepted here, because product_text() throws Error for it.
  if (sizes.size() < 2) return true;
  const std::vector<std::string>&a = sizes[0], &b = sizes[1];
  return a.size() == b.size() && (a.size() == 2 || (a.size() == 3 && a[0] == b[0]));
}

/// Returns the reason why `run` is not a layer, or nothing when it is one.
std::optional<std::string> why_skipped(const LoggedPrimitive& run) {
  if (run.kind != "convolution" && run.kind != "matmul") return run.kind;
  if (!reads_f32(run)) return run.kind + " of other types than f32";
  if (run.kind == "matmul" && !is_plain_product(run.shape))
    return "matmul of more dimensions, or with operands shared by a batch";
  if (run.kind == "convolution" && !run.propagation.starts_with("forward"))
    return run.kind + " " + run.propagation;
  return std::nullopt;
}

void add(LayerList& workload, const Problem& problem) {
  const auto found = std::ranges::find(workload.layers, problem, &WorkloadLayer::problem);
  if (found == workload.layers.end())
    workload.layers.push_back({.problem = problem});
  else
    ++found->count;
}

void add_line(LayerList& workload, const std::string& line) {
  if (!line.starts_with("onednn_verbose,") && !line.starts_with("dnnl_verbose,"))
    return add(workload, problem_of_line(line));
  const std::optional<LoggedPrimitive> run = parse_log_line(line);
  if (!run) return;
  if (const auto reason = why_skipped(*run))
    ++workload.skipped[*reason];
  else
    add(workload, parse_problem(run->kind == "matmul" ? product_text(run->shape) : run->shape));
}

/// Returns true for combinations of types for which oneDNN has primitives.
bool has_primitives(const TensorTypes& types) {
  using enum ElementType;
  const bool is_byte = types.input == u8 || types.input == s8;
  return (is_byte && types.weights == s8) || types == f32 || types.input == bf16 ||
         types.input == f16;
}

}  // namespace

std::optional<std::string> why_no_benchdnn(const Problem& problem) {
  if (std::holds_alternative<Relation>(problem)) return "a computation written as relations";
  if (!has_primitives(types_of(problem))) return "tensors of " + to_string(types_of(problem));
  if (const auto* gemm = std::get_if<GemmShape>(&problem)) {
    if (gemm->ta || gemm->tb) return "transposed matrices";
    if (gemm->sa || gemm->sb || gemm->sc) return "distances between the matrices of a batch";
    if (gemm->lda != gemm->k || gemm->ldb != gemm->n || gemm->ldc != gemm->n)
      return "rows that are further apart than they are long";
  }
  if (const auto* conv = std::get_if<ConvShape>(&problem))
    if (needs_pad_after(*conv)) return "padding after the input that oneDNN does not deduce";
  return std::nullopt;
}

std::string to_benchdnn(const Problem& problem, const Schedule& schedule) {
  const std::string types = to_string(types_of(problem));
  if (const auto* gemm = std::get_if<GemmShape>(&problem))
    return "--matmul --dt=" + types + " " + shapes_text(*gemm);
  ConvShape shape = std::get<ConvShape>(problem);
  // The descriptor leaves the types out, because the option --dt names them.
  shape.types = ElementType::f32;
  const std::string& name = shape.name;
  return "--conv --dt=" + types + " --dir=FWD_D --stag=" + tag_of(schedule.in) +
         " --dtag=" + tag_of(schedule.out) + " " + to_string(shape) +
         (name.empty() ? "" : "n\"" + name + "\"");
}

LayerList read_workload(const std::string& text, const std::string& origin) {
  LayerList workload;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string content(trimmed(line.substr(0, line.find('#'))));
    if (content.empty()) continue;
    try {
      add_line(workload, content);
    } catch (const Error& error) {
      throw Error(origin + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  if (workload.layers.empty())
    throw Error(origin + ": no convolution and no matrix product; must have one");
  return workload;
}

}  // namespace tileplan
