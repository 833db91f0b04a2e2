// SPDX-License-Identifier: Apache-2.0
// Each element of the loop program becomes a node, except for lists of blocks, whose loops become
// nodes of the enclosing loop. A trip of a node adds constants to pointers.
#include "loop_tree.h"

#include <algorithm>
#include <utility>

#include "integers.h"
#include "repack.h"
#include "scaled_sums.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

/// Records which parts of the loop program enclose the part that is being translated.
struct Scope {
  bool reads_box = false;   ///< If true, a box of the packed input encloses this part.
  bool writes_box = false;  ///< If true, a box of the packed output encloses this part.
  /// The packed weights that this part reads have this order. Plain weights have none.
  const WeightsOrder* weights = nullptr;
  /// If true, the loop whose next tile is prefetched encloses this part.
  bool in_prefetch_loop = false;
};

/// Returns the number of iterations of the parallel loops in `node`, itself included, counted as
/// one collapsed loop.
std::int64_t count_tasks(const ProgramNode& node) {
  if (node.body.empty()) return 1;
  const auto* list = std::get_if<BlockList>(&node.element);
  std::int64_t inside = count_tasks(node.body.front());
  if (list != nullptr && list->parallel)
    for (std::size_t i = 1; i < node.body.size(); ++i) inside += count_tasks(node.body[i]);
  const auto* loop = std::get_if<CountedLoop>(&node.element);
  return loop != nullptr && loop->parallel ? loop->trips * inside : inside;
}

TileStride stride_of(const MicrokernelCall& call, const Position& step) {
  return {.input = step.input,
          .weights = step.weights + step.rows * call.row_bytes,
          .output = step.output,
          .bias = step.bias,
          .next_tile = step.next_tile};
}

class TreeBuilder {
 public:
  TreeBuilder(const Computation& computation, const LoopProgram& program, const TreeSpec& spec)
      : computation_(computation),
        program_(program),
        spec_(spec),
        bias_(bias_layout(computation, spec.bias_per_batch)) {}

  LoopTree build() {
    plan_memory();
    tree_.vector_extent = computation_.extent(program_.vectorised);
    tree_.accumulate = spec_.epilogue.beta != 0 && !spec_.winograd;
    tree_.scales_output = scales_output(spec_.epilogue) && !spec_.winograd;
    tree_.reduction_steps = tree_.weights.steps();
    set_origin();
    tree_.root.parallel.inside = count_tasks(program_.body.front());
    const bool is_packed = program_.weights_source == WeightsSource::packed;
    tree_.root.children =
        nodes_of(program_.body, {.weights = is_packed ? &program_.weights : nullptr});
    return std::move(tree_);
  }

  LoopTree memory() {
    plan_memory();
    return std::move(tree_);
  }

 private:
  /// Sets the boxes and the order of the weights.
  void plan_memory() {
    if (!spec_.winograd)
      check_output_box(computation_, program_.vectorised, program_.place(Operand::output).box,
                       spec_.epilogue);
    place_boxes();
    tree_.weights = program_.weights;
    if (spec_.winograd) tree_.weights.transform = transform_number(spec_.winograd->tile);
    if (uses_tiles(spec_.product.arithmetic))
      tree_.weights.transform = static_cast<std::uint64_t>(spec_.product.strip_bytes);
  }

  std::int64_t bytes(Operand operand, std::int64_t elements) const {
    return elements * computation_.tensor(operand).element_bytes();
  }

  void place_boxes() {
    const auto& input = program_.place(Operand::input).box;
    const auto& output = program_.place(Operand::output).box;
    constexpr std::int64_t kLine = 64;
    if (input) tree_.boxes_bytes = bytes(Operand::input, input->elements);
    if (program_.weights_source == WeightsSource::boxes) {
      tree_.weights_box = round_up(tree_.boxes_bytes, kLine);
      tree_.boxes_bytes =
          tree_.weights_box + bytes(Operand::weights, largest_weights_box(program_.body));
    }
    if (!spec_.winograd && output) {
      tree_.output_box = round_up(tree_.boxes_bytes, kLine);
      tree_.boxes_bytes = tree_.output_box + bytes(Operand::output, output->elements);
    }
    if (!spec_.winograd) return;
    const auto stage = [&](Operand operand) {
      return WinogradStage(*spec_.winograd,
                           {spec_.isa, operand, *program_.place(operand).box, spec_.epilogue});
    };
    tree_.winograd.emplace(WinogradStages{stage(Operand::input), stage(Operand::output)});
    WinogradStages& stages = *tree_.winograd;
    stages.output_box = round_up(tree_.boxes_bytes, kLine);
    stages.scratch = round_up(stages.output_box + bytes(Operand::output, output->elements), kLine);
    tree_.boxes_bytes =
        stages.scratch + std::max(stages.input.scratch_bytes(), stages.output.scratch_bytes());
  }

  /// Sets the position of the first call relative to index 0 of every dimension of the tensors. The
  /// offset of the input is negative when the call begins in padding.
  void set_origin() {
    const std::vector<DataDim>& data = computation_.tensor(Operand::input).data;
    const TensorLayout& stored = program_.place(Operand::input).stored;
    std::size_t guard = 0;
    for (std::size_t a = 0; a < data.size(); ++a) {
      tree_.origin.input += bytes(Operand::input, data[a].offset * stored.axes[a].stride);
      if (!is_guarded(computation_, data[a], program_.vectorised)) continue;
      if (guard == kMaxGuards)
        throw Error("schedule: more than " + std::to_string(kMaxGuards) +
                    " indices of the input lie in padding; must be at most as many");
      tree_.origin.guard[guard++] = data[a].offset;
    }
    if (program_.weights_source != WeightsSource::packed) {
      const std::vector<DataDim>& rows = computation_.tensor(Operand::weights).data;
      const TensorLayout& plain = program_.place(Operand::weights).stored;
      for (std::size_t a = 0; a < rows.size(); ++a)
        tree_.origin.weights += bytes(Operand::weights, rows[a].offset * plain.axes[a].stride);
    }
    if (const auto& prefetch = program_.next_tile_prefetch) {
      tree_.prefetched = prefetch->operand;
      tree_.origin.next_tile = bytes(prefetch->operand, prefetch->first);
      if (prefetch->operand == Operand::input) tree_.origin.next_tile += tree_.origin.input;
    }
  }

  /// Returns the change of the position after `iterations` of `loop`, without the prefetch address.
  Position advance_by(std::int64_t iterations, const CountedLoop& loop, Scope scope) const {
    Tile at;
    at[loop.dim] = iterations;
    const TensorAccess& input = computation_.tensor(Operand::input);
    const TensorAccess& output = computation_.tensor(Operand::output);
    const OperandPlace& place = program_.place(Operand::input);
    Position advance;
    advance.input = bytes(Operand::input,
                          offset_distance(input, scope.reads_box ? *place.box : place.stored, at));
    const OperandPlace& written = program_.place(Operand::output);
    advance.output =
        bytes(Operand::output,
              offset_distance(output, scope.writes_box ? *written.box : written.stored, at));
    if (spec_.epilogue.bias && !spec_.winograd)
      advance.bias = bytes(Operand::output, offset_distance(output, bias_, at));
    advance.guard = spec_.winograd ? stage_indices(at) : guard_distances(at);
    if (loop.dim == program_.vectorised) advance.vectors = iterations;
    advance.reduction = loop.reduction_steps;
    if (scope.weights == nullptr)
      advance.weights =
          bytes(Operand::weights, offset_distance(computation_.tensor(Operand::weights),
                                                  program_.place(Operand::weights).stored, at));
    else if (loop.reduction_steps == 0)
      advance.weights = bytes(Operand::weights, scope.weights->distance(loop.dim, iterations));
    else
      advance.rows = loop.reduction_steps;
    return advance;
  }

  GuardIndices guard_distances(const Tile& at) const {
    GuardIndices distances{};
    std::size_t guard = 0;
    for (const DataDim& data : computation_.tensor(Operand::input).data)
      if (is_guarded(computation_, data, program_.vectorised))
        distances[guard++] = index_distance(data, at);
    return distances;
  }

  /// Returns the group, tile, input channel and output channel of an iteration of the products.
  GuardIndices stage_indices(const Tile& at) const {
    const auto index = [&](const char* name) { return at[computation_.dim(name)]; };
    return {index("g"), index("p"), index("c"), index("k")};
  }

  /// Returns the change of the prefetch address in bytes. The prefetching loop moves the address by
  /// the data of one iteration, loops inside it by the bytes that their calls prefetch, and loops
  /// outside it with the prefetched tensor.
  std::int64_t advance_prefetch(const CountedLoop& loop, const std::vector<ProgramNode>& body,
                                const Position& advance, Scope scope) const {
    const auto& prefetch = program_.next_tile_prefetch;
    if (!prefetch) return 0;
    if (loop.prefetches_next_tile) return bytes(prefetch->operand, prefetch->block);
    if (scope.in_prefetch_loop) return bytes(prefetch->operand, prefetch->call * count_calls(body));
    return prefetch->operand == Operand::weights ? advance.weights : advance.input;
  }

  /// Sets node.call and node.rows if the only child is a single tile, or a loop over a single tile
  /// that threads do not share, so that one microkernel call can compute several trips. A loop
  /// stays as the child for the rows that one call cannot compute.
  void find_rows(LoopNode& node) const {
    const LoopNode& only = node.children.front();
    const bool is_row = only.call >= 0 && only.children.empty() && !only.parallel.shared;
    if (node.children.size() != 1 || !is_row) return;
    node.call = only.call;
    node.rows.tiles = only.trips;
    node.rows.row = node.advance;
    node.rows.reach.advance(only.advance, only.trips - 1);
    Position next_row = node.advance;
    next_row.advance(only.advance, 1 - only.trips);
    const MicrokernelCall& call = tree_.calls[static_cast<std::size_t>(node.call)];
    node.rows.tile_stride = stride_of(call, only.advance);
    node.rows.row_stride = stride_of(call, next_row);
    if (only.trips == 1) node.children.clear();
  }

  std::vector<LoopNode> nodes_of(const std::vector<ProgramNode>& body, Scope scope) {
    std::vector<LoopNode> nodes;
    for (const ProgramNode& node : body)
      std::visit([&](const auto& element) { append(element, node.body, scope, nodes); },
                 node.element);
    return nodes;
  }

  void append(const CountedLoop& loop, const std::vector<ProgramNode>& body, Scope scope,
              std::vector<LoopNode>& nodes) {
    LoopNode node;
    node.trips = loop.trips;
    node.advance = advance_by(loop.step, loop, scope);
    node.advance.next_tile = advance_prefetch(loop, body, node.advance, scope);
    if (loop.start != 0) node.start = advance_by(loop.start, loop, scope);
    node.parallel = {.shared = loop.parallel, .inside = count_tasks(body.front())};
    scope.in_prefetch_loop = scope.in_prefetch_loop || loop.prefetches_next_tile;
    node.children = nodes_of(body, scope);
    find_rows(node);
    nodes.push_back(std::move(node));
  }

  void append(const BlockList& list, const std::vector<ProgramNode>& body, Scope scope,
              std::vector<LoopNode>& nodes) {
    std::int64_t next_tile = 0, tasks = 0;
    for (LoopNode& part : nodes_of(body, scope)) {
      part.start.next_tile = next_tile;
      if (list.parallel) part.parallel.before = tasks;
      next_tile += part.trips * part.advance.next_tile;
      tasks += part.trips * part.parallel.inside;
      nodes.push_back(std::move(part));
    }
  }

  void append(const FillBox& fill, const std::vector<ProgramNode>& body, Scope scope,
              std::vector<LoopNode>& nodes) {
    const OperandPlace& place = program_.place(fill.operand);
    LoopNode& node = nodes.emplace_back();
    if (fill.operand == Operand::weights) {
      node.fill = {fill.operand, tree_.weights_boxes.size()};
      tree_.weights_boxes.push_back(
          plan_weights_copy(computation_, place.stored, fill.weights, program_.vectorised));
      scope.weights = &fill.weights;
    } else if (fill.operand == Operand::output) {
      node.fill = {fill.operand, tree_.output_boxes.size()};
      BoxCopy copy =
          plan_output_copy(computation_, place.stored, *place.box, fill.box, program_.vectorised);
      tree_.output_boxes.push_back({.fill = copy, .empty = reversed(copy)});
      scope.writes_box = true;
    } else {
      node.fill = {fill.operand, tree_.boxes.size()};
      tree_.boxes.push_back(
          plan_box_copy(computation_, place.stored, *place.box, fill.box, program_.vectorised));
      scope.reads_box = true;
    }
    node.children = nodes_of(body, scope);
  }

  LoopNode& append_transform(Operand operand, const Tile& box, std::vector<LoopNode>& nodes) const {
    const GuardIndices sizes = stage_indices(box);
    LoopNode& node = nodes.emplace_back();
    node.transform = {.operand = operand,
                      .box = {.groups = sizes[0],
                              .tiles = sizes[1],
                              .channels = sizes[operand == Operand::input ? 2 : 3]}};
    return node;
  }

  void append(const TransformInput& fill, const std::vector<ProgramNode>& body, Scope scope,
              std::vector<LoopNode>& nodes) {
    scope.reads_box = true;
    append_transform(Operand::input, fill.box, nodes).children = nodes_of(body, scope);
  }

  void append(const TransformOutput& empty, const std::vector<ProgramNode>& body, Scope scope,
              std::vector<LoopNode>& nodes) {
    scope.writes_box = true;
    append_transform(Operand::output, empty.box, nodes).children = nodes_of(body, scope);
  }

  void append(const Compute& compute, const std::vector<ProgramNode>&, Scope,
              std::vector<LoopNode>& nodes) {
    const auto known = std::find(call_bases_.begin(), call_bases_.end(), compute.base);
    nodes.emplace_back().call = static_cast<int>(known - call_bases_.begin());
    if (known != call_bases_.end()) return;
    call_bases_.push_back(compute.base);
    tree_.calls.push_back(make_microkernel_call(computation_, program_, spec_, compute.base));
  }

  const Computation& computation_;
  const LoopProgram& program_;
  const TreeSpec& spec_;
  const TensorLayout bias_;
  LoopTree tree_;
  std::vector<Tile> call_bases_;
};

}  // namespace

TreeSpec tree_spec(const Computation& computation, const Schedule& schedule, const Nest& nest,
                   Isa isa, const Epilogue& epilogue) {
  const auto in_loops = [&](Operand operand) {
    return layout_of(computation, operand, layout_in_loops(computation, schedule, nest, operand));
  };
  return {.isa = isa,
          .lowering = {.input = in_loops(Operand::input),
                       .output = in_loops(Operand::output),
                       .pack_input = schedule.pack_input,
                       .pack_weights = schedule.pack_weights,
                       .pack_output = schedule.pack_output,
                       .ahead = schedule.ahead,
                       .winograd = schedule.winograd.has_value(),
                       .weights_in_place = schedule.weights_in_place,
                       .nontemporal = schedule.nontemporal},
          .prefetch = schedule.prefetch,
          .epilogue = epilogue};
}

namespace {

LoopProgram lowered_program(const Computation& computation, const Nest& nest,
                            const TreeSpec& spec) {
  LoweringSpec lowering = spec.lowering;
  lowering.lanes = lanes_of(spec.isa, computation.tensor(Operand::output).type);
  lowering.target = to_string(spec.isa);
  return lower(computation, nest, lowering);
}

}  // namespace

LoopTree build_tree(const Computation& computation, const Nest& nest, const TreeSpec& spec) {
  return TreeBuilder(computation, lowered_program(computation, nest, spec), spec).build();
}

LoopTree memory_of_tree(const Computation& computation, const Nest& nest, const TreeSpec& spec) {
  return TreeBuilder(computation, lowered_program(computation, nest, spec), spec).memory();
}

}  // namespace tileplan
