// SPDX-License-Identifier: Apache-2.0
// As far as the types, layouts and zero points need it, a run copies the input and adds corrections
// to the bias before the loops, and finishes their sums after them, like an assembled kernel.
#include "emit_stages.h"

#include <algorithm>

#include "c_text.h"

namespace tileplan {
namespace {

bool is_channel(Granularity granularity) { return granularity == Granularity::channel; }

std::string pointer_to(const std::string& type, const std::string& name, bool is_const = true) {
  return (is_const ? "const " : "") + type + " *restrict " + name + ", ";
}

/// Returns the parameters of the function NAME_loops, which have the types of the loops.
std::string loop_parameters(const EmitContext& context) {
  const Epilogue& epilogue = context.epilogue;
  return pointer_to(context.number(Operand::input), "input") +
         pointer_to(context.number(Operand::weights), "packed") +
         (epilogue.bias ? pointer_to(context.number(), "bias") : "") +
         (epilogue.add ? pointer_to(context.number(), "residual") : "") + context.number() +
         " *restrict output";
}

std::string run_parameters(const EmitContext& context) {
  const StagePlan& stages = *context.stages;
  const Quantisation& numbers = stages.epilogue.quantisation;
  const std::string output = c_type(stages.output_type());
  std::string text = pointer_to(c_type(stages.elements.tensor(Operand::input).type), "input") +
                     pointer_to("void", "packed");
  if (stages.epilogue.bias) text += pointer_to(c_type(stages.types.sums), "bias");
  if (stages.epilogue.add) text += pointer_to(output, "residual");
  if (numbers.scales != Granularity::none) text += pointer_to("float", "scales");
  if (numbers.input_zero_point) text += "int32_t input_zero_point, ";
  if (numbers.scaled_residual) text += "float residual_scale, int32_t residual_zero_point, ";
  if (numbers.output_zero_point) text += "int32_t output_zero_point, ";
  text += output + " *restrict output";
  if (workspace_sections(stages, context.computation).bytes > 0)
    text += ", void *restrict workspace";
  return text;
}

/// Returns the axes of the input of the loops except that of the strips, outermost first.
std::vector<std::size_t> copied_axes(const TensorLayout& layout, std::size_t strips) {
  std::vector<std::size_t> axes;
  for (std::size_t a = 0; a < layout.axes.size(); ++a)
    if (a != strips) axes.push_back(a);
  std::ranges::stable_sort(axes, std::greater<>(),
                           [&](std::size_t a) { return layout.axes[a].stride; });
  return axes;
}

class InputCopy {
 public:
  InputCopy(CWriter& out, const EmitContext& context)
      : out_(out),
        stages_(*context.stages),
        source_(stages_.elements.tensor(Operand::input)),
        target_(context.computation.tensor(Operand::input)),
        from_(layout_of(stages_.elements, Operand::input, stages_.in)),
        to_(input_layout(stages_, context.computation)),
        taps_(joined_taps(stages_.elements, context.computation)),
        channel_axis_(find_term(source_, strip_dim(stages_.elements))->index),
        strip_axis_(find_term(target_, strip_dim(stages_.elements))->index),
        indices_(source_.data.size()) {}

  void emit() {
    const std::string type = c_type(target_.type);
    const std::vector<std::size_t> axes = copied_axes(to_, strip_axis_);
    emit_parallel(out_, stages_, axes.size());
    std::vector<LinearText> to(target_.data.size());
    for (const std::size_t a : axes) {
      const std::string i = std::string(1, 'i').append(std::to_string(a));
      open_for(out_, i, "0", number(target_.data[a].extent));
      to[a].add(1, i);
      // In the copy of a transposed matrix, the last two axes are exchanged.
      indices_[a == channel_axis_ ? strip_axis_ : a].add(1, i);
    }
    indices_[channel_axis_].add(1, std::string("c"));
    out_.line(type + " *const to = (" + type + " *)copied + " + number(target_.strip) + " * (" +
              offset_of(to_, to) + ");");
    taps_ ? copy_taps() : copy_channels();
    for (std::size_t i = 0; i < axes.size(); ++i) out_.close();
  }

 private:
  std::string channels_loop(std::int64_t first, std::int64_t end) const {
    return "for (int64_t c = " + number(first) + "; c < " + number(end) + "; ++c) ";
  }
  std::int64_t channels() const { return source_.data[channel_axis_].extent; }

  /// Returns C text for the element of the source at the current indices, in the type of the copy.
  std::string element() const {
    const std::string value = "input[" + offset_of(from_, indices_) + "]";
    return target_.type != source_.type && is_half(source_.type) ? as_float(source_.type, value)
                                                                 : value;
  }

  void clear_rest(std::int64_t copied) const {
    const std::int64_t length = target_.data[strip_axis_].extent * target_.strip;
    if (length > copied) out_.line(channels_loop(copied, length) + "to[c] = 0;");
  }

  void copy_channels() const {
    out_.line(channels_loop(0, channels()) + "to[c] = " + element() + ";");
    clear_rest(channels());
  }

  /// Writes code that copies the channels of all taps of a filter row, which fill one or more
  /// strips.
  void copy_taps() {
    const DataDim& columns = source_.data.back();
    LinearText& index = indices_.back();
    LinearText column(columns.offset);
    for (const Term& term : columns.terms) {
      if (term.dim == *taps_)
        column.add(term.coefficient, std::string("tap"));
      else
        column.add(term.coefficient, index);
    }
    const std::int64_t taps = stages_.elements.extent(*taps_);
    out_.open("for (int64_t tap = 0; tap < " + number(taps) + "; ++tap)");
    out_.line("const int64_t column = " + column.text() + ";");
    index = LinearText();
    index.add(1, std::string("column"));
    out_.line("const int inside = column >= 0 && column < " + number(columns.extent) + ";");
    out_.line(channels_loop(0, channels()) + "to[" + number(channels()) +
              " * tap + c] = inside ? " + element() + " : 0;");
    out_.close();
    clear_rest(taps * channels());
  }

  CWriter& out_;
  const StagePlan& stages_;
  const TensorAccess &source_, &target_;
  const TensorLayout from_, to_;
  const std::optional<Dim> taps_;
  const std::size_t channel_axis_, strip_axis_;
  std::vector<LinearText> indices_;  // These indices locate the current element of the source.
};

void declare_packed(CWriter& out, const char* name, std::int64_t offset) {
  out.line("const int32_t *const " + std::string(name) +
           " = (const int32_t *)((const char *)packed + " + number(offset) + ");");
}

void declare_memory(CWriter& out, const std::string& type, const char* name, std::int64_t offset) {
  out.line(type + " *const " + name + " = (" + type + " *)((char *)workspace + " + number(offset) +
           ");");
}

/// Writes the sum of the bias and the corrections that are equal for all pixels.
void emit_corrected_bias(CWriter& out, const EmitContext& context) {
  const StagePlan& stages = *context.stages;
  const std::int64_t biases = bias_layout(stages.elements).elements;
  const std::int64_t sums = bias_layout(context.computation, true).elements;
  std::string value;
  if (stages.epilogue.bias)
    value = "(uint32_t)bias[i" + (sums == biases ? "" : " % " + number(biases)) + "]";
  if (stages.types.flips_input)
    value += std::string(value.empty() ? "" : " + ") + "(uint32_t)corrections[i]";
  if (stages.has_input_point())
    value += std::string(value.empty() ? "0u" : "") +
             " - (uint32_t)input_zero_point * (uint32_t)windows[i]";
  out.line("for (int64_t i = 0; i < " + number(sums) + "; ++i) corrected[i] = (int32_t)(" + value +
           ");");
}

/// Declares the parts of the packed weights and of the workspace.
void declare_sections(CWriter& out, const EmitContext& context) {
  const StagePlan& stages = *context.stages;
  const PackedSections packed =
      packed_sections(stages, context.computation, context.program.weights);
  const WorkspaceSections memory = workspace_sections(stages, context.computation);
  if (stages.types.flips_input) declare_packed(out, "corrections", packed.corrections);
  if (stages.has_input_point()) declare_packed(out, "windows", packed.window_sums);
  if (stages.has_weights_points()) declare_packed(out, "points", packed.zero_points);
  if (stages.copies_input)
    declare_memory(out, context.number(Operand::input), "copied", memory.input);
  if (stages.has_sums()) declare_memory(out, context.number(), "sums", memory.sums);
  if (stages.corrects_channels()) declare_memory(out, "int32_t", "corrected", memory.bias);
  if (!stages.has_weights_points()) return;
  declare_memory(out, "int32_t", "channel_sums", memory.channel_sums);
  declare_memory(out, "int32_t", "window_sums", memory.window_sums);
}

std::string loops_call(const EmittedHead& head) {
  const EmitContext& context = head.context;
  const StagePlan& stages = *context.stages;
  const auto cast = [&](Operand operand, const char* name) {
    return "(const " + context.number(operand) + " *)" + name + ", ";
  };
  std::string arguments = stages.copies_input ? "copied, " : cast(Operand::input, "input");
  arguments += cast(Operand::weights, "packed");
  if (context.epilogue.bias) arguments += stages.corrects_channels() ? "corrected, " : "bias, ";
  if (context.epilogue.add) arguments += "residual, ";
  return head.name + "_loops(" + arguments + (stages.has_sums() ? "sums" : "output") + ");";
}

HalfConversions conversions_of(const EmitContext& context) {
  const StagePlan& stages = *context.stages;
  HalfConversions used;
  for (const Operand operand : {Operand::input, Operand::weights}) {
    const ElementType type = stages.elements.tensor(operand).type;
    if (type != context.tensor(operand).type) used.read(type);
  }
  if (!stages.has_sums()) return used;
  used.write(stages.output_type());
  if (stages.epilogue.add) used.read(stages.output_type());
  return used;
}

/// Writes which flags make compilers use instructions for dot products.
void describe_flags(CWriter& out, const EmittedHead& head) {
  if (!head.context.has_strips()) return;
  if (head.isa.starts_with("avx512"))
    out.line(
        " * Compilers use the dot products of a CPU with -march=native, or with -mavx512vnni and "
        "-mavx512bf16.");
  else if (head.isa == "neon")
    out.line(" * Compilers use dot products with -march=armv8.2-a+dotprod+i8mm+bf16, for example.");
}

}  // namespace

std::string stage_parameters(const EmittedHead& head, const std::string& verb) {
  const EmitContext& context = head.context;
  if (verb == "loops") return loop_parameters(context);
  if (verb == "run") return run_parameters(context);
  const StagePlan& stages = *context.stages;
  const std::string weights = c_type(stages.elements.tensor(Operand::weights).type);
  return pointer_to(weights, "weights") +
         (stages.has_weights_points() ? pointer_to(weights, "zero_points") : "") +
         "void *restrict packed";
}

void describe_stages(CWriter& out, const EmittedHead& head) {
  const StagePlan& stages = *head.context.stages;
  const Quantisation& numbers = stages.epilogue.quantisation;
  const std::string channels = number(bias_layout(stages.elements).elements);
  if (stages.has_weights_points())
    out.line(" * zero_points  " + (is_channel(numbers.weights_zero_points) ? channels : "1") +
             ", of the weights");
  if (numbers.scales != Granularity::none)
    out.line(" * scales    " + (is_channel(numbers.scales) ? channels : "1") + " floats");
  if (workspace_sections(stages, head.context.computation).bytes > 0)
    out.line(" * workspace is memory of " + head.name +
             "_workspace_bytes bytes, which calls at the same time must not share.");
  out.line(" * packed" +
           std::string(workspace_sections(stages, head.context.computation).bytes > 0
                           ? " and workspace are"
                           : " is") +
           " aligned to 64 bytes.");
  describe_flags(out, head);
}

void emit_stage_macros(CWriter& out, const EmitContext& context, const TargetRow& row) {
  const std::string features = row.features;
  const std::string target = features.empty() ? "" : "target(\"" + features + "\")";
  out.directive("#ifdef __clang__");
  out.line("#define STAGE" + (target.empty() ? "" : " __attribute__((" + target + "))"));
  out.line("#define ROUND_EACH _Pragma(\"STDC FP_CONTRACT OFF\")");
  out.directive("#else");
  out.line("#define STAGE __attribute__((" + target + (target.empty() ? "" : ", ") +
           "optimize(\"O3\", \"fp-contract=off\")))");
  out.line("#define ROUND_EACH");
  out.directive("#endif");
  emit_half_conversions(out, conversions_of(context));
}

void emit_parallel(CWriter& out, const StagePlan& stages, std::size_t loops) {
  if (!stages.parallel) return;
  out.directive("#ifdef _OPENMP");
  out.directive("#pragma omp parallel for" +
                (loops > 1 ? " collapse(" + std::to_string(loops) + ")" : std::string()));
  out.directive("#endif");
}

void emit_stages(CWriter& out, const EmittedHead& head) {
  const EmitContext& context = head.context;
  const StagePlan& stages = *context.stages;
  out.line("ROUND_EACH");
  declare_sections(out, context);
  if (stages.copies_input) InputCopy(out, context).emit();
  if (stages.corrects_channels()) emit_corrected_bias(out, context);
  out.line(loops_call(head));
  if (stages.has_weights_points()) emit_input_sums(out, context);
  if (stages.converts) emit_finish(out, context);
}

}  // namespace tileplan
