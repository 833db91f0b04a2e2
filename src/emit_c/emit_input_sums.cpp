// SPDX-License-Identifier: Apache-2.0
// Zero points of weights are multiplied by a sum over the input: for each output pixel, the sum
// over its filter window. It is computed from sums over channels.
#include <string>

#include "emit_stages.h"

namespace tileplan {
namespace {

/// Returns a row-major layout for the sums over channels, which has one element per input pixel and
/// group.
TensorLayout channel_sums_layout(const Computation& elements) {
  const TensorAccess& input = elements.tensor(Operand::input);
  const std::size_t channels = find_term(input, strip_dim(elements))->index;
  TensorLayout layout{std::vector<AxisLayout>(input.data.size()), 1};
  for (std::size_t a = input.data.size(); a-- > 0;) {
    layout.axes[a].stride = a == channels ? 0 : layout.elements;
    if (a != channels) layout.elements *= input.data[a].extent;
  }
  return layout;
}

/// Returns true for the dimension of the output channels of a group, or of the columns of a
/// product.
bool is_output_channel(const Computation& elements, Dim dim) {
  const bool is_conv = std::holds_alternative<ConvShape>(elements.problem);
  return elements.name(dim) == (is_conv ? "k" : "j");
}

/// Returns the layout of the sums over filter windows, which has one element per output pixel and
/// group. Groups are innermost.
TensorLayout window_sums_layout(const Computation& elements) {
  const TensorAccess& output = elements.tensor(Operand::output);
  TensorLayout layout{std::vector<AxisLayout>(output.data.size(), AxisLayout{.stride = 0}), 1};
  const auto place = [&](bool groups) {
    for (std::size_t a = output.data.size(); a-- > 0;) {
      const Dim dim = output.data[a].terms.front().dim;
      if (is_output_channel(elements, dim) || (elements.name(dim) == "g") != groups) continue;
      layout.axes[a].stride = layout.elements;
      layout.elements *= output.data[a].extent;
    }
  };
  place(true);
  place(false);
  return layout;
}

void sum_channels(CWriter& out, const StagePlan& stages) {
  const Computation& elements = stages.elements;
  const TensorAccess& input = elements.tensor(Operand::input);
  const std::size_t channels = find_term(input, strip_dim(elements))->index;
  std::vector<LinearText> at(input.data.size());
  emit_parallel(out, stages);
  std::size_t opened = 0;
  for (std::size_t a = 0; a < at.size(); ++a) {
    at[a].add(1, a == channels ? std::string("c") : std::string(1, 'i').append(std::to_string(a)));
    if (a == channels) continue;
    const std::string i = at[a].text();
    open_for(out, i, "0", number(input.data[a].extent));
    ++opened;
  }
  out.line("uint32_t sum = 0;");
  out.line("for (int64_t c = 0; c < " + std::to_string(input.data[channels].extent) +
           "; ++c) sum += (uint32_t)(int32_t)input[" +
           offset_of(layout_of(elements, Operand::input, stages.in), at) + "];");
  out.line("channel_sums[" + offset_of(channel_sums_layout(elements), at) + "] = (int32_t)sum;");
  for (; opened > 0; --opened) out.close();
}

void sum_windows(CWriter& out, const StagePlan& stages) {
  const Computation& elements = stages.elements;
  const TensorAccess& input = elements.tensor(Operand::input);
  Indices at(elements.dims());
  emit_parallel(out, stages);
  std::size_t outer = 0, opened = 0;
  const auto open = [&](Dim dim, std::size_t& count) {
    open_loop(out, elements, at, Repeat{dim, elements.extent(dim), 1});
    ++count;
  };
  for (int d = 0; d < elements.dims(); ++d)
    if (elements.role(Dim{d}) != Role::reduction && !is_output_channel(elements, Dim{d}))
      open(Dim{d}, outer);
  out.line("uint32_t sum = 0;");
  for (int d = 0; d < elements.dims(); ++d)
    if (elements.role(Dim{d}) == Role::reduction && Dim{d} != strip_dim(elements))
      open(Dim{d}, opened);
  std::string inside;
  for (const DataDim& data : input.data)
    if (data.clipped) add_condition(inside, inside_text(index_text(data, at, {}), data.extent));
  out.line((inside.empty() ? "" : "if (" + inside + ") ") + "sum += (uint32_t)channel_sums[" +
           offset_of(channel_sums_layout(elements), index_texts(input, at, {})) + "];");
  for (; opened > 0; --opened) out.close();
  out.line("window_sums[" +
           offset_of(window_sums_layout(elements),
                     index_texts(elements.tensor(Operand::output), at, {})) +
           "] = (int32_t)sum;");
  for (; outer > 0; --outer) out.close();
}

}  // namespace

void emit_input_sums(CWriter& out, const EmitContext& context) {
  sum_channels(out, *context.stages);
  sum_windows(out, *context.stages);
}

}  // namespace tileplan
