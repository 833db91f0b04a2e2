// SPDX-License-Identifier: Apache-2.0
// Builds the loop tree of a nest. The reduction loops around the register tile become run lists;
// all others, loops.
#include "loop_nest.h"

#include <algorithm>
#include <optional>

#include "check.h"
#include "integers.h"
#include "runs.h"
#include "tileplan/error.h"

namespace tileplan {

namespace {

constexpr std::int64_t kFloat = 4;
constexpr int kUnroll = 12;  // most reduction steps per loop iteration

const TensorAccess& tensor(const Computation& computation, Operand operand) {
  return computation.tensors[static_cast<std::size_t>(operand)];
}

/// Coordinates of every point of a box, first dim of `order` slowest.
std::vector<Tile> points(const std::vector<std::pair<Dim, std::int64_t>>& order) {
  std::vector<Tile> all{Tile{}};
  for (const auto& [dim, size] : order) {
    std::vector<Tile> next;
    next.reserve(all.size() * static_cast<std::size_t>(size));
    for (const Tile& point : all)
      for (std::int64_t i = 0; i < size; ++i) {
        next.push_back(point);
        next.back()[dim] = i;
      }
    all = std::move(next);
  }
  return all;
}

class TreeBuilder {
 public:
  TreeBuilder(const Computation& computation, const Nest& nest, const TreeSpec& spec)
      : computation_(computation), nest_(nest), spec_(spec), lanes_(lanes_of(spec.isa)) {}

  LoopTree build();

 private:
  bool is_reduction(Dim dim) const { return role(computation_, dim) == Role::reduction; }
  std::int64_t covered(std::size_t from, Dim dim, const Tile& base) const;
  Tile box(std::size_t from, const Tile& base) const;
  void find_reduction_band();
  void order_weights();
  void append_blocks(std::size_t at, std::int64_t size, std::vector<std::int64_t>& blocks) const;
  std::vector<Tile> reduction_steps(std::size_t from) const;
  Position advance_of(Dim dim, std::int64_t by, std::size_t loop) const;
  void check_blocks(Dim dim, std::int64_t step, std::int64_t trips) const;
  std::vector<LoopNode> build_from(std::size_t at, const Tile& base);
  void descend(LoopNode& node, std::size_t at, const Tile& base);
  int add_leaf(const Tile& base);
  Leaf make_leaf(const Tile& base) const;
  CallBox call_box(const Tile& base) const;
  std::vector<std::int64_t> last_indices(const Tile& base) const;

  const Computation& computation_;
  const Nest& nest_;
  const TreeSpec& spec_;
  const int lanes_;
  std::size_t band_ = 0;  // first loop of the reduction band around the register tile
  LoopTree tree_;
  std::vector<Tile> leaf_bases_;
};

/// Size of `dim` that the loops at `from` and further in cover, with `base` at the bottom.
std::int64_t TreeBuilder::covered(std::size_t from, Dim dim, const Tile& base) const {
  std::int64_t size = base[dim];
  for (std::size_t i = nest_.loops.size(); i-- > from;) {
    const NestLoop& loop = nest_.loops[i];
    if (loop.dim != dim) continue;
    if (!loop.is_lambda()) {
      size *= loop.trips;
      continue;
    }
    size = 0;  // a lambda outside `from` has chosen its part already; here it stands inside
    for (const Part& part : loop.parts) size += part.times * part.size;
  }
  return size;
}

Tile TreeBuilder::box(std::size_t from, const Tile& base) const {
  Tile tile;
  for (int d = 0; d < computation_.dims(); ++d) tile[Dim{d}] = covered(from, Dim{d}, base);
  return tile;
}

void TreeBuilder::find_reduction_band() {
  band_ = nest_.loops.size();
  while (band_ > 0) {
    const NestLoop& loop = nest_.loops[band_ - 1];
    const bool inactive = !loop.is_lambda() && loop.trips == 1;
    if (!inactive && (loop.is_lambda() || !is_reduction(loop.dim))) break;
    --band_;
  }
}

/// Steps of the reduction loops at `from` and further in, in execution order.
std::vector<Tile> TreeBuilder::reduction_steps(std::size_t from) const {
  std::vector<Tile> steps{Tile{}};
  const auto extend = [&](Dim dim, std::int64_t trips, std::int64_t size) {
    std::vector<Tile> next;
    next.reserve(steps.size() * static_cast<std::size_t>(trips));
    for (const Tile& step : steps)
      for (std::int64_t i = 0; i < trips; ++i) {
        next.push_back(step);
        next.back()[dim] += i * size;
      }
    steps = std::move(next);
  };
  for (std::size_t i = from; i < nest_.loops.size(); ++i) {
    const Dim dim = nest_.loops[i].dim;
    if (is_reduction(dim)) extend(dim, nest_.loops[i].trips, covered(i + 1, dim, nest_.base));
  }
  // Unrolled reductions in domain order, but the first (the one that is contiguous in the input)
  // innermost.
  std::optional<Dim> innermost;
  for (int d = 0; d < computation_.dims(); ++d) {
    if (!is_reduction(Dim{d})) continue;
    if (innermost) extend(Dim{d}, nest_.base[Dim{d}], 1);
    if (!innermost) innermost = Dim{d};
  }
  if (innermost) extend(*innermost, nest_.base[*innermost], 1);
  return steps;
}

/// Channel blocks, in order, that the loops at `at` and further in cover.
void TreeBuilder::append_blocks(std::size_t at, std::int64_t size,
                                std::vector<std::int64_t>& blocks) const {
  if (at == nest_.loops.size()) {
    blocks.push_back(size);
    return;
  }
  const NestLoop& loop = nest_.loops[at];
  if (loop.dim != nest_.vectorised) return append_blocks(at + 1, size, blocks);
  if (!loop.is_lambda()) {
    for (std::int64_t i = 0; i < loop.trips; ++i) append_blocks(at + 1, size, blocks);
    return;
  }
  for (const Part& part : loop.parts) {
    std::int64_t inner = 1;
    for (std::size_t i = at + 1; i < nest_.loops.size(); ++i)
      if (nest_.loops[i].dim == loop.dim) inner *= nest_.loops[i].trips;
    for (std::int64_t i = 0; i < part.times; ++i) append_blocks(at + 1, part.size / inner, blocks);
  }
}

void TreeBuilder::order_weights() {
  WeightsOrder& order = tree_.weights;
  for (int d = 0; d < computation_.dims(); ++d) {
    const Role part = role(computation_, Dim{d});
    if (Dim{d} == nest_.vectorised || (part != Role::batch && part != Role::channel)) continue;
    order.outer.push_back(Dim{d});
    order.outer_count *= computation_.extent(Dim{d});
  }
  append_blocks(0, nest_.base[nest_.vectorised], order.blocks);
  for (const std::int64_t block : order.blocks) order.channels += block;
  order.steps = reduction_steps(0);
}

// A loop over a blocked axis is linear in memory when it steps by whole blocks or stays inside one.
void TreeBuilder::check_blocks(Dim dim, std::int64_t step, std::int64_t trips) const {
  const auto linear = [&](std::int64_t block) {
    const std::int64_t all = step * trips;
    return step % block == 0 || block % all == 0 ||
           (all <= block && all == computation_.extent(dim));
  };
  const auto check = [&](Operand operand, const TensorLayout& layout) {
    const TensorAccess& access = tensor(computation_, operand);
    for (std::size_t a = 0; a < access.data.size(); ++a) {
      const std::int64_t block = layout.axes[a].block;
      if (block == 0) continue;
      for (const Term& term : access.data[a].terms)
        if (term.dim == dim && !linear(block))
          throw Error("schedule: loop of " + std::to_string(trips) + " over " +
                      computation_.name(dim) + " steps by " + std::to_string(step) +
                      "; in a layout blocked by " + std::to_string(block) +
                      " a step must be whole blocks, or the loop stay inside one");
    }
  };
  check(Operand::input, spec_.input);
  check(Operand::output, spec_.output);
}

/// How the position changes when `dim` moves on by `by`; `loop` is the loop that does it.
Position TreeBuilder::advance_of(Dim dim, std::int64_t by, std::size_t loop) const {
  Tile at;
  at[dim] = by;
  const int dims = computation_.dims();
  const TensorAccess& input = tensor(computation_, Operand::input);
  Position advance;
  advance.input = element_offset(input, spec_.input, at, dims) * kFloat;
  advance.output =
      element_offset(tensor(computation_, Operand::output), spec_.output, at, dims) * kFloat;
  std::size_t guard = 0;
  for (const DataDim& data : input.data)
    if (data.clipped) advance.guard[guard++] = index_at(data, at, dims);
  const WeightsOrder& order = tree_.weights;
  const std::int64_t steps = static_cast<std::int64_t>(order.steps.size());
  if (is_reduction(dim)) {
    advance.reduction = static_cast<std::int64_t>(reduction_steps(loop + 1).size());
  } else if (dim == nest_.vectorised) {
    advance.channel = by;
    advance.weights = by * steps * kFloat;
  } else if (std::find(order.outer.begin(), order.outer.end(), dim) != order.outer.end()) {
    std::int64_t stride = order.channels * steps;
    for (auto d = order.outer.rbegin(); *d != dim; ++d) stride *= computation_.extent(*d);
    advance.weights = by * stride * kFloat;
  }
  return advance;
}

std::vector<LoopNode> TreeBuilder::build_from(std::size_t at, const Tile& base) {
  if (at == band_) {
    LoopNode node;
    node.leaf = add_leaf(base);
    return {std::move(node)};
  }
  const NestLoop& loop = nest_.loops[at];
  if (!loop.is_lambda()) {
    if (loop.trips == 1) return build_from(at + 1, base);
    const std::int64_t step = covered(at + 1, loop.dim, base);
    check_blocks(loop.dim, step, loop.trips);
    LoopNode node;
    node.trips = loop.trips;
    node.advance = advance_of(loop.dim, step, at);
    descend(node, at + 1, base);
    return {std::move(node)};
  }
  std::vector<LoopNode> nodes;
  std::int64_t start = 0;
  for (const Part& part : loop.parts) {
    std::int64_t inner = 1;
    for (std::size_t i = at + 1; i < nest_.loops.size(); ++i)
      if (nest_.loops[i].dim == loop.dim) inner *= nest_.loops[i].trips;
    Tile chosen = base;
    chosen[loop.dim] = part.size / inner;
    check_blocks(loop.dim, part.size, part.times);
    LoopNode node;
    node.trips = part.times;
    node.start = advance_of(loop.dim, start, at);
    node.advance = advance_of(loop.dim, part.size, at);
    descend(node, at + 1, chosen);
    nodes.push_back(std::move(node));
    start += part.times * part.size;
  }
  return nodes;
}

/// The children of `node`; a child that is just a call becomes the node's own.
void TreeBuilder::descend(LoopNode& node, std::size_t at, const Tile& base) {
  node.children = build_from(at, base);
  const LoopNode& only = node.children.front();
  if (node.children.size() != 1 || only.leaf < 0 || only.trips != 1) return;
  node.leaf = only.leaf;
  node.children.clear();
}

int TreeBuilder::add_leaf(const Tile& base) {
  const auto known = std::find(leaf_bases_.begin(), leaf_bases_.end(), base);
  if (known != leaf_bases_.end()) return static_cast<int>(known - leaf_bases_.begin());
  leaf_bases_.push_back(base);
  tree_.leaves.push_back(make_leaf(base));
  return static_cast<int>(leaf_bases_.size()) - 1;
}

CallBox TreeBuilder::call_box(const Tile& base) const {
  std::vector<std::pair<Dim, std::int64_t>> pixel_order;
  for (int d = 0; d < computation_.dims(); ++d) {
    const Role part = role(computation_, Dim{d});
    if (part == Role::pixel) pixel_order.emplace_back(Dim{d}, base[Dim{d}]);
    if ((part == Role::batch || part == Role::channel) && Dim{d} != nest_.vectorised &&
        base[Dim{d}] != 1)
      throw Error("schedule: " + computation_.name(Dim{d}) + " is unrolled " +
                  std::to_string(base[Dim{d}]) +
                  " times; only rows of the output and the vectorised dim can be");
  }
  return {.pixels = points(pixel_order), .steps = reduction_steps(band_)};
}

/// Largest index of every clipped data dim at pixel 0 of the first step, over all calls.
std::vector<std::int64_t> TreeBuilder::last_indices(const Tile& base) const {
  const Tile call = box(band_, base);
  std::vector<std::int64_t> last;
  for (const DataDim& data : tensor(computation_, Operand::input).data) {
    if (!data.clipped) continue;
    std::int64_t index = data.offset;
    for (const Term& term : data.terms)
      index += term.coefficient * (computation_.extent(term.dim) - call[term.dim]);
    last.push_back(index);
  }
  return last;
}

/// Reduction steps per loop iteration: the longest run leaves no rest when that is possible.
int unroll_of(std::int64_t longest) {
  for (int unroll = kUnroll; unroll >= kUnroll / 3; --unroll)
    if (longest % unroll == 0) return unroll;
  return longest < kUnroll ? static_cast<int>(std::max<std::int64_t>(longest, 1)) : kUnroll / 3;
}

Leaf TreeBuilder::make_leaf(const Tile& base) const {
  const int dims = computation_.dims();
  const CallBox box = call_box(base);
  if (box.pixels.size() > kMaxPixels)
    throw Error("schedule: register tile of " + std::to_string(box.pixels.size()) +
                " pixels; at most " + std::to_string(kMaxPixels) + " have an assembler");
  Leaf leaf;
  leaf.channels = base[nest_.vectorised];
  leaf.row_bytes = leaf.channels * kFloat;
  RunPlan runs = plan_runs(computation_, spec_.input, box, last_indices(base), leaf.row_bytes);

  MicrokernelSpec spec{.isa = spec_.isa,
                       .vectors = static_cast<int>(leaf.channels / lanes_),
                       .input_offsets = {},
                       .output_offsets = {},
                       .vector_stride = 0,
                       .step_stride = runs.step_stride,
                       .bodies = runs.bodies,
                       .unroll = unroll_of(runs.longest),
                       .prefetch = spec_.prefetch,
                       .tail_lanes = static_cast<int>(tree_.channel_extent % lanes_),
                       .nontemporal = spec_.nontemporal};
  const TensorAccess& output = tensor(computation_, Operand::output);
  for (const Tile& pixel : box.pixels) {
    spec.input_offsets.push_back(
        element_offset(tensor(computation_, Operand::input), spec_.input, pixel, dims) * kFloat);
    spec.output_offsets.push_back(element_offset(output, spec_.output, pixel, dims) * kFloat);
  }
  Tile vector;
  vector[nest_.vectorised] = lanes_;
  spec.vector_stride = element_offset(output, spec_.output, vector, dims) * kFloat;
  // The output of a blocked layout has room for the whole last block, unless another group begins
  // there.
  for (std::size_t a = 0; a < output.data.size(); ++a)
    for (const Term& term : output.data[a].terms)
      if (term.dim == nest_.vectorised && spec_.output.axes[a].block != 0 &&
          tree_.weights.outer_count == 1)
        spec.tail_lanes = 0;

  auto kernel = std::make_shared<Microkernel>(spec);
  leaf.function = kernel->function();
  leaf.guards = std::move(runs.guards);
  std::vector<std::size_t> ends;
  for (const auto& list : runs.lists) {
    for (const PixelRun& run : list) {
      leaf.runs.push_back(run.run);
      leaf.runs.back().body = kernel->body(run.pixels);
    }
    ends.push_back(leaf.runs.size());
  }
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    leaf.lists.push_back(
        {.runs = leaf.runs.data() + begin, .count = static_cast<std::int64_t>(end - begin)});
    begin = end;
  }
  leaf.kernel = std::move(kernel);
  return leaf;
}

void check_vectors(const Computation& computation, const TreeSpec& spec, Dim vectorised) {
  const int lanes = lanes_of(spec.isa);
  const TensorAccess& output = tensor(computation, Operand::output);
  for (std::size_t a = 0; a < output.data.size(); ++a)
    for (const Term& term : output.data[a].terms) {
      const AxisLayout& axis = spec.output.axes[a];
      if (term.dim != vectorised) continue;
      if (axis.stride != 1 || (axis.block != 0 && axis.block != lanes))
        throw Error("layout: vectors of " + std::to_string(lanes) + " along " +
                    computation.name(vectorised) +
                    " are not contiguous in the output; they must be for " + to_string(spec.isa));
    }
}

LoopTree TreeBuilder::build() {
  tree_.channel_extent = computation_.extent(nest_.vectorised);
  check_vectors(computation_, spec_, nest_.vectorised);
  find_reduction_band();
  order_weights();
  std::size_t guard = 0;
  for (const DataDim& data : tensor(computation_, Operand::input).data) {
    if (!data.clipped) continue;
    TILEPLAN_CHECK(guard < kMaxGuards, "more padded dims than guards");
    tree_.origin.guard[guard++] = data.offset;
  }
  // Offsets are relative to index 0 of every data dim; the padding moves the first access before
  // it.
  const TensorAccess& input = tensor(computation_, Operand::input);
  for (std::size_t a = 0; a < input.data.size(); ++a)
    tree_.origin.input += input.data[a].offset * spec_.input.axes[a].stride * kFloat;
  tree_.root.children = build_from(0, nest_.base);
  return std::move(tree_);
}

}  // namespace

Position& Position::operator+=(const Position& other) {
  input += other.input;
  weights += other.weights;
  output += other.output;
  reduction += other.reduction;
  channel += other.channel;
  for (std::size_t g = 0; g < guard.size(); ++g) guard[g] += other.guard[g];
  return *this;
}

LoopTree build_tree(const Computation& computation, const Nest& nest, const TreeSpec& spec) {
  return TreeBuilder(computation, nest, spec).build();
}

namespace {

/// All trips of a node that calls its leaf. This loop stands between any two microkernel calls, so
/// it keeps everything in registers.
void call_leaf(const LoopTree& tree, const LoopNode& node, Position at, const Buffers& buffers) {
  const Leaf& leaf = tree.leaves[static_cast<std::size_t>(node.leaf)];
  const std::size_t guards = leaf.guards.size();
  for (std::int64_t trip = 0; trip < node.trips; ++trip) {
    std::int64_t list = 0;
    for (std::size_t g = 0; g < guards; ++g) {
      const GuardTable& table = leaf.guards[g];
      list += table.pattern[static_cast<std::size_t>(at.guard[g] - table.first)] * table.lists;
      at.guard[g] += node.advance.guard[g];
    }
    const RunList runs = leaf.lists[static_cast<std::size_t>(list)];
    const std::int64_t flags = (at.reduction > 0 ? kAccumulate : 0) |
                               (at.channel + leaf.channels > tree.channel_extent ? kTail : 0);
    leaf.function(buffers.input + at.input,
                  buffers.weights + at.weights + at.reduction * leaf.row_bytes,
                  buffers.output + at.output, runs.runs, runs.count, flags);
    at.input += node.advance.input;
    at.weights += node.advance.weights;
    at.output += node.advance.output;
    at.reduction += node.advance.reduction;
    at.channel += node.advance.channel;
  }
}

void walk(const LoopTree& tree, const LoopNode& node, Position at, const Buffers& buffers) {
  at += node.start;
  if (node.leaf >= 0) return call_leaf(tree, node, at, buffers);
  for (std::int64_t trip = 0; trip < node.trips; ++trip, at += node.advance)
    for (const LoopNode& child : node.children) walk(tree, child, at, buffers);
}

}  // namespace

void execute(const LoopTree& tree, const Buffers& buffers) {
  walk(tree, tree.root, tree.origin, buffers);
}

}  // namespace tileplan
