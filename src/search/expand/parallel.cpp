// SPDX-License-Identifier: Apache-2.0
// This file makes loops outside the innermost reductions parallel, as TTile does.
#include "parallel.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "integers.h"

namespace tileplan {
namespace {

/// Limits the share of idle cores. If plain loops leave more cores idle, lists of blocks (lambdas)
/// become parallel too.
constexpr double kIdle = 0.01;

using Loops = std::vector<Specifier>;

class ParallelVariants {
 public:
  ParallelVariants(const Computation& computation, const Schedule& schedule, int cores)
      : computation_(computation), schedule_(schedule), cores_(cores), all_{schedule} {
    const Loops& loops = schedule.loops;
    const auto inner =
        std::find_if(loops.rbegin(), loops.rend(), [&](const Specifier& loop) {
          return loop.kind != Kind::unroll && loop.kind != Kind::vector && !is_reduction(loop);
        }).base();
    outer_.assign(loops.begin(), inner);
    inner_.assign(inner, loops.end());
  }

  std::vector<Schedule> take() {
    add_forms();
    shares_lambdas_ = true;
    if (least_idle_ > kIdle) add_forms();
    return std::move(all_);
  }

 private:
  bool is_reduction(const Specifier& loop) const {
    return computation_.role(computation_.dim(loop.dim)) == Role::reduction;
  }
  bool can_be_parallel(const Specifier& loop) const {
    const bool has_kind = loop.kind == Kind::tile || (shares_lambdas_ && loop.kind == Kind::lambda);
    return has_kind && !is_reduction(loop);
  }

  void add_forms() {
    add_longest_run();
    add_gathered(false);
    add_gathered(true);
    add_single_loops();
  }

  static std::int64_t blocks_of(const Specifier& loop) {
    std::int64_t blocks = loop.count;
    for (const Part& part : loop.parts) blocks += part.times;
    return blocks;
  }

  void add(Loops outer) {
    std::int64_t iterations = 1;
    for (const Specifier& loop : outer)
      if (loop.kind == Kind::parallel) iterations *= blocks_of(loop);
    if (iterations < 2) return;
    const auto busiest = static_cast<double>(ceil_div(iterations, cores_) * cores_);
    least_idle_ = std::min(least_idle_, 1 - static_cast<double>(iterations) / busiest);
    Schedule variant = schedule_;
    keep_boxes_outside_calls(variant, outer);
    variant.loops = std::move(outer);
    variant.loops.insert(variant.loops.end(), inner_.begin(), inner_.end());
    if (std::ranges::find(all_, variant) == all_.end()) all_.push_back(std::move(variant));
  }

  /// Moves the packed boxes of `variant` outside the reductions at the end of `outer`, which belong
  /// to a call of the microkernel.
  void keep_boxes_outside_calls(Schedule& variant, const Loops& outer) const {
    int last = static_cast<int>(outer.size()) - 1;
    while (last > 0 && is_reduction(outer[static_cast<std::size_t>(last)])) --last;
    for (std::optional<int>* const box : {&variant.pack_input, &variant.pack_weights})
      if (*box) *box = std::min(**box, last);
  }

  void add_longest_run() {
    std::size_t first = 0, length = 0;
    for (std::size_t i = 0; i < outer_.size(); ++i) {
      std::size_t end = i;
      while (end < outer_.size() && can_be_parallel(outer_[end])) ++end;
      if (end - i > length) {
        first = i;
        length = end - i;
      }
    }
    Loops outer = outer_;
    for (std::size_t i = first; i < first + length; ++i) outer[i].kind = Kind::parallel;
    add(std::move(outer));
  }

  /// Adds the variant in which every loop that may be parallel is parallel. With
  /// `reductions_first`, the reductions among the outer loops are moved outside the parallel loops,
  /// and otherwise inside them.
  void add_gathered(bool reductions_first) {
    Loops outer = outer_;
    std::stable_partition(outer.begin(), outer.end(), [&](const Specifier& loop) {
      return is_reduction(loop) == reductions_first;
    });
    for (Specifier& loop : outer)
      if (can_be_parallel(loop)) loop.kind = Kind::parallel;
    add(std::move(outer));
  }

  void add_single_loops() {
    std::set<std::string> dims;
    for (std::size_t i = 0; i < outer_.size(); ++i) {
      if (!can_be_parallel(outer_[i]) || !dims.insert(outer_[i].dim).second) continue;
      Loops outer = outer_;
      outer[i].kind = Kind::parallel;
      add(std::move(outer));
    }
  }

  const Computation& computation_;
  const Schedule& schedule_;
  const int cores_;
  Loops outer_;  ///< Holds the outer loops, the last of which is not over a reduction dimension.
  Loops inner_;  ///< Holds the register tile and the reductions around it.
  bool shares_lambdas_ = false;  ///< Tells whether lists of blocks (lambdas) may be parallel too.
  double least_idle_ = 1;  ///< Gives the share of the cores that the best variant leaves idle.
  std::vector<Schedule> all_;
};

}  // namespace

std::vector<Schedule> with_parallel_forms(const Computation& computation, const Schedule& schedule,
                                          int cores) {
  if (cores < 2) return {schedule};
  return ParallelVariants(computation, schedule, cores).take();
}

}  // namespace tileplan
