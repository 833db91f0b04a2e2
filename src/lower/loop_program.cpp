// SPDX-License-Identifier: Apache-2.0
// This file lowers a nest. The innermost reduction loops become part of the microkernel call.
#include "loop_program.h"

#include <algorithm>
#include <utility>

#include "branches.h"
#include "nest_rules.h"
#include "packed_box.h"
#include "repack.h"
#include "strips.h"
#include "tileplan/error.h"
#include "winograd_products.h"

namespace tileplan {
namespace {

class Lowering {
 public:
  Lowering(const Computation& computation, const Nest& nest, const LoweringSpec& spec)
      : computation_(computation),
        nest_(nest),
        spec_(spec),
        begin_(microkernel_begin(computation, nest)) {}

  LoopProgram lower() {
    check_nest(computation_, nest_, spec_.pack_input.has_value());
    place_tensors();
    check_vectors(Operand::input);
    check_vectors(Operand::output);
    place_weights();
    check_streaming();
    program_.vectorised = nest_.vectorised;
    program_.weights = weights_order(computation_, nest_);
    program_.call_loops = reduction_loops(computation_, nest_, begin_);
    std::erase_if(program_.call_loops, [](const Repeat& loop) { return loop.count == 1; });
    plan_prefetch();
    program_.body = body_from(0, nest_);
    return std::move(program_);
  }

 private:
  void place_tensors() {
    program_.place(Operand::input).stored = spec_.input;
    program_.place(Operand::weights).stored =
        layout_of(computation_, Operand::weights, Layout::plain);
    program_.place(Operand::output).stored = spec_.output;
    if (spec_.winograd) return place_winograd_boxes();
    if (spec_.pack_output) place_output_box();
    if (!spec_.pack_input) return;
    outside_box_ = loops_outside_box(computation_, nest_, Operand::input, *spec_.pack_input);
    program_.place(Operand::input).box = packed_boxes_layout(computation_, nest_, *outside_box_);
  }

  void place_output_box() {
    outside_output_box_ =
        loops_outside_box(computation_, nest_, Operand::output, *spec_.pack_output);
    const std::string mark = "schedule: pack=out@" + std::to_string(*spec_.pack_output);
    const std::vector<DataDim>& data = computation_.tensor(Operand::output).data;
    // Copies write stored elements only, not the padding of channel blocks.
    for (std::size_t a = 0; a < data.size(); ++a)
      if (const std::int64_t block = spec_.output.axes[a].block;
          block != 0 && data[a].extent % block != 0)
        throw Error(mark + " with " + std::to_string(data[a].extent) + " channels in blocks of " +
                    std::to_string(block) + "; must be whole blocks");
    if (spec_.nontemporal) throw Error(mark + " with nt; stores to a box must use the caches");
    for (std::size_t i = *outside_output_box_; i < nest_.loops.size(); ++i)
      if (nest_.loops[i].parallel)
        throw Error(mark + " is outside a parallel loop over " +
                    computation_.name(nest_.loops[i].dim) + "; must be inside it");
    program_.place(Operand::output).box = output_box_layout(
        computation_, largest_box_inside(nest_, *outside_output_box_), nest_.vectorised);
  }

  void place_weights() {
    if (!spec_.pack_weights && !spec_.weights_in_place) return;
    check_plain_weights(computation_);
    program_.weights_source =
        spec_.weights_in_place ? WeightsSource::in_place : WeightsSource::boxes;
    if (spec_.weights_in_place) return check_rows();
    outside_weights_box_ =
        loops_outside_box(computation_, nest_, Operand::weights, *spec_.pack_weights);
  }

  /// Throws Error when the vectors of weights are not contiguous. Vectors of pixels need no
  /// contiguous weights, because each weight is broadcast.
  void check_rows() const {
    const TensorAccess& weights = computation_.tensor(Operand::weights);
    if (!holds_vectors(weights, program_.place(Operand::weights).stored, nest_.vectorised,
                       spec_.lanes))
      throw Error("schedule: weights=plain, but vectors along " +
                  computation_.name(nest_.vectorised) + " are not contiguous in " + weights.name +
                  "; must be, or be packed (pack=weights@POS)");
  }

  /// Transformed tiles exist in boxes only, so the tensors of the products have no layout of their
  /// own.
  void place_winograd_boxes() {
    outside_box_ = static_cast<std::size_t>(*spec_.pack_input) + 1;
    outside_output_box_ = static_cast<std::size_t>(*spec_.pack_output) + 1;
    for (const Operand operand : {Operand::input, Operand::output}) {
      const std::size_t outside = operand == Operand::input ? *outside_box_ : *outside_output_box_;
      OperandPlace& place = program_.place(operand);
      place.stored = {std::vector<AxisLayout>(computation_.tensor(operand).data.size(),
                                              AxisLayout{.stride = 0}),
                      0};
      place.box = winograd_box_layout(computation_, operand, largest_box_inside(nest_, outside),
                                      spec_.lanes);
    }
  }

  void check_vectors(Operand operand) const {
    const TensorAccess& access = computation_.tensor(operand);
    const std::string& along = computation_.name(nest_.vectorised);
    if (spec_.addressing == Addressing::by_pointer) {
      const TensorLayout& layout = program_.place(operand).in_calls();
      if (!holds_vectors(access, layout, nest_.vectorised, spec_.lanes))
        throw Error("layout: vectors of " + std::to_string(spec_.lanes) + " along " + along +
                    " are not contiguous in the " +
                    (operand == Operand::input ? "input" : "output") + "; they must be for " +
                    spec_.target);
      return;
    }
    for (std::size_t a = 0; a < access.data.size(); ++a) {
      const std::int64_t block = program_.place(operand).stored.axes[a].block;
      if (is_present(access.data[a], nest_.vectorised) && block % spec_.lanes != 0)
        throw Error("layout: vectors of " + std::to_string(spec_.lanes) + " along " + along +
                    " in blocks of " + std::to_string(block) +
                    "; the blocks must be whole vectors");
    }
  }

  /// Throws Error when a streaming store of an output vector would be unaligned, because it would
  /// fault.
  void check_streaming() const {
    if (!spec_.nontemporal) return;
    const std::string why =
        why_unaligned(computation_, spec_.output, nest_.vectorised, spec_.lanes);
    if (!why.empty()) throw Error("schedule: nt, but " + why);
  }

  /// With Addressing::by_pointer, throws Error when `loop` crosses borders of blocks of `layout`
  /// unevenly. A pointer advances by a constant only if each trip steps by whole blocks or the loop
  /// stays inside one block.
  void check_linear(Operand operand, const TensorLayout& layout, const CountedLoop& loop) const {
    if (spec_.addressing == Addressing::by_index) return;
    const auto cut = cut_block(computation_, operand, layout, {loop.dim, loop.trips, loop.step});
    if (!cut) return;
    const std::string& name = computation_.name(loop.dim);
    throw Error("schedule: loop of " + std::to_string(loop.trips) + " over " + name + " steps by " +
                std::to_string(loop.step) + "; in a layout with blocks of " +
                std::to_string(cut->elements) + ' ' + name +
                " a step must be whole blocks, or the loop stay inside one");
  }

  /// With Addressing::by_pointer, throws Error when a part of `lambda` begins inside a block of
  /// `layout`, because a pointer then crosses the border of the block after other trips than in the
  /// first part. A list that stays inside one block is allowed.
  void check_parts(Operand operand, const TensorLayout& layout, const NestLoop& lambda) const {
    if (spec_.addressing == Addressing::by_index) return;
    const auto cut = cut_block(computation_, operand, layout, lambda.dim, lambda.parts);
    if (!cut) return;
    const std::string& name = computation_.name(lambda.dim);
    throw Error("schedule: a part of L(" + name + ",[...]) begins inside a block of " +
                std::to_string(cut->points) + ' ' + name + "; must begin after whole blocks");
  }

  void plan_prefetch() {
    const bool plain = program_.weights_source != WeightsSource::packed;
    if (plain && spec_.ahead &&
        next_tile_operand(computation_, nest_, *spec_.ahead) == Operand::weights)
      throw Error("schedule: ahead=" + std::to_string(*spec_.ahead) +
                  ", which steps over plain weights; must step over the input, or the weights be "
                  "packed beforehand");
    const auto in_place = spec_.pack_input ? std::nullopt : std::optional(spec_.input);
    program_.next_tile_prefetch =
        plan_next_tile_prefetch(computation_, nest_, begin_, in_place, spec_.ahead);
    if (program_.next_tile_prefetch && program_.next_tile_prefetch->by_steps)
      program_.prefetch_distance = std::exchange(program_.next_tile_prefetch, {})->block;
  }

  /// Returns the layout of the memory that loop `at` accesses, which is that of the box for a loop
  /// inside a box, and that of the tensor for other loops.
  const TensorLayout& layout_at(Operand operand, std::size_t at) const {
    const auto& outside = operand == Operand::input ? outside_box_ : outside_output_box_;
    const OperandPlace& place = program_.place(operand);
    return outside && at >= *outside ? *place.box : place.stored;
  }

  std::vector<ProgramNode> body_from(std::size_t at, const Nest& nest) const {
    std::vector<ProgramNode> body = loops_from(at, nest);
    const Tile box = box_inside(nest, at);
    const auto enclose = [&](auto element) {
      ProgramNode fill{.element = std::move(element), .body = std::move(body)};
      body.clear();
      body.push_back(std::move(fill));
    };
    if (outside_weights_box_ == at)
      enclose(FillBox{Operand::weights, box, weights_order(computation_, nest, at)});
    if (outside_box_ == at && spec_.winograd) enclose(TransformInput{box});
    if (outside_box_ == at && !spec_.winograd) enclose(FillBox{Operand::input, box});
    if (outside_output_box_ == at && spec_.winograd) enclose(TransformOutput{box});
    if (outside_output_box_ == at && !spec_.winograd) enclose(FillBox{Operand::output, box});
    return body;
  }

  std::vector<ProgramNode> loops_from(std::size_t at, const Nest& nest) const {
    if (at == begin_) return {{.element = Compute{nest.base}, .body = {}}};
    const NestLoop& loop = nest.loops[at];
    if (loop.is_lambda()) return {list_of_blocks(at, nest)};
    const auto& prefetch = program_.next_tile_prefetch;
    if (loop.trips == 1 && !(prefetch && prefetch->loop == at)) return body_from(at + 1, nest);
    return {loop_over(at, nest, {loop.trips, box_inside(nest, at + 1)[loop.dim]}, 0)};
  }

  ProgramNode loop_over(std::size_t at, const Nest& nest, const Part& blocks,
                        std::int64_t start) const {
    const auto& prefetch = program_.next_tile_prefetch;
    CountedLoop loop{.dim = nest_.loops[at].dim,
                     .trips = blocks.times,
                     .step = blocks.size,
                     .start = start,
                     .parallel = nest_.loops[at].parallel,
                     .prefetches_next_tile = prefetch && prefetch->loop == at};
    if (computation_.role(loop.dim) == Role::reduction)
      loop.reduction_steps = point_count(reduction_loops(computation_, nest_, at + 1));
    for (const Operand operand : {Operand::input, Operand::output})
      check_linear(operand, layout_at(operand, at), loop);
    return {.element = loop, .body = body_from(at + 1, nest)};
  }

  ProgramNode list_of_blocks(std::size_t at, const Nest& nest) const {
    const NestLoop& lambda = nest.loops[at];
    for (const Operand operand : {Operand::input, Operand::output})
      check_parts(operand, layout_at(operand, at), lambda);
    ProgramNode list{.element = BlockList{.dim = lambda.dim, .parallel = lambda.parallel},
                     .body = {}};
    std::int64_t start = 0;
    for (const Part& part : lambda.parts) {
      list.body.push_back(loop_over(at, with_part(nest, at, part), part, start));
      start += part.times * part.size;
    }
    return list;
  }

  const Computation& computation_;
  const Nest& nest_;
  const LoweringSpec& spec_;
  // This is the position of the outermost loop that runs inside microkernel calls.
  const std::size_t begin_;
  // If set, these members hold the numbers of loops that enclose the box of the input, of the
  // weights and of the output, in this order.
  std::optional<std::size_t> outside_box_, outside_weights_box_, outside_output_box_;
  LoopProgram program_;
};

}  // namespace

LoopProgram lower(const Computation& computation, const Nest& nest, const LoweringSpec& spec) {
  return Lowering(computation, nest, spec).lower();
}

std::int64_t largest_weights_box(const std::vector<ProgramNode>& body) {
  std::int64_t largest = 0;
  for (const ProgramNode& node : body) {
    const auto* fill = std::get_if<FillBox>(&node.element);
    const bool is_box = fill != nullptr && fill->operand == Operand::weights;
    largest = std::max(largest, is_box ? fill->weights.elements() : largest_weights_box(node.body));
  }
  return largest;
}

std::int64_t count_calls(const std::vector<ProgramNode>& body) {
  std::int64_t calls = 0;
  for (const ProgramNode& node : body) {
    const auto* loop = std::get_if<CountedLoop>(&node.element);
    const bool is_call = std::holds_alternative<Compute>(node.element);
    calls += is_call ? 1 : (loop != nullptr ? loop->trips : 1) * count_calls(node.body);
  }
  return calls;
}

bool has_whole_vectors(const Computation& computation, const LoopProgram& program,
                       Operand operand) {
  // Winograd products exist in boxes only (there are no stored elements), so whole vectors may
  // write to such a box. Tails in other boxes of the output are masked.
  if (program.place(operand).box)
    return operand == Operand::input || program.place(operand).stored.elements == 0;
  if (program.weights.outer_count != 1) return false;
  const std::vector<DataDim>& data = computation.tensor(operand).data;
  for (std::size_t a = 0; a < data.size(); ++a)
    if (is_present(data[a], program.vectorised) && program.place(operand).stored.axes[a].block != 0)
      return true;
  return false;
}

}  // namespace tileplan
