// SPDX-License-Identifier: Apache-2.0
// Each loop of the nest over the weights' own dims becomes a for loop; each part of a lambda one.
#include "emit_weights.h"

namespace tileplan {

namespace {

/// Of the packed weights: what their blocks are in.
Dim blocked_dim(const EmitContext& context) {
  return weights_dim(context.computation, context.nest.vectorised);
}

/// Dims of the weights outside their blocks.
std::vector<Dim> outer_dims(const EmitContext& context) {
  std::vector<Dim> dims;
  for (int d = 0; d < context.computation.dims(); ++d) {
    const Role part = context.computation.role(Dim{d});
    if (Dim{d} != blocked_dim(context) && (part == Role::batch || part == Role::channel))
      dims.push_back(Dim{d});
  }
  return dims;
}

/// The condition under which the weights at `at` exist, as C; empty when they always do.
std::string existence_text(const EmitContext& context, const Indices& at) {
  const Computation& computation = context.computation;
  const Dim channel = blocked_dim(context);
  std::string text;
  if (!context.has_pixel_vectors() && context.is_ragged())
    text = at.names[channel] + " < " + std::to_string(computation.extent(channel));
  for (const DataDim& data : context.tensor(Operand::weights).data) {
    if (!data.clipped) continue;
    if (!text.empty()) text += " && ";
    text += "INSIDE(" + index_text(data, at, {}).text() + ", " + std::to_string(data.extent) + ")";
  }
  return text;
}

/// All reduction steps of one block of channels.
void pack_block(CWriter& out, const EmitContext& context, Indices at, const Tile& base) {
  const Computation& computation = context.computation;
  const Dim channel = blocked_dim(context);
  const std::vector<Repeat> steps = run_loops(context, 0);
  for (const Repeat& loop : steps) open_loop(out, computation, at, loop);
  open_loop(out, computation, at, {channel, base[channel], 1});
  const std::string from = "weights[" + offset_text(context, Operand::weights, at, {}) + "]";
  const std::string exists = existence_text(context, at);
  out.line("*packed++ = " + (exists.empty() ? from : exists + " ? " + from + " : 0") + ";");
  out.close();
  for (std::size_t i = 0; i < steps.size(); ++i) out.close();
}

/// Loops over the blocks of the packed weights.
void pack_channels(CWriter& out, const EmitContext& context, std::size_t loop, Indices at,
                   const Nest& nest) {
  if (loop == nest.loops.size()) return pack_block(out, context, at, nest.base);
  const NestLoop& here = nest.loops[loop];
  if (here.dim != blocked_dim(context) || !here.is_active())
    return pack_channels(out, context, loop + 1, at, nest);
  if (!here.is_lambda()) {
    open_loop(out, context.computation, at,
              {here.dim, here.trips, covered(nest, loop + 1, here.dim)});
    pack_channels(out, context, loop + 1, at, nest);
    out.close();
    return;
  }
  part_loops(out, context.computation, at, here, [&](const Part& part, const Indices& of_part) {
    pack_channels(out, context, loop + 1, of_part, with_part(nest, loop, part));
  });
}

}  // namespace

std::vector<Repeat> run_loops(const EmitContext& context, std::size_t from) {
  std::vector<Repeat> loops = reduction_loops(context.computation, context.nest, from);
  std::erase_if(loops, [](const Repeat& loop) { return loop.count == 1; });
  return loops;
}

std::int64_t packed_elements(const EmitContext& context) {
  const Computation& computation = context.computation;
  const Dim vectorised = context.nest.vectorised;
  std::int64_t elements =
      covered_extents(computation, vectorised, context.lanes)[blocked_dim(context)];
  for (const Dim dim : outer_dims(context)) elements *= computation.extent(dim);
  for (int d = 0; d < computation.dims(); ++d)
    if (computation.role(Dim{d}) == Role::reduction) elements *= covered(context.nest, 0, Dim{d});
  return elements;
}

void emit_packing(CWriter& out, const EmitContext& context) {
  Indices at(context.computation.dims());
  std::size_t opened = 0;
  for (const Dim dim : outer_dims(context)) {
    if (context.computation.extent(dim) == 1) continue;
    open_loop(out, context.computation, at, {dim, context.computation.extent(dim), 1});
    ++opened;
  }
  pack_channels(out, context, 0, at, context.nest);
  for (; opened > 0; --opened) out.close();
}

}  // namespace tileplan
