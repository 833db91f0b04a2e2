// SPDX-License-Identifier: Apache-2.0
// The loops of a variant form two levels of tiles: blocks of mc x nc x kc, and register tiles of mr
// x nr with kc steps (docs/concepts.md). Each level has its own loop order.
#include "variant_search.h"

#include <algorithm>
#include <variant>

#include "exact.h"
#include "expand_schedules.h"
#include "gemm_order.h"
#include "integers.h"
#include "layouts.h"
#include "packing.h"
#include "parallel.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

/// Limits the register tiles that are searched, fastest first. Each has up to kBlocks^3 blocks, and
/// a prediction takes some 50 us.
constexpr int kTilingsOfVariant = 8;
/// Limits the block sizes per dimension, from one register tile to the whole extent.
constexpr std::size_t kBlocks = 7;
/// kPacked limits the best schedules that are tried again with A packed. With plain weights,
/// kPackedTwice limits those that are tried again with B packed or read in place, each with and
/// without A packed. The first ranking does not include the costs of plain weights.
constexpr std::size_t kPacked = 8, kPackedTwice = 24;

void check_variant(const Problem& problem, GemmVariant variant) {
  if (!std::holds_alternative<GemmShape>(problem))
    throw Error("variant: " + to_string(variant) + " of " + name_of(problem) +
                "; must be given with a matrix product");
  if (const std::string why = why_no_microkernel(variant); !why.empty())
    throw Error("variant: " + to_string(variant) + ", but " + why + "; must be B3A2C0 or A3B2C0");
}

/// Returns the loop order of the batch and then of the dimensions with `letters`, outermost first.
OrderClass order_class(const Computation& computation, const std::string& letters) {
  OrderClass result;
  for (const char letter : "b" + letters)
    for (int d = 0; d < computation.dims(); ++d)
      if (gemm_letter(computation, Dim{d}) == letter) result.order.push_back(Dim{d});
  return result;
}

/// Returns the order of the loops over register tiles inside a block, then that of the loops over
/// blocks.
OrderClasses orders_of(const Computation& computation, GemmVariant variant) {
  const bool keeps_b = variant == GemmVariant::b3a2c0;
  return {.classes = {order_class(computation, keeps_b ? "ji" : "ij"),
                      order_class(computation, keeps_b ? "jki" : "ikj")}};
}

/// Returns at most kBlocks multiples of `step` that divide `extent`, at even distances in the list
/// of all. Requires that `step` divides `extent`.
std::vector<std::int64_t> block_sizes(std::int64_t extent, std::int64_t step) {
  std::vector<std::int64_t> all;
  for (const std::int64_t count : divisors(extent / step)) all.push_back(count * step);
  if (all.size() <= kBlocks) return all;
  std::vector<std::int64_t> some;
  some.reserve(kBlocks);
  for (std::size_t i = 0; i < kBlocks; ++i)
    some.push_back(all[i * (all.size() - 1) / (kBlocks - 1)]);
  return some;
}

/// Returns tiles (mc, nc, kc) of `kernels`, which are multiples of its register tile. Each
/// dimension has at most kBlocks sizes.
std::vector<Tile> blocks_of(const Computation& computation, const KernelCombo& kernels, int lanes) {
  std::vector<Tile> tiles{kernels.base};
  const Tile extents = covered_extents(computation, kernels.vectorised, lanes);
  for (int d = 0; d < computation.dims(); ++d) {
    if (computation.name(Dim{d}) == "b") continue;
    std::vector<Tile> more;
    for (Tile tile : tiles)
      for (const std::int64_t size : block_sizes(extents[Dim{d}], kernels.base[Dim{d}])) {
        tile[Dim{d}] = size;
        more.push_back(tile);
      }
    tiles = std::move(more);
  }
  return tiles;
}

/// Returns `schedule` with serial loops in place of parallel ones.
Schedule serial(Schedule schedule) {
  for (Specifier& loop : schedule.loops)
    if (loop.kind == Kind::parallel) loop.kind = loop.is_lambda() ? Kind::lambda : Kind::tile;
  return schedule;
}

class VariantSearch {
 public:
  explicit VariantSearch(const SearchSpace& space)
      : space_(space),
        variant_(*space.options.variant),
        orders_(orders_of(space.computation, variant_)),
        costs_(space.computation, space.machine, space.options) {}

  Candidates run() {
    for (const KernelCombo& kernels :
         kernel_combos(space_.computation, space_.machine, kTilingsOfVariant))
      search(kernels);
    pack_best();
    return std::move(found_);
  }

 private:
  void search(const KernelCombo& kernels) {
    layouts_ = layouts_of(space_.computation, space_.options.layout, space_.machine.vector,
                          kernels.vectorised);
    const int lanes = space_.machine.vector.lanes;
    for (const Tile& block : blocks_of(space_.computation, kernels, lanes)) {
      Tile inner = block;
      for (int d = 0; d < space_.computation.dims(); ++d)
        if (space_.computation.role(Dim{d}) != Role::reduction)
          inner[Dim{d}] = kernels.base[Dim{d}];
      const PerLevelSchedule tiles{.tiles = {inner, block}, .classes = {0, 1}};
      score(ordered(to_schedule(space_.computation, kernels, orders_, tiles, lanes)));
    }
  }

  bool has_order(const Schedule& schedule) const {
    const Nest nest = resolve(schedule, space_.computation, space_.machine.vector.lanes);
    return has_gemm_order(space_.computation, nest, variant_);
  }

  /// Returns `schedule` in the order of the variant, or unchanged if moving a list of blocks does
  /// not give this order. to_schedule() writes lists of blocks (lambdas) inside the loops of the
  /// other output dimension, so the first list is moved outside where the variant requires it.
  Schedule ordered(const Schedule& schedule) const {
    if (has_order(schedule)) return schedule;
    Schedule moved = schedule;
    const auto lambda = std::ranges::find(moved.loops, Kind::lambda, &Specifier::kind);
    if (lambda == moved.loops.end()) return schedule;
    auto first = lambda;
    while (first != moved.loops.begin() && can_pass(*lambda, *(first - 1))) --first;
    std::rotate(first, lambda, lambda + 1);
    return has_order(moved) ? moved : schedule;
  }

  bool can_pass(const Specifier& lambda, const Specifier& outer) const {
    return outer.dim != lambda.dim && outer.dim != "b" &&
           space_.computation.role(space_.computation.dim(outer.dim)) != Role::reduction;
  }

  /// Scores the serial and the parallel forms of `schedule` in all layouts. Forms whose loops are
  /// not in the order of the GEMM variant are only counted as rejected.
  void score(const Schedule& schedule) {
    for (const Schedule& form :
         with_parallel_forms(space_.computation, schedule, space_.machine.cores)) {
      if (has_order(form))
        append_layouts(found_, costs_, form, layouts_);
      else
        ++found_.reasons["loops in another order than " + to_string(variant_)];
    }
  }

  /// Returns the different loops of the fastest schedules, with serial loops in place of parallel
  /// ones. Layouts and marks are left out.
  std::vector<Schedule> best_loops() const {
    std::vector<Candidate> best = found_.scored;
    std::ranges::stable_sort(best, {},
                             [](const Candidate& each) { return each.prediction.seconds; });
    const std::size_t most =
        space_.options.weights == WeightsChoice::plain ? kPackedTwice : kPacked;
    std::vector<Schedule> loops;
    for (const Candidate& each : best) {
      Schedule one{.loops = serial(each.schedule).loops};
      if (std::ranges::find(loops, one) == loops.end()) loops.push_back(std::move(one));
      if (loops.size() == most) break;
    }
    return loops;
  }

  void pack_best() {
    const std::vector<Schedule> best = best_loops();
    const bool plain = space_.options.weights == WeightsChoice::plain;
    if (plain) found_ = {.scored = {}, .reasons = std::move(found_.reasons)};
    for (const Schedule& loops : best) {
      const std::vector<Schedule> forms =
          plain ? plain_weights_forms(space_.computation, space_.machine.vector, loops)
                : std::vector<Schedule>{loops};
      for (const Schedule& form : forms) {
        if (plain) score(form);
        for (const Schedule& packed : input_packings(space_.computation, form)) score(packed);
      }
    }
  }

  const SearchSpace& space_;
  const GemmVariant variant_;
  const OrderClasses orders_;
  const CostContext costs_;
  std::vector<Layouts> layouts_;
  Candidates found_;
};

}  // namespace

Candidates search_variant(const SearchSpace& space) {
  check_variant(space.computation.problem, *space.options.variant);
  return VariantSearch(space).run();
}

}  // namespace tileplan
