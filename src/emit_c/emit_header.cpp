// SPDX-License-Identifier: Apache-2.0
// The head comment of an emitted file tells what a reader needs to call its functions.
#include "emit_header.h"

#include <cstring>

#include "emit_stages.h"

namespace tileplan {
namespace {

/// Returns the computation of the problem. context.computation differs from it if the loops run
/// over strips or over the products of a Winograd convolution.
const Computation& computation_of(const EmitContext& context) {
  if (context.stages != nullptr) return context.stages->elements;
  return context.winograd != nullptr ? context.winograd->computation : context.computation;
}

void describe_problem(CWriter& out, const EmittedHead& head) {
  const EmitContext& context = head.context;
  const Computation& given = computation_of(context);
  const auto size = [&](Operand operand, Layout layout) {
    return given.tensor(operand).name + " " +
           std::to_string(layout_of(given, operand, layout).elements) + " " +
           (context.stages != nullptr ? to_string(given.tensor(operand).type)
                                      : context.number(operand) + "s") +
           ", " + to_string(layout);
  };
  out.line("/* Written by tileplan emit.");
  out.line(" * problem   " + to_string(given.problem));
  out.line(" * schedule  " + to_string(head.schedule));
  out.line(" * isa       " + head.isa);
  out.line(" * input     " + size(Operand::input, head.schedule.in));
  out.line(" * weights   " + size(Operand::weights, Layout::plain));
  out.line(" * output    " + size(Operand::output, head.schedule.out));
  if (head.epilogue == Epilogue{}) return;
  out.line(" * epilogue  " + to_string(head.epilogue));
  if (head.epilogue.bias)
    out.line(" * bias      " + std::to_string(bias_layout(given).elements) + " " +
             context.number() + "s");
  if (head.epilogue.add) out.line(" * residual  as the output");
}

/// Writes the end of the head comment and the declarations of a file with stages.
void declare_stages(CWriter& out, const EmittedHead& head) {
  const StagePlan& stages = *head.context.stages;
  const auto define = [&](const char* what, std::int64_t bytes) {
    out.line("#define " + head.name + "_" + what + "_bytes INT64_C(" + std::to_string(bytes) + ")");
  };
  describe_stages(out, head);
  out.line(" * " + head.name + "_pack orders the weights as the loops of " + head.name +
           "_run read them. */");
  out.line("#include <stdint.h>");
  out.line("");
  define("packed",
         packed_sections(stages, head.context.computation, head.context.program.weights).bytes);
  const std::int64_t workspace = workspace_sections(stages, head.context.computation).bytes;
  if (workspace > 0) define("workspace", workspace);
  out.line(signature(head, "pack") + ";");
  out.line(signature(head, "run") + ";");
  out.line("");
}

}  // namespace

void emit_header(CWriter& out, const EmittedHead& head) {
  describe_problem(out, head);
  if (head.context.stages != nullptr) return declare_stages(out, head);
  const bool is_packed = head.context.is_packed();
  const std::string packed = std::to_string(head.context.program.weights.elements());
  const std::string numbers = head.context.number(Operand::weights) + "s";
  if (is_packed) {
    out.line(" * " + head.name + "_pack orders the weights as the loops of " + head.name +
             "_run read them:");
    out.line(" * " + packed + " " + numbers + ", the last vector filled up with zeros. */");
  } else {
    out.line(" * " + head.name + "_run takes plain weights. */");
  }
  out.line("#include <stdint.h>");
  out.line("");
  if (is_packed) {
    out.line("#define " + head.name + "_packed_" + numbers + " INT64_C(" + packed + ")");
    out.line(signature(head, "pack") + ";");
  }
  out.line(signature(head, "run") + ";");
  out.line("");
}

std::string signature(const EmittedHead& head, const std::string& verb) {
  const EmitContext& context = head.context;
  const std::string start = "void " + head.name + "_" + verb;
  if (context.stages != nullptr)
    return (verb == "loops" ? "static " : "") + start + "(" + stage_parameters(head, verb) + ")";
  const auto reads = [&](const char* name, Operand operand = Operand::output) {
    return "const " + context.number(operand) + " *restrict " + name + ", ";
  };
  const auto writes = [&](const char* name, Operand operand) {
    return context.number(operand) + " *restrict " + name + ")";
  };
  if (verb == "pack")
    return start + "(" + reads("weights", Operand::weights) + writes("packed", Operand::weights);
  return start + "(" + reads("input", Operand::input) +
         reads(context.is_packed() ? "packed" : "weights", Operand::weights) +
         (head.epilogue.bias ? reads("bias") : "") + (head.epilogue.add ? reads("residual") : "") +
         writes("output", Operand::output);
}

std::string header_of(const std::string& source) {
  const std::string include = "#include <stdint.h>\n\n";
  const std::size_t from = source.find(include) + include.size();
  std::string declarations = source.substr(from, source.find("\n\n", from) + 1 - from);
  // The header also serves C++, which has no `restrict`. The qualifier does not belong to the type
  // of a function.
  for (std::size_t at = 0; (at = declarations.find("restrict ", at)) != std::string::npos;)
    declarations.erase(at, std::strlen("restrict "));
  return source.substr(0, from - include.size()) + "#pragma once\n\n" + include +
         "#ifdef __cplusplus\nextern \"C\" {\n#endif\n" + declarations +
         "#ifdef __cplusplus\n}\n#endif\n";
}

}  // namespace tileplan
