// SPDX-License-Identifier: Apache-2.0
// The emitted C stores the numbers for corrections of sums behind the packed weights. The class
// Packed of assembled kernels holds them in separate lists.
#include "c_text.h"
#include "emit_stages.h"

namespace tileplan {
namespace {

/// Writes nested loops over the weights of `elements`.
class WeightLoops {
 public:
  WeightLoops(CWriter& out, const Computation& elements)
      : out_(out), elements_(elements), at_(elements.dims()) {}

  /// Opens loops over the dimensions of the weights: over the summed ones if `reduces` is true,
  /// otherwise over the others. `first` and `end` hold C text for the range of a loop over filter
  /// taps. They are empty for a loop over all indices.
  void open(bool reduces, const PerDim<std::string>& first = {},
            const PerDim<std::string>& end = {}) {
    for (int d = 0; d < elements_.dims(); ++d) {
      const Dim dim{d};
      if (!is_present(elements_.tensor(Operand::weights), dim)) continue;
      if ((elements_.role(dim) == Role::reduction) != reduces) continue;
      ++opened_;
      if (first[dim].empty()) {
        open_loop(out_, elements_, at_, Repeat{dim, elements_.extent(dim), 1});
        continue;
      }
      const std::string tap = elements_.name(dim) + "_tap";
      open_for(out_, tap, first[dim], end[dim]);
      at_.names[dim] = tap;
    }
  }
  void close() {
    for (; opened_ > 0; --opened_) out_.close();
  }
  /// Closes the innermost loops until `kept` loops are open.
  void close_to(std::size_t kept) {
    for (; opened_ > kept; --opened_) out_.close();
  }
  std::size_t opened() const { return opened_; }

  std::string weight() const {
    const TensorLayout layout = layout_of(elements_, Operand::weights, Layout::plain);
    return "(int32_t)weights[" +
           offset_of(layout, index_texts(elements_.tensor(Operand::weights), at_, {})) + "]";
  }
  /// Returns the position of the current output channel in the layout `bias`.
  std::string channel(const TensorLayout& bias) const {
    return offset_of(bias, index_texts(elements_.tensor(Operand::output), at_, {}));
  }

 private:
  CWriter& out_;
  const Computation& elements_;
  Indices at_;
  std::size_t opened_ = 0;
};

void declare_section(CWriter& out, const char* name, std::int64_t offset) {
  out.line("int32_t *const " + std::string(name) + " = (int32_t *)((char *)packed + " +
           number(offset) + ");");
}

/// Writes the corrections for inverted highest bits of the input. Inverting adds 128 to s8 and
/// subtracts 128 from u8, so 128 times the sum of the weights is subtracted from each sum or added.
void emit_corrections(CWriter& out, const EmitContext& context) {
  const StagePlan& stages = *context.stages;
  WeightLoops loops(out, stages.elements);
  loops.open(false);
  out.line("uint32_t sum = 0;");
  const std::size_t outer = loops.opened();
  loops.open(true);
  out.line("sum += (uint32_t)(" + loops.weight() + ");");
  loops.close_to(outer);
  const bool is_signed = stages.types.input == ElementType::s8;
  out.line("corrections[" + loops.channel(bias_layout(context.computation, true)) +
           "] = (int32_t)(" + (is_signed ? "0u - " : "") + "128u * sum);");
  loops.close();
}

/// Returns the dimension of the filter taps along direction `direction` (depth, height or width),
/// or nothing if the elements have no such dimension. Taps that are merged with those of another
/// direction (merge_dims.h) have none, but then all outputs use all of these taps.
std::optional<Dim> taps_of(const Computation& elements, std::size_t direction) {
  constexpr std::array<const char*, 3> kNames = {"t", "r", "s"};
  for (int d = 0; d < elements.dims(); ++d)
    if (elements.name(Dim{d}) == kNames[direction]) return Dim{d};
  return std::nullopt;
}

/// Writes a table of the ranges of taps of a direction, and opens a loop over them.
void open_sets(CWriter& out, const WindowSets::Direction& direction, const std::string& name) {
  std::string ranges;
  for (const WindowSets::Range& range : direction.ranges)
    ranges += std::string(ranges.empty() ? "" : ", ") + "{" + number(range.first) + ", " +
              number(range.last) + "}";
  const std::string count = number(std::ssize(direction.ranges));
  out.line("static const int64_t " + name + "_range[" + count + "][2] = {" + ranges + "};");
  open_for(out, name + "_set", "0", count);
}

/// Returns C text for element `i` of the current range in the table of open_sets().
std::string range_element(const std::string& name, int i) {
  return name + "_range[" + name + "_set][" + number(i) + "]";
}

/// Returns the position of a set of taps. It is computed from the position `outer` of the outer
/// directions, and from the current one of `count` ranges along this direction.
std::string set_position(const std::string& outer, std::int64_t count, const std::string& name) {
  return in_parentheses(outer + " * " + number(count) + " + " + name + "_set");
}

/// Writes code that sums the weights, minus their zero points, over each set of taps.
void emit_window_sums(CWriter& out, const EmitContext& context) {
  const StagePlan& stages = *context.stages;
  const TensorLayout bias = bias_layout(context.computation, true);
  std::size_t opened = 0;
  PerDim<std::string> first, end;
  std::string set = "0";
  for (std::size_t i = 0; i < stages.sets.directions.size(); ++i) {
    const auto taps = taps_of(stages.elements, i);
    const WindowSets::Direction& direction = stages.sets.directions[i];
    if (!taps || direction.of_output.empty()) continue;
    const std::string name = stages.elements.name(*taps);
    open_sets(out, direction, name);
    ++opened;
    first[*taps] = range_element(name, 0);
    end[*taps] = range_element(name, 1);
    set = set_position(set, std::ssize(direction.ranges), name);
  }
  WeightLoops loops(out, stages.elements);
  loops.open(false);
  out.line("uint32_t sum = 0;");
  const std::size_t outer = loops.opened();
  loops.open(true, first, end);
  const std::string point = stages.has_weights_points()
                                ? " - points[" + loops.channel(bias_layout(stages.elements)) + "]"
                                : "";
  out.line("sum += (uint32_t)(" + loops.weight() + point + ");");
  loops.close_to(outer);
  out.line("windows[" + (opened == 0 ? "" : set + " * " + number(bias.elements) + " + ") +
           loops.channel(bias) + "] = (int32_t)sum;");
  loops.close();
  for (; opened > 0; --opened) out.close();
}

/// Returns C text for the weight at `at` in the type that the loops read.
std::string packed_value(const StagePlan& stages, const Indices& at) {
  const TensorAccess& weights = stages.elements.tensor(Operand::weights);
  const TensorLayout layout = layout_of(stages.elements, Operand::weights, Layout::plain);
  const std::string value = "weights[" + offset_of(layout, index_texts(weights, at, {})) + "]";
  const bool widens = stages.types.weights != weights.type && is_half(weights.type);
  return widens ? as_float(weights.type, value) : value;
}

}  // namespace

void emit_strip_packing(CWriter& out, const EmitContext& context, Indices at, std::string exists) {
  const StagePlan& stages = *context.stages;
  const Computation& elements = stages.elements;
  const Dim dim = strip_dim(elements);
  const auto taps = joined_taps(elements, context.computation);
  const std::int64_t channels = elements.extent(dim), strip = stages.types.strip;
  const std::int64_t real = channels * (taps ? elements.extent(*taps) : 1);
  LinearText element;
  element.add(strip, at.names[dim]);
  if (strip > 1) {
    element.add(1, std::string("e"));
    out.open("for (int64_t e = 0; e < " + number(strip) + "; ++e)");
  }
  if (context.computation.extent(dim) * strip > real)
    add_condition(exists, element.text() + " < " + number(real));
  const std::string name = in_parentheses(element.text());
  at.names[dim] = taps ? in_parentheses(name + " % " + number(channels)) : name;
  if (taps) at.names[*taps] = in_parentheses(name + " / " + number(channels));
  const std::string value = packed_value(stages, at);
  out.line("*elements++ = " + (exists.empty() ? value : exists + " ? " + value + " : 0") + ";");
  if (strip > 1) out.close();
}

void emit_packed_sums(CWriter& out, const EmitContext& context) {
  const StagePlan& stages = *context.stages;
  const PackedSections sections =
      packed_sections(stages, context.computation, context.program.weights);
  if (stages.has_weights_points()) {
    declare_section(out, "points", sections.zero_points);
    const bool per_channel =
        stages.epilogue.quantisation.weights_zero_points == Granularity::channel;
    out.line("for (int64_t k = 0; k < " + number(bias_layout(stages.elements).elements) + "; ++k)");
    out.line(std::string("  points[k] = zero_points[") + (per_channel ? "k" : "0") + "];");
  }
  if (stages.types.flips_input) {
    declare_section(out, "corrections", sections.corrections);
    emit_corrections(out, context);
  }
  if (!stages.has_input_point()) return;
  declare_section(out, "windows", sections.window_sums);
  emit_window_sums(out, context);
}

}  // namespace tileplan
