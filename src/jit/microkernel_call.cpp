// SPDX-License-Identifier: Apache-2.0
// Offsets of the register tile go into the code, everything else into the run lists.
#include "microkernel_call.h"

#include <algorithm>
#include <set>
#include <utility>

#include "capacity.h"
#include "integers.h"
#include "loop_tree.h"
#include "throughput.h"
#include "tileplan/error.h"
#include "weights_order.h"

namespace tileplan {

namespace {

constexpr int kUnroll = 12;  // most reduction steps per loop iteration

class LeafBuilder {
 public:
  LeafBuilder(const LeafContext& context, const Tile& base)
      : computation_(context.computation),
        nest_(context.nest),
        spec_(context.spec),
        band_(context.band),
        outer_count_(context.outer_count),
        ahead_bytes_(context.ahead_bytes),
        input_ahead_bytes_(context.input_ahead_bytes),
        base_(base),
        weights_dim_(weights_dim(computation_, nest_.vectorised)),
        input_(computation_.tensor(Operand::input)),
        output_(computation_.tensor(Operand::output)) {}

  Leaf build() const;

 private:
  /// Bytes from the first output element of the tile to the one at `at`.
  std::int64_t output_bytes(const Tile& at) const {
    return element_offset(output_, spec_.output, at, computation_.dims()) * bytes_of(spec_.type);
  }
  /// The same of the input.
  std::int64_t input_bytes(const Tile& at) const {
    return element_offset(input_, spec_.input, at, computation_.dims()) * bytes_of(spec_.type);
  }
  /// The same of the bias.
  std::int64_t bias_bytes(const Tile& at) const {
    return element_offset(output_, bias_layout(computation_), at, computation_.dims()) *
           bytes_of(spec_.type);
  }
  CallBox call_box() const;
  void check_reach() const;
  /// A place along one dim.
  struct Start {
    Dim dim{};
    std::int64_t iteration = 0;
  };
  void add_starts(const Nest& nest, std::size_t at, Start from,
                  std::vector<std::int64_t>& starts) const;
  std::vector<std::vector<std::int64_t>> first_indices() const;
  bool has_room_for_tail(Operand operand) const;
  int tail_lanes(Operand operand) const;
  bool has_pixel_vectors() const { return weights_dim_ != nest_.vectorised; }
  bool has_vectors(Operand operand) const {
    return is_present(computation_.tensor(operand), nest_.vectorised);
  }
  MicrokernelSpec kernel_spec(const CallBox& box, const RunPlan& runs,
                              const UnrolledLists& unrolled) const;

  const Computation& computation_;
  const Nest& nest_;
  const TreeSpec& spec_;
  const std::size_t band_;
  const std::int64_t outer_count_;
  const std::int64_t ahead_bytes_;
  const std::int64_t input_ahead_bytes_;
  const Tile& base_;
  const Dim weights_dim_;
  const TensorAccess& input_;
  const TensorAccess& output_;
};

CallBox LeafBuilder::call_box() const {
  std::vector<Repeat> pixels;
  for (int d = 0; d < computation_.dims(); ++d) {
    const Role part = computation_.role(Dim{d});
    if (Dim{d} == nest_.vectorised || Dim{d} == weights_dim_) continue;
    if (part == Role::pixel) pixels.push_back({Dim{d}, base_[Dim{d}], 1});
  }
  if (has_pixel_vectors()) pixels.push_back({weights_dim_, base_[weights_dim_], 1});
  std::int64_t count = 1;
  for (const Repeat& one : pixels) count *= one.count;
  if (count > kMaxPixels)
    throw Error("schedule: register tile of " + std::to_string(count) + " pixels; at most " +
                std::to_string(kMaxPixels) + " have an assembler");
  const RegisterTile tile{
      .pixels = static_cast<int>(count),
      .vectors = static_cast<int>(base_[nest_.vectorised] / lanes_of(spec_.isa, spec_.type)),
      .vector_input = has_vectors(Operand::input),
      .channels = has_pixel_vectors() ? static_cast<int>(base_[weights_dim_]) : 0};
  const VectorUnit unit{.isa = spec_.isa, .registers = registers_of(spec_.isa)};
  if (!fits_registers(tile, unit))
    throw Error("schedule: register tile of " + std::to_string(tile.pixels) + " x " +
                std::to_string(tile.vectors) + " vectors; " + to_string(spec_.isa) + " has only " +
                std::to_string(unit.registers) + " registers");
  return {.pixels = points(pixels), .steps = points(reduction_loops(computation_, nest_, band_))};
}

void LeafBuilder::check_reach() const {
  for (const auto& [operand, layout] :
       {std::pair{Operand::input, &spec_.input}, {Operand::output, &spec_.output}}) {
    const std::int64_t reach = tile_reach(computation_, operand, *layout, base_);
    if (reach > kFarthestTile)
      throw Error("schedule: one register tile reaches over " + std::to_string(reach) +
                  " bytes of " + computation_.tensor(operand).name + "; must be at most " +
                  std::to_string(kFarthestTile));
  }
  if (spec_.prefetch > kFarthestPrefetch)
    throw Error("schedule: prefetch=" + std::to_string(spec_.prefetch) + "; must be at most " +
                std::to_string(kFarthestPrefetch));
}

/// Different sums of one of `a` and one of `b` times `factor`, ascending.
std::vector<std::int64_t> sums(const std::vector<std::int64_t>& a,
                               const std::vector<std::int64_t>& b, std::int64_t factor = 1) {
  std::vector<std::int64_t> all;
  all.reserve(a.size() * b.size());
  for (const std::int64_t x : a)
    for (const std::int64_t y : b) all.push_back(x + factor * y);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Adds the iterations of `dim` at which calls of `base` begin, in the loops of `nest` from `at`.
void LeafBuilder::add_starts(const Nest& nest, std::size_t at, Start from,
                             std::vector<std::int64_t>& starts) const {
  while (at < band_ && nest.loops[at].dim != from.dim) ++at;
  if (at == band_) {
    if (nest.base[from.dim] == base_[from.dim]) starts.push_back(from.iteration);
    return;
  }
  const NestLoop& loop = nest.loops[at];
  for (std::int64_t i = 0; i < loop.trips; ++i, from.iteration += covered(nest, at + 1, from.dim))
    add_starts(nest, at + 1, from, starts);
  for (const Part& part : loop.parts) {
    const Nest chosen = with_part(nest, at, part);
    for (std::int64_t i = 0; i < part.times; ++i, from.iteration += part.size)
      add_starts(chosen, at + 1, from, starts);
  }
}

/// Indices of every guarded data dim at pixel 0 of the first step that calls have, ascending.
std::vector<std::vector<std::int64_t>> LeafBuilder::first_indices() const {
  std::vector<std::vector<std::int64_t>> all;
  for (const DataDim& data : input_.data) {
    if (!is_guarded(computation_, data, nest_.vectorised)) continue;
    std::vector<std::int64_t> indices{data.offset};
    for (const Term& term : data.terms) {
      std::vector<std::int64_t> starts;
      add_starts(nest_, 0, {term.dim, 0}, starts);
      indices = sums(indices, starts, term.coefficient);
    }
    all.push_back(std::move(indices));
  }
  return all;
}

/// A blocked layout has room for the whole last block, unless another group begins there.
bool LeafBuilder::has_room_for_tail(Operand operand) const {
  const TensorLayout& layout = operand == Operand::input ? spec_.input : spec_.output;
  const std::vector<DataDim>& data = computation_.tensor(operand).data;
  if (outer_count_ != 1) return false;
  for (std::size_t a = 0; a < data.size(); ++a)
    for (const Term& term : data[a].terms)
      if (term.dim == nest_.vectorised && layout.axes[a].block != 0) return true;
  return false;
}

/// Elements of the last vector of `operand`, 0 when it may be read or written as a whole: beyond
/// the channels sums are zero, until an epilogue changes them.
int LeafBuilder::tail_lanes(Operand operand) const {
  if (operand == Operand::input && spec_.pack_input) return 0;  // boxes end with whole vectors
  const bool changed = operand == Operand::output && spec_.epilogue != Epilogue{};
  if (has_room_for_tail(operand) && !changed) return 0;
  return static_cast<int>(computation_.extent(nest_.vectorised) % lanes_of(spec_.isa, spec_.type));
}

/// Reduction steps per loop iteration: the longest run leaves no rest when that is possible.
int unroll_of(std::int64_t longest) {
  for (int unroll = kUnroll; unroll >= kUnroll / 3; --unroll)
    if (longest % unroll == 0) return unroll;
  return longest < kUnroll ? static_cast<int>(std::max<std::int64_t>(longest, 1)) : kUnroll / 3;
}

/// Cache lines per loop iteration that make up `bytes` in a call of `steps`.
int lines_per_iteration(std::int64_t bytes, std::int64_t steps, int unroll) {
  constexpr std::int64_t kLine = 64;
  const std::int64_t iterations = std::max<std::int64_t>(1, steps / unroll);
  return static_cast<int>(ceil_div(bytes, kLine * iterations));
}

/// True when at most four lines of one output tile fall into any set of the L1: more would drive
/// out each other and the input before they are written. Kernels are assembled without a Machine.
/// All x86 CPUs with AVX2 have L1 caches of 64 sets of 64-byte lines, a page in each way, as
/// indices are not translated (CPUID leaf 4); four lines are half the ways of a Zen 4 or Skylake
/// and a third of those of a Zen 5 or Ice Lake. Where the limit of four comes from: depthwise
/// layers of 256 channels and more, docs/experiments/models.md.
bool spreads_over_sets(const MicrokernelSpec& spec) {
  constexpr std::int64_t kLine = 64;
  constexpr int kSets = 64, kMostPerSet = 4;
  std::set<std::int64_t> lines;
  for (const std::int64_t offset : spec.output_offsets)
    for (int v = 0; v < spec.vectors; ++v)
      lines.insert((offset + v * spec.vector_stride) / kLine * kLine);
  return overflowing_lines({lines.begin(), lines.end()}, kLine, kSets, kMostPerSet) == 0;
}

MicrokernelSpec LeafBuilder::kernel_spec(const CallBox& box, const RunPlan& runs,
                                         const UnrolledLists& unrolled) const {
  const int lanes = lanes_of(spec_.isa, spec_.type);
  Tile vector;
  vector[nest_.vectorised] = lanes;
  MicrokernelSpec spec{
      .isa = spec_.isa,
      .type = spec_.type,
      .vectors = static_cast<int>(base_[nest_.vectorised] / lanes),
      .input_offsets = {},
      .output_offsets = {},
      .vector_stride = output_bytes(vector),
      .input_vector_stride = has_vectors(Operand::input) ? input_bytes(vector) : 0,
      .step_stride = runs.step_stride,
      .bodies = runs.bodies,
      .unrolled = unrolled.code,
      .unroll = unroll_of(runs.longest),
      .prefetch = spec_.prefetch,
      .ahead_lines = 0,
      .input_ahead = input_ahead_bytes_,
      .tail_lanes = tail_lanes(Operand::output),
      .input_tail_lanes = has_vectors(Operand::input) ? tail_lanes(Operand::input) : 0,
      .tail_zeroed = has_room_for_tail(Operand::output),
      .nontemporal = spec_.nontemporal,
      .epilogue = spec_.epilogue};
  spec.ahead_lines =
      lines_per_iteration(ahead_bytes_, static_cast<std::int64_t>(box.steps.size()), spec.unroll);
  for (const Tile& pixel : box.pixels) {
    spec.input_offsets.push_back(input_bytes(pixel));
    spec.output_offsets.push_back(output_bytes(pixel));
    if (has_pixel_vectors())
      spec.weight_offsets.push_back(pixel[weights_dim_] * bytes_of(spec_.type));
    if (!has_bias_along(computation_, nest_.vectorised))
      spec.bias_offsets.push_back(bias_bytes(pixel));
  }
  spec.claims = !spec.nontemporal && spreads_over_sets(spec);
  return spec;
}

/// The runs of one list, their bodies now known.
std::vector<Run> with_bodies(const std::vector<PixelRun>& list, const Microkernel& kernel) {
  std::vector<Run> runs;
  for (const PixelRun& one : list) {
    runs.push_back(one.run);
    runs.back().body = kernel.body(one.pixels);
  }
  return runs;
}

/// Puts the runs of all lists into one row. An unrolled list is one run.
void store_runs(const std::vector<std::vector<PixelRun>>& lists, const UnrolledLists& unrolled,
                const Microkernel& kernel, Leaf& leaf) {
  for (std::size_t i = 0; i < lists.size(); ++i) {
    std::vector<Run> runs;
    if (const auto number = unrolled.of_list[i])
      runs = {{.input = 0, .weights = 0, .steps = 1, .body = kernel.unrolled(*number)}};
    else
      runs = with_bodies(lists[i], kernel);
    leaf.runs.insert(leaf.runs.end(), runs.begin(), runs.end());
    leaf.lists.push_back({.runs = nullptr, .count = static_cast<std::int64_t>(runs.size())});
  }
  const Run* first = leaf.runs.data();
  for (RunList& list : leaf.lists) {
    list.runs = first;
    first += list.count;
  }
}

Leaf LeafBuilder::build() const {
  const CallBox box = call_box();
  check_reach();
  Leaf leaf;
  leaf.length = base_[nest_.vectorised];
  leaf.row_bytes = base_[weights_dim_] * bytes_of(spec_.type);
  leaf.steps = static_cast<std::int64_t>(box.steps.size());
  RunPlan runs = plan_runs(computation_, {.layout = spec_.input, .vectorised = nest_.vectorised},
                           box, first_indices(), leaf.row_bytes);
  const UnrolledLists unrolled = unrolled_lists(
      runs, static_cast<int>(leaf.length / lanes_of(spec_.isa, spec_.type)), leaf.row_bytes);
  const MicrokernelSpec spec = kernel_spec(box, runs, unrolled);
  auto kernel = std::make_shared<Microkernel>(spec);
  leaf.function = kernel->function();
  leaf.guards = std::move(runs.guards);
  store_runs(runs.lists, unrolled, *kernel, leaf);
  leaf.kernel = std::move(kernel);
  return leaf;
}

}  // namespace

Leaf make_leaf(const LeafContext& context, const Tile& base) {
  return LeafBuilder(context, base).build();
}

}  // namespace tileplan
