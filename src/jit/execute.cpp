// SPDX-License-Identifier: Apache-2.0
// This file runs a loop tree and computes the arguments of each microkernel call.
#include <algorithm>

#include "integers.h"
#include "loop_tree.h"

namespace tileplan {

void Position::advance(const Position& step, std::int64_t trips) {
  input += step.input * trips;
  weights += step.weights * trips;
  output += step.output * trips;
  bias += step.bias * trips;
  reduction += step.reduction * trips;
  rows += step.rows * trips;
  vectors += step.vectors * trips;
  next_tile += step.next_tile * trips;
  for (std::size_t g = 0; g < guard.size(); ++g) guard[g] += step.guard[g] * trips;
}

namespace {

/// Locates a tile by its first reduction step and its index along the dimension of the vectors.
/// The flags of the tile (kAccumulate, kScaleOutput, kTail, kApplyEpilogue) depend on both numbers.
struct Progress {
  std::int64_t reduction = 0, vectors = 0;

  Progress after(const Position& step, std::int64_t trips = 1) const {
    return {reduction + step.reduction * trips, vectors + step.vectors * trips};
  }
};

class TreeRun {
 public:
  explicit TreeRun(const LoopTree& tree) : tree_(tree) {}

  void run_node(const LoopNode& node, Position at, const Buffers& buffers, TaskRange tasks) const {
    at.advance(node.start);
    if (node.fill) return fill_box(node, at, buffers, tasks);
    if (node.transform) return run_transform(node, at, buffers, tasks);
    if (node.parallel.shared) return run_shared(node, at, buffers, tasks);
    if (node.call >= 0) return run_calls(node, at, buffers, node.trips);
    for (std::int64_t trip = 0; trip < node.trips; ++trip, at.advance(node.advance))
      run_children(node, at, buffers, tasks);
  }

 private:
  const MicrokernelCall& call_of(const LoopNode& node) const {
    return tree_.calls[static_cast<std::size_t>(node.call)];
  }

  /// Returns the list of reduction runs for the call at `at`. The list depends on which pixels read
  /// padding in which reduction steps.
  static RunList runs_at(const MicrokernelCall& call, const Position& at) {
    std::int64_t list = 0;
    for (std::size_t g = 0; g < call.guards.size(); ++g)
      list += call.guards[g].pattern_at(at.guard[g]) * call.guards[g].lists;
    return call.lists[static_cast<std::size_t>(list)];
  }

  std::int64_t flags_at(const MicrokernelCall& call, Progress at) const {
    std::int64_t flags = 0;
    if (at.reduction > 0 || tree_.accumulate) flags |= kAccumulate;
    if (at.reduction == 0 && tree_.scales_output) flags |= kScaleOutput;
    if (at.vectors + call.length > tree_.vector_extent) flags |= kTail;
    if (at.reduction + call.steps == tree_.reduction_steps) flags |= kApplyEpilogue;
    return flags;
  }

  /// Returns how many of the next `count` rows one call can compute, because all their tiles have
  /// the reduction runs and flags of the first tile. Returns 0 when the tiles of the first row
  /// differ.
  std::int64_t rows_of_one_form(const MicrokernelCall& call, const Position& at,
                                const TileRows& rows, std::int64_t count) const {
    for (std::size_t g = 0; g < call.guards.size(); ++g) {
      const std::int64_t room =
          call.guards[g].last_from(at.guard[g]) - at.guard[g] - rows.reach.guard[g];
      if (room < 0) return 0;
      const std::int64_t move = rows.row.guard[g];
      if (move * (count - 1) > room) count = room / move + 1;
    }
    // Flags can change only at the first and the last tile of a loop, so no other row needs a test.
    const Progress first{at.reduction, at.vectors};
    const Progress row_end = first.after(rows.reach);
    const std::int64_t flags = flags_at(call, first);
    const auto ends_so = [&](std::int64_t some) {
      return flags_at(call, row_end.after(rows.row, some - 1)) == flags;
    };
    if (!ends_so(1)) return 0;
    if (ends_so(count)) return count;
    return count > 2 && ends_so(count - 1) ? count - 1 : 1;
  }

  /// Computes `count` rows of tiles, starting with the tile at `at`. Requires: all tiles have the
  /// reduction runs and flags of this tile.
  void run_rows(const LoopNode& node, const Position& at, const Buffers& buffers,
                std::int64_t count) const {
    const MicrokernelCall& call = call_of(node);
    const RunList runs = runs_at(call, at);
    TileGrid grid{.input = buffers.input + at.input,
                  .weights = buffers.weights + at.weights + at.rows * call.row_bytes,
                  .output = buffers.output + at.output,
                  .runs = runs.runs,
                  .count = runs.count,
                  .flags = flags_at(call, {at.reduction, at.vectors}),
                  .bias = buffers.bias + at.bias,
                  .residual = buffers.residual,
                  .next_tile = buffers.next_tile + at.next_tile,
                  .tiles = node.rows.tiles,
                  .rows = count,
                  .step = node.rows.tile_stride,
                  .row_step = node.rows.row_stride,
                  .sums = buffers.output,
                  .converted = buffers.conversion ? buffers.conversion->output : nullptr,
                  .conversion = buffers.conversion,
                  .factors = buffers.factors};
    call.function(&grid);
  }

  /// Runs the trips of a node that calls a microkernel. One call computes as many rows of tiles as
  /// possible, because each call costs time.
  void run_calls(const LoopNode& node, Position at, const Buffers& buffers,
                 std::int64_t trips) const {
    while (trips > 0) {
      std::int64_t rows = rows_of_one_form(call_of(node), at, node.rows, trips);
      if (rows > 0) {
        run_rows(node, at, buffers, rows);
      } else {
        rows = 1;
        const LoopNode& row = node.children.front();
        run_calls(row, at, buffers, row.trips);
      }
      at.advance(node.advance, rows);
      trips -= rows;
    }
  }

  void run_children(const LoopNode& node, const Position& at, const Buffers& buffers,
                    TaskRange tasks) const {
    for (const LoopNode& child : node.children) run_node(child, at, buffers, tasks);
  }

  void fill_box(const LoopNode& node, Position at, Buffers buffers, TaskRange tasks) const {
    if (node.fill->operand == Operand::input) {
      copy_box(tree_.boxes[node.fill->copy], buffers.input + at.input, buffers.box, at.guard);
      buffers.input = buffers.box;
      at.input = 0;
    } else if (node.fill->operand == Operand::output) {
      return fill_output_box(node, at, buffers, tasks);
    } else {
      char* const box = buffers.box + tree_.weights_box;
      copy_weights(tree_.weights_boxes[node.fill->copy], buffers.weights + at.weights, box,
                   at.vectors);
      buffers.weights = box;
      at.weights = at.rows = 0;
    }
    run_children(node, at, buffers, tasks);
  }

  /// Runs the children on a box of outputs, which is copied back afterwards. If the children add to
  /// the outputs, these are copied to the box first.
  void fill_output_box(const LoopNode& node, Position at, Buffers buffers, TaskRange tasks) const {
    const OutputCopy& copy = tree_.output_boxes[node.fill->copy];
    const GuardIndices first{at.vectors};
    char* const box = buffers.box + tree_.output_box;
    char* const output = buffers.output + at.output;
    if (at.reduction > 0 || tree_.accumulate) copy_box(copy.fill, output, box, first);
    buffers.output = box;
    at.output = 0;
    run_children(node, at, buffers, tasks);
    copy_box(copy.empty, box, output, first);
  }

  /// Runs one stage of a Winograd convolution. The input is transformed to a box before the
  /// children read it, and the output is transformed from a box after the children have written it.
  void run_transform(const LoopNode& node, Position at, Buffers buffers, TaskRange tasks) const {
    const WinogradStages& stages = *tree_.winograd;
    const bool is_input = node.transform->operand == Operand::input;
    char* const box = is_input ? buffers.box : buffers.box + stages.output_box;
    StageBuffers stage{.input = is_input ? buffers.input : box,
                       .output = is_input ? box : buffers.output,
                       .scratch = buffers.box + stages.scratch,
                       .bias = is_input ? nullptr : buffers.bias,
                       .residual = buffers.residual};
    const auto [group, tile, input_channel, output_channel] = at.guard;
    const StageBox first{group, tile, is_input ? input_channel : output_channel};
    if (is_input) {
      stages.input.run(node.transform->box, first, stage);
      buffers.input = box;
      at.input = 0;
      return run_children(node, at, buffers, tasks);
    }
    buffers.output = box;
    at.output = 0;
    run_children(node, at, buffers, tasks);
    stages.output.run(node.transform->box, first, stage);
  }

  /// Runs the trips of a parallel loop that contain at least one iteration of `tasks`.
  void run_shared(const LoopNode& node, Position at, const Buffers& buffers,
                  TaskRange tasks) const {
    const std::int64_t inside = node.parallel.inside, before = node.parallel.before;
    tasks = {std::max(tasks.first - before, std::int64_t{0}),
             std::min(tasks.last - before, node.trips * inside)};
    if (tasks.first >= tasks.last) return;
    const TaskRange trips{tasks.first / inside, ceil_div(tasks.last, inside)};
    at.advance(node.advance, trips.first);
    if (node.call >= 0) return run_calls(node, at, buffers, trips.last - trips.first);
    for (std::int64_t trip = trips.first; trip < trips.last; ++trip, at.advance(node.advance))
      run_children(node, at, buffers,
                   {.first = std::max(tasks.first - trip * inside, std::int64_t{0}),
                    .last = std::min(tasks.last - trip * inside, inside)});
  }

  const LoopTree& tree_;
};

}  // namespace

void execute(const LoopTree& tree, const Buffers& buffers, TaskRange tasks) {
  if (tasks.first >= tasks.last) return;
  Buffers all = buffers;
  all.next_tile = tree.prefetched == Operand::weights ? buffers.weights : buffers.input;
  TreeRun(tree).run_node(tree.root, tree.origin, all, tasks);
}

}  // namespace tileplan
