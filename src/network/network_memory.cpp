// SPDX-License-Identifier: Apache-2.0
// If a buffer takes the memory of another buffer of the same step, or a part of it, both belong to
// one family. Families are placed in the arena from large to small.
#include "network_memory.h"

#include <algorithm>
#include <numeric>

#include "elementwise.h"
#include "integers.h"
#include "operators.h"

namespace tileplan {
namespace {

constexpr std::int64_t kBufferAlignment = 64;

/// Joins buffers that share memory into families. The root of a family contains the memory of all
/// its members.
class Families {
 public:
  explicit Families(NetworkPlan& network)
      : network_(network),
        graph_(*network.rewritten),
        parents_(network.buffers.size(), -1),
        offsets_(network.buffers.size()) {
    for (NetworkBuffer& each : network.buffers) each.first_step = each.last_step = -1;
    for (std::size_t s = 0; s < network.steps.size(); ++s) {
      for (const int output : network.steps[s].outputs) use(output, static_cast<int>(s));
      for (const int input : network.steps[s].inputs) use(input, static_cast<int>(s));
    }
    for (NetworkStep& step : network.steps) share_concat(step);
    for (std::size_t s = 0; s < network.steps.size(); ++s) share_step(static_cast<int>(s));
  }

  int root(int buffer) const {
    while (parent(buffer) >= 0) buffer = parent(buffer);
    return buffer;
  }
  std::int64_t offset_in_root(int buffer) const {
    std::int64_t offset = 0;
    for (; parent(buffer) >= 0; buffer = parent(buffer))
      offset += offsets_[static_cast<std::size_t>(buffer)];
    return offset;
  }

 private:
  int parent(int buffer) const { return parents_[static_cast<std::size_t>(buffer)]; }
  NetworkBuffer& at(int buffer) { return network_.buffers[static_cast<std::size_t>(buffer)]; }
  bool is_in_arena(int buffer) {
    return buffer >= 0 && at(buffer).place == NetworkBuffer::Place::arena;
  }

  void use(int buffer, int step) {
    if (buffer < 0) return;
    if (at(buffer).first_step < 0) at(buffer).first_step = step;
    at(buffer).last_step = step;
  }

  /// Joins the family of `child` to that of `parent`, where `child` lies at `offset` in `parent`.
  /// The root is then in use in all steps in which `child` is.
  void put(int child, int parent, std::int64_t offset) {
    parents_[static_cast<std::size_t>(child)] = parent;
    offsets_[static_cast<std::size_t>(child)] = offset;
    NetworkBuffer& top = at(root(parent));
    top.first_step = std::min(top.first_step, at(child).first_step);
    top.last_step = std::max(top.last_step, at(child).last_step);
  }

  /// Makes steps write inputs of a Concat directly into its output, if each input is contiguous in
  /// the output. Inputs outside the arena or already inside another buffer are left to be copied.
  void share_concat(NetworkStep& step) {
    if (step.kind != "Concat" || step.outputs.size() != 1 || !is_in_arena(step.outputs[0])) return;
    const int out = step.outputs[0];
    const GraphNode& node = graph_.nodes[static_cast<std::size_t>(step.node)];
    const Extents& shape = *graph_.values[static_cast<std::size_t>(node.outputs[0])].shape;
    const NodeView view(graph_, node);
    const std::size_t axis = view.axis(view.integer("axis", 1), shape.size());
    const bool is_row_major = at(out).layout == Layout::nchw;
    const bool is_blocked = !is_row_major && at(out).layout != Layout::nhwc && axis == 1;
    if (elements_of({shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis)}) != 1 ||
        (!is_row_major && !is_blocked))
      return;
    std::int64_t offset = 0;
    bool all = true;
    for (const int input : step.inputs) {
      const bool is_free = is_in_arena(input) && parent(input) < 0 && root(out) != input;
      if (is_free) put(input, out, offset);
      all = all && is_free;
      offset += at(input).bytes;
    }
    step.in_place = all;
  }

  bool keeps_place(const NetworkStep& step) {
    return step.kind == "Reshape" || step.kind == "Copy";
  }
  /// Returns true for an Affine, unary or binary operator whose output can overwrite its first
  /// input, because each element of the output depends on the element of this input at the same
  /// position and on no other element of it.
  bool can_overwrite(const NetworkStep& step) {
    if (step.layer >= 0 || step.node < 0) return false;
    if (step.kind == "Affine" || is_unary(step.kind)) return true;
    return is_binary(step.kind) && at(step.inputs[0]).bytes == at(step.outputs[0]).bytes;
  }

  /// Returns true when both buffers belong to one family, perhaps at different places in it.
  bool shares(int one, int other) { return is_in_arena(one) && root(one) == root(other); }

  void share_step(int s) {
    NetworkStep& step = network_.steps[static_cast<std::size_t>(s)];
    if (step.inputs.empty() || step.outputs.size() != 1 || !is_in_arena(step.outputs[0])) return;
    const int in = step.inputs[0], out = step.outputs[0];
    if (!is_in_arena(in) || parent(out) >= 0) return;
    if (keeps_place(step)) {
      step.in_place = true;
      put(out, in, 0);
    } else if (can_overwrite(step) && at(root(in)).last_step == s && !is_parent(out) &&
               std::ranges::count_if(step.inputs, [&](int each) { return shares(each, in); }) ==
                   1) {
      put(out, in, 0);
    }
  }

  bool is_parent(int buffer) const { return std::ranges::find(parents_, buffer) != parents_.end(); }

  NetworkPlan& network_;
  const Graph& graph_;
  std::vector<int> parents_;
  std::vector<std::int64_t> offsets_;
};

bool overlap_in_time(const NetworkBuffer& one, const NetworkBuffer& two) {
  return one.first_step <= two.last_step && two.first_step <= one.last_step;
}

/// Returns the lowest multiple of kBufferAlignment at which `buffer` overlaps no placed buffer that
/// is in use at the same time.
std::int64_t free_offset(const NetworkBuffer& buffer, std::vector<const NetworkBuffer*> placed) {
  std::erase_if(placed, [&](const NetworkBuffer* each) { return !overlap_in_time(buffer, *each); });
  std::ranges::sort(placed, {}, &NetworkBuffer::offset);
  std::int64_t offset = 0;
  for (const NetworkBuffer* each : placed) {
    if (offset + buffer.bytes <= each->offset) break;
    offset = std::max(offset, each->offset + round_up(each->bytes, kBufferAlignment));
  }
  return offset;
}

/// Returns the largest number of bytes that are in use in one step.
std::int64_t most_live(const NetworkPlan& network, const std::vector<const NetworkBuffer*>& roots) {
  std::int64_t most = 0;
  for (std::size_t s = 0; s < network.steps.size(); ++s) {
    std::int64_t live = 0;
    for (const NetworkBuffer* each : roots)
      if (each->first_step <= static_cast<int>(s) && static_cast<int>(s) <= each->last_step)
        live += each->bytes;
    most = std::max(most, live);
  }
  return most;
}

}  // namespace

void place_buffers(NetworkPlan& network) {
  const Families families(network);
  std::vector<int> order;
  for (int b = 0; b < static_cast<int>(network.buffers.size()); ++b)
    if (network.buffers[static_cast<std::size_t>(b)].place == NetworkBuffer::Place::arena &&
        families.root(b) == b)
      order.push_back(b);
  std::ranges::stable_sort(order, std::greater<>(), [&](int b) {
    return network.buffers[static_cast<std::size_t>(b)].bytes;
  });
  std::vector<const NetworkBuffer*> placed;
  for (const int b : order) {
    NetworkBuffer& buffer = network.buffers[static_cast<std::size_t>(b)];
    buffer.offset = free_offset(buffer, placed);
    placed.push_back(&buffer);
    network.arena.bytes =
        std::max(network.arena.bytes, buffer.offset + round_up(buffer.bytes, kBufferAlignment));
  }
  network.arena.least_bytes = most_live(network, placed);
  for (int b = 0; b < static_cast<int>(network.buffers.size()); ++b) {
    NetworkBuffer& buffer = network.buffers[static_cast<std::size_t>(b)];
    const NetworkBuffer& root = network.buffers[static_cast<std::size_t>(families.root(b))];
    if (buffer.place != NetworkBuffer::Place::arena || &buffer == &root) continue;
    buffer.offset = root.offset + families.offset_in_root(b);
    buffer.first_step = root.first_step;
    buffer.last_step = root.last_step;
  }
}

}  // namespace tileplan
