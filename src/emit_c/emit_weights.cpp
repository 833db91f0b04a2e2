// SPDX-License-Identifier: Apache-2.0
// Packed weights are divided into blocks of channels. There is one block for each trip of the loops
// over the channels.
#include <span>

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

/// Describes the part of the packed weights that is still to be written. `outer` is empty inside
/// the loops over WeightsOrder::outer.
struct UnpackedPart {
  const WeightsOrder& order;
  std::span<const Repeat> outer;
};

void pack_blocks(CWriter& out, const EmitContext& context, const UnpackedPart& part,
                 const ProgramNode& node, Indices at) {
  const Dim blocked = context.program.weights.blocked;
  const auto* compute = std::get_if<Compute>(&node.element);
  const auto* list = std::get_if<BlockList>(&node.element);
  const auto* loop = std::get_if<CountedLoop>(&node.element);
  const bool opens = loop != nullptr && loop->dim == blocked;
  const bool divides = list != nullptr && list->dim == blocked;
  const bool is_in_group =
      compute != nullptr || divides || (opens && loop->step % part.order.group != 0);
  if (!part.outer.empty() && is_in_group) {
    const Repeat& outer = part.outer.front();
    if (outer.count > 1) open_loop(out, context.computation, at, outer);
    pack_blocks(out, context, {part.order, part.outer.subspan(1)}, node, at);
    if (outer.count > 1) out.close();
    return;
  }
  if (compute != nullptr) return pack_block(out, context, part.order.loops, at, compute->base);
  if (divides) {
    for (const ProgramNode& each : node.body) pack_blocks(out, context, part, each, at);
    return;
  }
  if (opens) open_loop(out, context.computation, at, *loop);
  pack_blocks(out, context, part, node.body.front(), at);
  if (opens) out.close();
}

}  // namespace

void emit_packing(CWriter& out, const EmitContext& context, const WeightsOrder& order,
                  const ProgramNode& node, Indices at) {
  pack_blocks(out, context, {order, order.outer}, node, at);
}

}  // namespace tileplan
