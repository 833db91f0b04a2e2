// SPDX-License-Identifier: Apache-2.0
// This file applies TTile's parallel forms to the loops above the reductions around the register
// tile.
#include "parallel.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "integers.h"

namespace tileplan {
namespace {

/// Lambdas are shared too where equal steps leave more than this share of the time idle.
constexpr double kIdle = 0.01;

using Loops = std::vector<Specifier>;

struct Pieces {
  Loops outer;  ///< It ends with the last loop that is not over a reduction dim.
  Loops inner;  ///< It has the reduction loops around the register tile, and the tile.
};

class Forms {
 public:
  Forms(const Computation& computation, const Schedule& schedule, int cores)
      : computation_(computation), schedule_(schedule), cores_(cores), all_{schedule} {}

  std::vector<Schedule> take() {
    const Pieces pieces = pieces_of(schedule_.loops);
    add_forms(pieces);
    if (least_idle_ > kIdle) {
      shares_lambdas_ = true;
      add_forms(pieces);
    }
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

  void add_forms(const Pieces& pieces) {
    add_longest_run(pieces);
    add_gathered(pieces, false);
    add_gathered(pieces, true);
    add_single_loops(pieces);
  }

  static std::int64_t blocks_of(const Specifier& loop) {
    std::int64_t blocks = loop.count;
    for (const Part& part : loop.parts) blocks += part.times;
    return blocks;
  }

  Pieces pieces_of(const Loops& loops) const {
    std::size_t end = 0;
    for (std::size_t i = 0; i < loops.size(); ++i)
      if (loops[i].kind != Kind::unroll && loops[i].kind != Kind::vector && !is_reduction(loops[i]))
        end = i + 1;
    const auto middle = loops.begin() + static_cast<std::ptrdiff_t>(end);
    return {Loops(loops.begin(), middle), Loops(middle, loops.end())};
  }

  void add(Loops outer, const Loops& inner) {
    std::int64_t iterations = 1;
    for (const Specifier& loop : outer)
      if (loop.kind == Kind::parallel) iterations *= blocks_of(loop);
    if (iterations < 2) return;
    const auto busiest = static_cast<double>(ceil_div(iterations, cores_) * cores_);
    least_idle_ = std::min(least_idle_, 1 - static_cast<double>(iterations) / busiest);
    Schedule form = schedule_;
    form.loops = std::move(outer);
    form.loops.insert(form.loops.end(), inner.begin(), inner.end());
    if (std::find(all_.begin(), all_.end(), form) == all_.end()) all_.push_back(std::move(form));
  }

  void add_longest_run(const Pieces& pieces) {
    std::size_t first = 0, length = 0;
    for (std::size_t i = 0; i < pieces.outer.size(); ++i) {
      std::size_t end = i;
      while (end < pieces.outer.size() && can_be_parallel(pieces.outer[end])) ++end;
      if (end - i > length) {
        first = i;
        length = end - i;
      }
    }
    Loops outer = pieces.outer;
    for (std::size_t i = first; i < first + length; ++i) outer[i].kind = Kind::parallel;
    add(std::move(outer), pieces.inner);
  }

  /// Makes all loops parallel that can be, with the reductions of the outer part together.
  void add_gathered(const Pieces& pieces, bool reductions_first) {
    Loops outer = pieces.outer;
    std::stable_partition(outer.begin(), outer.end(), [&](const Specifier& loop) {
      return is_reduction(loop) == reductions_first;
    });
    for (Specifier& loop : outer)
      if (can_be_parallel(loop)) loop.kind = Kind::parallel;
    add(std::move(outer), pieces.inner);
  }

  void add_single_loops(const Pieces& pieces) {
    std::set<std::string> dims;
    for (std::size_t i = 0; i < pieces.outer.size(); ++i) {
      if (!can_be_parallel(pieces.outer[i]) || !dims.insert(pieces.outer[i].dim).second) continue;
      Loops outer = pieces.outer;
      outer[i].kind = Kind::parallel;
      add(std::move(outer), pieces.inner);
    }
  }

  const Computation& computation_;
  const Schedule& schedule_;
  const int cores_;
  bool shares_lambdas_ = false;  ///< It applies to the forms that are being added.
  double least_idle_ = 1;  ///< It is the least share of the cores' time that a form leaves idle.
  std::vector<Schedule> all_;
};

}  // namespace

std::vector<Schedule> with_parallel_forms(const Computation& computation, const Schedule& schedule,
                                          int cores) {
  if (cores < 2) return {schedule};
  return Forms(computation, schedule, cores).take();
}

}  // namespace tileplan
