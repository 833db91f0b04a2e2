// SPDX-License-Identifier: Apache-2.0
// Builds the loop tree of a nest. The reduction loops around the register tile become run lists;
// all others, loops.
#include "loop_tree.h"

#include <algorithm>
#include <string>
#include <utility>

#include "branches.h"
#include "check.h"
#include "nest_rules.h"
#include "next_tile_prefetch.h"
#include "repack.h"
#include "tileplan/error.h"

namespace tileplan {

namespace {

class TreeBuilder {
 public:
  TreeBuilder(const Computation& computation, const Nest& nest, const TreeSpec& spec)
      : computation_(computation),
        nest_(nest),
        spec_(spec),
        leaf_spec_(spec),
        bias_(bias_layout(computation)),
        band_(reduction_band(computation, nest)) {}

  LoopTree build();

 private:
  bool is_reduction(Dim dim) const { return computation_.role(dim) == Role::reduction; }
  void check_vectors(Operand operand) const;
  void check_streaming() const;
  void find_box();
  void set_origin();
  void find_ahead();
  std::int64_t ahead_advance(const Nest& nest, std::size_t loop, const Position& advance) const;
  void check_blocks(Operand operand, const TensorLayout& layout, const Repeat& trips) const;
  std::int64_t weights_stride(Dim dim) const;
  Position advance_of(const Nest& nest, std::size_t loop, std::int64_t by) const;
  std::int64_t tasks_from(std::size_t loop) const;
  static TileSteps steps_of(const Leaf& leaf, const Position& step);
  void find_rows(LoopNode& node) const;
  LoopNode loop_node(std::size_t at, const Repeat& trips, const Nest& nest);
  std::vector<LoopNode> build_from(std::size_t at, const Nest& nest);
  std::vector<LoopNode> build_box(const Nest& nest);
  std::vector<LoopNode> build_loops(std::size_t at, const Nest& nest);
  bool reads_box(std::size_t loop) const { return outside_box_ && loop >= *outside_box_; }
  std::vector<LoopNode> build_parts(std::size_t at, const Nest& nest);
  int add_leaf(const Nest& nest);

  const Computation& computation_;
  const Nest& nest_;
  const TreeSpec& spec_;
  TreeSpec leaf_spec_;  // the same, but for the input that is packed
  const TensorLayout bias_;
  const std::size_t band_;  // first loop of the reduction band around the register tile
  std::optional<std::size_t> outside_box_;  // first loop that reads the packed input
  std::optional<NextTilePrefetch> ahead_;
  std::int64_t input_ahead_bytes_ = 0;
  LoopTree tree_;
  std::vector<Tile> leaf_bases_;
};

void TreeBuilder::check_vectors(Operand operand) const {
  const int lanes = lanes_of(spec_.isa, spec_.type);
  const TensorLayout& layout = operand == Operand::input ? leaf_spec_.input : spec_.output;
  if (!holds_vectors(computation_.tensor(operand), layout, nest_.vectorised, lanes))
    throw Error("layout: vectors of " + std::to_string(lanes) + " along " +
                computation_.name(nest_.vectorised) + " are not contiguous in the " +
                (operand == Operand::input ? "input" : "output") + "; they must be for " +
                to_string(spec_.isa));
}

// Streaming stores write whole aligned vectors: from one to the next along any dim of the output
// is a multiple of their length.
void TreeBuilder::check_streaming() const {
  const std::string why =
      why_unaligned(computation_, spec_.output, nest_.vectorised, lanes_of(spec_.isa, spec_.type));
  if (!why.empty()) throw Error("schedule: nt, but " + why);
}

/// Where the input is packed, and the layout in which the microkernels then find it.
void TreeBuilder::find_box() {
  if (!spec_.pack_input) return;
  outside_box_ = loops_outside_box(computation_, nest_, *spec_.pack_input);
  leaf_spec_.input = packed_boxes_layout(computation_, nest_, *outside_box_);
  tree_.box_elements = leaf_spec_.input.elements;
}

// Offsets are relative to index 0 of every data dim; the padding moves the first access before it.
void TreeBuilder::set_origin() {
  const TensorAccess& input = computation_.tensor(Operand::input);
  std::size_t guard = 0;
  for (std::size_t a = 0; a < input.data.size(); ++a) {
    const DataDim& data = input.data[a];
    tree_.origin.input += data.offset * spec_.input.axes[a].stride * bytes_of(spec_.type);
    if (!is_guarded(computation_, data, nest_.vectorised)) continue;
    TILEPLAN_CHECK(guard < kMaxGuards, "more guarded dims than guards");
    tree_.origin.guard[guard++] = data.offset;
  }
}

/// What is prefetched for the next iteration of a loop.
void TreeBuilder::find_ahead() {
  const auto input = spec_.pack_input ? std::nullopt : std::optional(spec_.input);
  ahead_ = plan_next_tile_prefetch(computation_, nest_, band_, input, spec_.ahead);
  if (!ahead_) return;
  if (ahead_->by_steps) {
    constexpr std::int64_t kReach = 1 << 30;  // of one instruction, with room for the tile
    const std::int64_t bytes = std::exchange(ahead_, {})->block * bytes_of(spec_.type);
    input_ahead_bytes_ = bytes < kReach ? bytes : 0;
    return;
  }
  tree_.ahead = ahead_->operand;
  tree_.origin.ahead = ahead_->first * bytes_of(spec_.type);
  if (tree_.ahead == Operand::input) tree_.origin.ahead += tree_.origin.input;
}

// A loop over a blocked axis is linear in memory when it steps by whole blocks or stays inside one.
void TreeBuilder::check_blocks(Operand operand, const TensorLayout& layout,
                               const Repeat& trips) const {
  if (const auto cut = cut_block(computation_, operand, layout, trips))
    throw Error("schedule: loop of " + std::to_string(trips.count) + " over " +
                computation_.name(trips.dim) + " steps by " + std::to_string(trips.step) +
                "; in a layout with blocks of " + std::to_string(cut->elements) + ' ' +
                computation_.name(trips.dim) +
                " a step must be whole blocks, or the loop stay inside one");
}

/// Packed weights between neighbours along `dim`, reduction aside; 0 for dims that are not in them.
std::int64_t TreeBuilder::weights_stride(Dim dim) const {
  const WeightsOrder& order = tree_.weights;
  const std::int64_t steps = order.steps();
  if (dim == order.blocked) return steps;
  if (std::find(order.outer.begin(), order.outer.end(), dim) == order.outer.end()) return 0;
  std::int64_t stride = order.channels * steps;
  for (auto d = order.outer.rbegin(); *d != dim; ++d) stride *= computation_.extent(*d);
  return stride;
}

/// Outside the loop that is prefetched for: as what is prefetched; inside: by what the calls take.
std::int64_t TreeBuilder::ahead_advance(const Nest& nest, std::size_t loop,
                                        const Position& advance) const {
  if (loop < ahead_->loop)
    return ahead_->operand == Operand::weights ? advance.weights : advance.input;
  const std::int64_t elements =
      loop == ahead_->loop ? ahead_->block : ahead_->call * calls_inside(nest, loop, band_);
  return elements * bytes_of(spec_.type);
}

/// How the position changes when loop `loop` of `nest` moves on by `by` iterations of its dim.
Position TreeBuilder::advance_of(const Nest& nest, std::size_t loop, std::int64_t by) const {
  const Dim dim = nest_.loops[loop].dim;
  Tile at;
  at[dim] = by;
  const int dims = computation_.dims();
  const TensorAccess& input = computation_.tensor(Operand::input);
  const TensorAccess& output = computation_.tensor(Operand::output);
  Position advance;
  const TensorLayout& read = reads_box(loop) ? leaf_spec_.input : spec_.input;
  advance.input = element_offset(input, read, at, dims) * bytes_of(spec_.type);
  advance.output = element_offset(output, spec_.output, at, dims) * bytes_of(spec_.type);
  if (spec_.epilogue.bias)
    advance.bias = element_offset(output, bias_, at, dims) * bytes_of(spec_.type);
  std::size_t guard = 0;
  for (const DataDim& data : input.data)
    if (is_guarded(computation_, data, nest_.vectorised))
      advance.guard[guard++] = index_at(data, at, dims);
  if (dim == nest_.vectorised) advance.vectors = by;
  if (is_reduction(dim)) {
    advance.reduction = 1;
    for (const Repeat& inside : reduction_loops(computation_, nest_, loop + 1))
      advance.reduction *= inside.count;
  } else {
    advance.weights = by * weights_stride(dim) * bytes_of(spec_.type);
  }
  if (ahead_) advance.ahead = ahead_advance(nest, loop, advance);
  return advance;
}

/// Iterations of the parallel loops at `loop` and further in, collapsed into one.
std::int64_t TreeBuilder::tasks_from(std::size_t loop) const {
  std::int64_t tasks = 1;
  for (; loop < nest_.loops.size(); ++loop)
    if (nest_.loops[loop].parallel) tasks *= nest_.loops[loop].blocks();
  return tasks;
}

/// A loop with what is inside it.
LoopNode TreeBuilder::loop_node(std::size_t at, const Repeat& trips, const Nest& nest) {
  check_blocks(Operand::input, reads_box(at) ? leaf_spec_.input : spec_.input, trips);
  check_blocks(Operand::output, spec_.output, trips);
  LoopNode node;
  node.trips = trips.count;
  node.advance = advance_of(nest, at, trips.step);
  node.parallel = nest_.loops[at].parallel;
  node.tasks = tasks_from(at + 1);
  node.children = build_from(at + 1, nest);
  find_rows(node);
  return node;
}

TileSteps TreeBuilder::steps_of(const Leaf& leaf, const Position& step) {
  return {.input = step.input,
          .weights = step.weights + step.reduction * leaf.row_bytes,
          .output = step.output,
          .bias = step.bias,
          .ahead = step.ahead};
}

/// The rows of tiles of a loop around one tile, or around one loop around one tile.
void TreeBuilder::find_rows(LoopNode& node) const {
  const LoopNode& only = node.children.front();
  const bool is_row = only.leaf >= 0 && only.children.empty() && !only.parallel;
  if (node.children.size() != 1 || !is_row) return;
  node.leaf = only.leaf;
  node.rows.tiles = only.trips;
  node.rows.row = node.advance;
  node.rows.reach.advance(only.advance, only.trips - 1);
  Position next_row = node.advance;
  next_row.advance(only.advance, 1 - only.trips);
  const Leaf& leaf = tree_.leaves[static_cast<std::size_t>(node.leaf)];
  node.rows.tile_steps = steps_of(leaf, only.advance);
  node.rows.row_steps = steps_of(leaf, next_row);
  if (only.trips == 1) node.children.clear();
}

std::vector<LoopNode> TreeBuilder::build_from(std::size_t at, const Nest& nest) {
  return outside_box_ == at ? build_box(nest) : build_loops(at, nest);
}

/// The copy of the box whose iterations the loops inside cover, and those loops.
std::vector<LoopNode> TreeBuilder::build_box(const Nest& nest) {
  std::vector<LoopNode> nodes(1);
  nodes.front().box = static_cast<int>(tree_.boxes.size());
  tree_.boxes.push_back(box_copy(computation_, spec_.input, leaf_spec_.input,
                                 packed_box(computation_, nest, *outside_box_), nest_.vectorised));
  nodes.front().children = build_loops(*outside_box_, nest);
  return nodes;
}

std::vector<LoopNode> TreeBuilder::build_loops(std::size_t at, const Nest& nest) {
  std::vector<LoopNode> nodes;
  if (at == band_) {
    nodes.emplace_back().leaf = add_leaf(nest);
    return nodes;
  }
  const NestLoop& loop = nest.loops[at];
  if (loop.is_lambda()) return build_parts(at, nest);
  if (loop.trips == 1) return build_from(at + 1, nest);
  const Repeat trips{loop.dim, loop.trips, covered(nest, at + 1, loop.dim)};
  nodes.push_back(loop_node(at, trips, nest));
  return nodes;
}

/// One loop after the other for the parts of the lambda at `at`.
std::vector<LoopNode> TreeBuilder::build_parts(std::size_t at, const Nest& nest) {
  const NestLoop& loop = nest.loops[at];
  std::vector<LoopNode> nodes;
  std::int64_t start = 0, ahead = 0, tasks = 0;
  for (const Part& part : loop.parts) {
    const Nest chosen = with_part(nest, at, part);
    nodes.push_back(loop_node(at, {loop.dim, part.times, part.size}, chosen));
    LoopNode& node = nodes.back();
    node.start = advance_of(chosen, at, start);
    node.start.ahead = ahead;
    if (loop.parallel) node.before = tasks;
    start += part.times * part.size;
    ahead += part.times * node.advance.ahead;
    tasks += part.times * node.tasks;
  }
  return nodes;
}

int TreeBuilder::add_leaf(const Nest& nest) {
  const auto known = std::find(leaf_bases_.begin(), leaf_bases_.end(), nest.base);
  if (known != leaf_bases_.end()) return static_cast<int>(known - leaf_bases_.begin());
  leaf_bases_.push_back(nest.base);
  const LeafContext context{.computation = computation_,
                            .nest = nest_,
                            .spec = leaf_spec_,
                            .band = band_,
                            .outer_count = tree_.weights.outer_count,
                            .ahead_bytes = ahead_ ? ahead_->call * bytes_of(spec_.type) : 0,
                            .input_ahead_bytes = input_ahead_bytes_};
  tree_.leaves.push_back(make_leaf(context, nest.base));
  return static_cast<int>(leaf_bases_.size()) - 1;
}

LoopTree TreeBuilder::build() {
  check_nest(computation_, nest_, spec_.pack_input.has_value());
  find_box();
  check_vectors(Operand::input);
  check_vectors(Operand::output);
  if (spec_.nontemporal) check_streaming();
  tree_.vector_extent = computation_.extent(nest_.vectorised);
  tree_.accumulate = spec_.epilogue.accumulate;
  tree_.type = spec_.type;
  tree_.weights = weights_order(computation_, nest_);
  tree_.weights_steps = tree_.weights.steps();
  set_origin();
  find_ahead();
  tree_.root.tasks = tasks_from(0);
  tree_.root.children = build_from(0, nest_);
  return std::move(tree_);
}

}  // namespace

TreeSpec tree_spec(const Computation& computation, const Schedule& schedule, const Nest& nest,
                   Isa isa, const Epilogue& epilogue) {
  const auto in_loops = [&](Operand operand) {
    return layout_of(computation, operand, layout_in_loops(computation, schedule, nest, operand));
  };
  return {.isa = isa,
          .type = type_of(computation.problem),
          .input = in_loops(Operand::input),
          .output = in_loops(Operand::output),
          .prefetch = schedule.prefetch,
          .ahead = schedule.ahead,
          .nontemporal = schedule.nontemporal,
          .pack_input = schedule.pack_input,
          .epilogue = epilogue};
}

LoopTree build_tree(const Computation& computation, const Nest& nest, const TreeSpec& spec) {
  return TreeBuilder(computation, nest, spec).build();
}

}  // namespace tileplan
