// SPDX-License-Identifier: Apache-2.0
// The packed weights have one block for each trip of the loops over the dimension that is divided
// into blocks.
#include "emit_parts.h"
#include "emit_stages.h"
#include "emit_winograd.h"

namespace tileplan {
namespace {

/// Returns a C condition which is true when the weights at `at` exist, or "" when all exist.
std::string existence_text(const EmitContext& context, const Indices& at) {
  const Computation& computation = context.computation;
  const Dim channel = context.program.weights.blocked;
  std::string text;
  if (!context.has_pixel_vectors() && context.is_ragged())
    text = at.names[channel] + " < " + std::to_string(computation.extent(channel));
  for (const DataDim& data : context.tensor(Operand::weights).data)
    if (data.clipped) add_condition(text, inside_text(index_text(data, at, {}), data.extent));
  return text;
}

/// Writes code that packs the reduction steps `steps` of one block of channels.
void pack_block(CWriter& out, const EmitContext& context, const std::vector<Repeat>& steps,
                Indices at, const Tile& base) {
  const Computation& computation = context.computation;
  const Dim channel = context.program.weights.blocked;
  for (const Repeat& loop : steps) open_loop(out, computation, at, loop);
  open_loop(out, computation, at, Repeat{channel, base[channel], 1});
  if (context.stages != nullptr) {
    emit_strip_packing(out, context, at, existence_text(context, at));
    for (std::size_t i = 0; i <= steps.size(); ++i) out.close();
    return;
  }
  const std::string from = context.winograd != nullptr
                               ? transformed_weight_text(context, at)
                               : "weights[" + offset_text(context, Operand::weights, at, {}) + "]";
  const std::string exists = existence_text(context, at);
  out.line("*packed++ = " + (exists.empty() ? from : exists + " ? " + from + " : 0") + ";");
  out.close();
  for (std::size_t i = 0; i < steps.size(); ++i) out.close();
}

void pack_blocks(CWriter& out, const EmitContext& context, const std::vector<Repeat>& steps,
                 const ProgramNode& node, Indices at) {
  const Dim blocked = context.program.weights.blocked;
  if (const auto* compute = std::get_if<Compute>(&node.element))
    return pack_block(out, context, steps, at, compute->base);
  const auto* list = std::get_if<BlockList>(&node.element);
  if (list != nullptr && list->dim == blocked) {
    for (const ProgramNode& part : node.body) pack_blocks(out, context, steps, part, at);
    return;
  }
  const auto* loop = std::get_if<CountedLoop>(&node.element);
  const bool opens = loop != nullptr && loop->dim == blocked;
  if (opens) open_loop(out, context.computation, at, *loop);
  pack_blocks(out, context, steps, node.body.front(), at);
  if (opens) out.close();
}

}  // namespace

void emit_packing(CWriter& out, const EmitContext& context, const WeightsOrder& order,
                  const ProgramNode& node, Indices at) {
  std::size_t opened = 0;
  for (const Repeat& outer : order.outer) {
    if (outer.count == 1) continue;
    open_loop(out, context.computation, at, outer);
    ++opened;
  }
  pack_blocks(out, context, order.loops, node, at);
  for (; opened > 0; --opened) out.close();
}

}  // namespace tileplan
