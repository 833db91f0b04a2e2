// SPDX-License-Identifier: Apache-2.0
// The offsets of the pixels of a register tile are constants of the code. Reduction runs hold the
// offsets of the reduction steps, or the code has them if it is unrolled.
#include "microkernel_call.h"

#include <algorithm>
#include <set>

#include "capacity.h"
#include "integers.h"
#include "microkernel_tiles.h"
#include "packed_box.h"
#include "strips.h"
#include "throughput.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

constexpr int kUnroll = 12;  // A loop iteration has at most this many reduction steps.

/// Weights are prefetched at most this many steps before they are read, so that the displacements
/// of packed weights fit in 32 bits.
constexpr int kFarthestPrefetch = 1024;

constexpr std::int64_t kLine = 64;  // Cache lines have this many bytes.

/// Returns all distinct sums x + factor * y with x in `a` and y in `b`, in ascending order.
std::vector<std::int64_t> sums(const std::vector<std::int64_t>& a,
                               const std::vector<std::int64_t>& b, std::int64_t factor) {
  std::vector<std::int64_t> all;
  for (const std::int64_t x : a)
    for (const std::int64_t y : b) all.push_back(x + factor * y);
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Appends to `starts` the indices of `dim` at which tiles of `size` iterations begin. The loops of
/// `body` begin at index `first`.
void add_starts(const std::vector<ProgramNode>& body, Dim dim, std::int64_t size,
                std::int64_t first, std::vector<std::int64_t>& starts) {
  for (const ProgramNode& node : body) {
    const auto* compute = std::get_if<Compute>(&node.element);
    if (compute != nullptr && compute->base[dim] == size) starts.push_back(first);
    const auto* loop = std::get_if<CountedLoop>(&node.element);
    const CountedLoop moves = loop != nullptr && loop->dim == dim ? *loop : CountedLoop{};
    for (std::int64_t trip = 0; trip < moves.trips; ++trip)
      add_starts(node.body, dim, size, first + moves.start + trip * moves.step, starts);
  }
}

/// Returns the number of steps per loop iteration: the largest from 12 down to 4 that divides the
/// longest run, else 4 or, for runs shorter than 12, the whole run.
int unroll_of(std::int64_t longest) {
  for (int unroll = kUnroll; unroll >= kUnroll / 3; --unroll)
    if (longest % unroll == 0) return unroll;
  return longest < kUnroll ? static_cast<int>(std::max<std::int64_t>(longest, 1)) : kUnroll / 3;
}

/// Returns true when at most four cache lines of an output tile map to each set of an L1 that has
/// 64 sets. Prefetched lines then stay in the L1 until they are written (docs/experiments.md).
bool spreads_over_sets(const MicrokernelSpec& spec) {
  constexpr int kSets = 64, kMostPerSet = 4;
  const auto& converted = spec.output.converted;
  const std::int64_t narrowing = converted ? bytes_of(spec.type) / bytes_of(converted->type) : 1;
  std::set<std::int64_t> lines;
  for (const std::int64_t offset : spec.output_offsets)
    for (int v = 0; v < spec.vectors; ++v)
      lines.insert((offset + v * spec.vector_stride) / narrowing / kLine * kLine);
  return overflowing_lines({lines.begin(), lines.end()}, kLine, kSets, kMostPerSet) == 0;
}

/// Stores the runs of all lists one after another. An unrolled list becomes one run.
void store_runs(const std::vector<std::vector<PixelRun>>& lists, const UnrolledLists& unrolled,
                const Microkernel& kernel, MicrokernelCall& call) {
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const auto number = unrolled.of_list[i];
    if (number) call.runs.push_back({.steps = 1, .body = kernel.unrolled(*number)});
    for (std::size_t r = 0; !number && r < lists[i].size(); ++r) {
      call.runs.push_back(lists[i][r].run);
      call.runs.back().body = kernel.body(lists[i][r].pixels);
    }
    call.lists.push_back({.count = number ? 1 : std::ssize(lists[i])});
  }
  const ReductionRun* first = call.runs.data();
  for (RunList& list : call.lists) {
    list.runs = first;
    first += list.count;
  }
}

class CallBuilder {
 public:
  CallBuilder(const Computation& computation, const LoopProgram& program, const TreeSpec& spec,
              const Tile& base)
      : computation_(computation),
        program_(program),
        spec_(spec),
        base_(base),
        vectorised_(program.vectorised),
        weights_dim_(program.weights.blocked),
        type_(computation.tensor(Operand::output).type),
        lanes_(lanes_of(spec.isa, type_)) {}

  MicrokernelCall build() const {
    const CallBox box = call_box();
    check_reach();
    MicrokernelCall call;
    call.length = base_[vectorised_];
    call.row_bytes = bytes(Operand::weights, base_[weights_dim_]);
    call.steps = static_cast<std::int64_t>(box.steps.size());
    RunPlan runs =
        plan_runs(computation_, program_, box, first_indices(),
                  {.row_bytes = call.row_bytes, .counts_padding = spec_.product.counts_padding});
    const UnrolledLists unrolled = unrolled_lists(runs, static_cast<int>(call.length / lanes_));
    auto kernel = std::make_unique<Microkernel>(kernel_spec(box, runs, unrolled));
    call.function = kernel->function();
    call.guards = std::move(runs.guards);
    store_runs(runs.lists, unrolled, *kernel, call);
    call.kernel = std::move(kernel);
    return call;
  }

 private:
  std::int64_t bytes(Operand operand, std::int64_t elements) const {
    return elements * computation_.tensor(operand).element_bytes();
  }
  /// Returns the distance in bytes from the first element of the tile to the element at `at`.
  std::int64_t distance(Operand operand, const TensorLayout& layout, const Tile& at) const {
    return bytes(operand, offset_distance(computation_.tensor(operand), layout, at));
  }
  std::int64_t distance(Operand operand, const Tile& at) const {
    return distance(operand, program_.place(operand).in_calls(), at);
  }

  CallBox call_box() const {
    std::vector<Repeat> pixels;
    for (int d = 0; d < computation_.dims(); ++d) {
      if (Dim{d} == vectorised_ || Dim{d} == weights_dim_) continue;
      if (computation_.role(Dim{d}) == Role::pixel) pixels.push_back({Dim{d}, base_[Dim{d}], 1});
    }
    if (has_pixel_vectors()) pixels.push_back({weights_dim_, base_[weights_dim_], 1});
    check_tile(point_count(pixels));
    return {.pixels = points(pixels), .steps = points(program_.call_loops)};
  }

  void check_tile(std::int64_t pixels) const {
    if (pixels > kMaxPixels)
      throw Error("schedule: register tile of " + std::to_string(pixels) + " pixels; at most " +
                  std::to_string(kMaxPixels) + " have an assembler");
    if (expands_input() && computation_.role(vectorised_) != Role::batch)
      throw Error("schedule: V(" + computation_.name(vectorised_) +
                  ") of groups of one channel in " + to_string(types_of(computation_.problem)) +
                  "; must be V(g)");
    // AMX has tile registers instead, which check_tiles() checks.
    if (uses_tiles(spec_.product.arithmetic)) return;
    const RegisterTile tile{
        .pixels = static_cast<int>(pixels),
        .vectors = static_cast<int>(base_[vectorised_] / lanes_),
        .vector_input = has_vectors(Operand::input),
        .channels = has_pixel_vectors() ? static_cast<int>(base_[weights_dim_]) : 0};
    const VectorUnit unit{.isa = spec_.isa,
                          .arithmetic = spec_.product.arithmetic,
                          .dots = {.integers = !spec_.product.two_instructions},
                          .registers = registers_of(spec_.isa)};
    if (!fits_registers(tile, unit))
      throw Error("schedule: register tile of " + std::to_string(tile.pixels) + " x " +
                  std::to_string(tile.vectors) + " vectors; " + to_string(spec_.isa) +
                  " has only " + std::to_string(unit.registers) + " registers");
  }

  void check_reach() const {
    for (const Operand operand : {Operand::input, Operand::weights, Operand::output}) {
      const bool in_place = program_.weights_source == WeightsSource::in_place;
      if (operand == Operand::weights && !in_place) continue;
      const std::int64_t reach =
          tile_reach(computation_, operand, program_.place(operand).in_calls(), base_);
      if (reach > kFarthestTile)
        throw Error("schedule: one register tile reaches over " + std::to_string(reach) +
                    " bytes of " + computation_.tensor(operand).name + "; must be at most " +
                    std::to_string(kFarthestTile));
    }
    if (spec_.prefetch > kFarthestPrefetch)
      throw Error("schedule: prefetch=" + std::to_string(spec_.prefetch) + "; must be at most " +
                  std::to_string(kFarthestPrefetch));
  }

  /// Returns, for each guarded index of the input (is_guarded()), its values for pixel 0 at the
  /// first step of all calls.
  std::vector<std::vector<std::int64_t>> first_indices() const {
    std::vector<std::vector<std::int64_t>> all;
    for (const DataDim& data : computation_.tensor(Operand::input).data) {
      if (!is_guarded(computation_, data, vectorised_)) continue;
      std::vector<std::int64_t> indices{data.offset};
      for (const Term& term : data.terms) {
        std::vector<std::int64_t> starts;
        add_starts(program_.body, term.dim, base_[term.dim], 0, starts);
        indices = sums(indices, starts, term.coefficient);
      }
      all.push_back(std::move(indices));
    }
    return all;
  }

  /// Returns the number of elements in the last vector of `operand`, or 0 when all lanes may be
  /// accessed. An epilogue can make the sums of lanes beyond the last channel nonzero, so these
  /// lanes of the output are then masked even where padding follows.
  int tail_lanes(Operand operand) const {
    const bool changed = operand == Operand::output && epilogue() != Epilogue{};
    if (has_whole_vectors(computation_, program_, operand) && !changed) return 0;
    return static_cast<int>(computation_.extent(vectorised_) % lanes_);
  }

  /// Returns the epilogue of the microkernel calls. In a Winograd convolution, the transform of the
  /// output applies the epilogue instead.
  Epilogue epilogue() const { return spec_.winograd ? Epilogue{} : spec_.epilogue; }

  bool has_pixel_vectors() const { return weights_dim_ != vectorised_; }
  bool expands_input() const { return reads_single_elements(computation_); }
  bool has_vectors(Operand operand) const {
    return is_present(computation_.tensor(operand), vectorised_);
  }

  MicrokernelSpec kernel_spec(const CallBox& box, const RunPlan& runs,
                              const UnrolledLists& unrolled) const {
    Tile vector;
    vector[vectorised_] = lanes_;
    MicrokernelSpec spec{
        .isa = spec_.isa,
        .type = type_,
        .product = spec_.product,
        .vectors = static_cast<int>(base_[vectorised_] / lanes_),
        .vector_stride = distance(Operand::output, vector),
        .reduction = {.step_stride = runs.step_stride,
                      .bodies = runs.bodies,
                      .unrolled = unrolled.code,
                      .unroll = unroll_of(runs.longest)},
        .output = {.tail_lanes = tail_lanes(Operand::output),
                   .tail_zeroed = has_whole_vectors(computation_, program_, Operand::output),
                   .nontemporal = spec_.lowering.nontemporal,
                   .epilogue = epilogue(),
                   .converted = spec_.converted}};
    if (expands_input()) spec.product.single = computation_.tensor(Operand::input).type;
    if (has_vectors(Operand::input))
      spec.input_vectors = {.stride = distance(Operand::input, vector),
                            .tail_lanes = tail_lanes(Operand::input)};
    if (program_.weights_source == WeightsSource::in_place) spec.weights = rows_in_place(runs);
    check_weights(spec);
    spec.prefetch = prefetches(static_cast<std::int64_t>(box.steps.size()), spec.reduction.unroll);
    for (const Tile& pixel : box.pixels) add_pixel(pixel, spec);
    if (uses_tiles(spec_.product.arithmetic)) check_tiles(spec);
    spec.prefetch.output = !spec.output.nontemporal && spreads_over_sets(spec);
    return spec;
  }

  void add_pixel(const Tile& pixel, MicrokernelSpec& spec) const {
    spec.input_offsets.push_back(distance(Operand::input, pixel));
    spec.output_offsets.push_back(distance(Operand::output, pixel));
    if (has_pixel_vectors())
      spec.broadcasts.weights.push_back(bytes(Operand::weights, pixel[weights_dim_]));
    if (!has_bias_along(computation_, vectorised_, spec_.bias_per_batch))
      spec.broadcasts.bias.push_back(
          distance(Operand::output, bias_layout(computation_, spec_.bias_per_batch), pixel));
  }

  WeightsRows rows_in_place(const RunPlan& runs) const {
    WeightsRows rows{.step_stride = runs.row_stride};
    Tile channel;
    channel[weights_dim_] = 1;
    if (has_pixel_vectors())
      rows.channel_stride = distance(Operand::weights, channel);
    else
      rows.tail_lanes = static_cast<int>(computation_.extent(vectorised_) % lanes_);
    return rows;
  }

  void check_weights(const MicrokernelSpec& spec) const {
    const std::int64_t early = spec_.prefetch * spec.weights.step_stride.value_or(0);
    if (std::abs(early) > kFarthestTile)
      throw Error("schedule: prefetch=" + std::to_string(spec_.prefetch) + " reaches over " +
                  std::to_string(std::abs(early)) + " bytes of " +
                  computation_.tensor(Operand::weights).name + "; must be at most " +
                  std::to_string(kFarthestTile));
    if (spec.weights.tail_lanes > 0 && spec.input_vectors.tail_lanes > 0 && !has_masks(spec_.isa))
      throw Error("schedule: weights=plain, but " + to_string(spec_.isa) +
                  " has one mask for vectors of the input and the weights; the extent of " +
                  computation_.name(vectorised_) + " must be a multiple of " +
                  std::to_string(lanes_) + ", or the weights be packed");
  }

  PrefetchCode prefetches(std::int64_t steps, int unroll) const {
    // A displacement in an instruction also includes the offset of the pixel in the tile, so the
    // distance may use only half of the range of displacements.
    constexpr std::int64_t kReach = 1 << 30;
    PrefetchCode code{.weight_steps = spec_.prefetch};
    const std::int64_t distance = bytes(Operand::input, program_.prefetch_distance);
    if (distance < kReach) code.input_distance = distance;
    const std::int64_t iterations = std::max<std::int64_t>(1, steps / unroll);
    if (const auto& next = program_.next_tile_prefetch)
      code.next_tile_lines =
          static_cast<int>(ceil_div(bytes(next->operand, next->call), kLine * iterations));
    return code;
  }

  const Computation& computation_;
  const LoopProgram& program_;
  const TreeSpec& spec_;
  const Tile& base_;
  const Dim vectorised_, weights_dim_;
  const ElementType type_;
  const int lanes_;
};

}  // namespace

MicrokernelCall make_microkernel_call(const Computation& computation, const LoopProgram& program,
                                      const TreeSpec& spec, const Tile& base) {
  return CallBuilder(computation, program, spec, base).build();
}

}  // namespace tileplan
