// SPDX-License-Identifier: Apache-2.0
// A changed schedule may be illegal. Opponent::seconds() returns nothing for such a schedule.
#include "opponent.h"

#include <algorithm>
#include <string>
#include <vector>

#include "branches.h"
#include "cost.h"
#include "integers.h"
#include "loop_program.h"
#include "machine_rules.h"
#include "random_nest.h"
#include "random_schedule.h"
#include "repack.h"
#include "throughput.h"
#include "tileplan/error.h"
#include "units.h"

namespace tileplan::test {
namespace {

using Loops = std::vector<Specifier>;

/// Returns the number of loops outside the register tile.
std::size_t outer_loops(const Schedule& schedule) {
  const auto inner = std::ranges::find_if(schedule.loops, is_inner);
  return static_cast<std::size_t>(inner - schedule.loops.begin());
}

std::size_t place(Random& random, std::size_t count) { return random() % count; }

void move_loop(Random& random, Schedule& schedule) {
  const std::size_t count = outer_loops(schedule);
  if (count < 2) return;
  const std::size_t from = place(random, count), to = place(random, count);
  const Specifier moved = schedule.loops[from];
  schedule.loops.erase(schedule.loops.begin() + static_cast<std::ptrdiff_t>(from));
  schedule.loops.insert(schedule.loops.begin() + static_cast<std::ptrdiff_t>(to), moved);
}

/// Divides the trips of one loop by a factor, and multiplies those of another loop over its
/// dimension by this factor. The other loop may be new.
void move_factor(Random& random, Schedule& schedule) {
  const std::size_t count = outer_loops(schedule);
  if (count == 0) return;
  const std::size_t from = place(random, count);
  Specifier& shrunk = schedule.loops[from];
  if (shrunk.count < 2) return;
  const std::vector<std::int64_t> primes = prime_factors(shrunk.count);
  const std::int64_t factor =
      one_in(random, 4) ? shrunk.count : primes[place(random, primes.size())];
  const std::string dim = shrunk.dim;
  shrunk.count /= factor;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < schedule.loops.size(); ++i)
    if (i != from && schedule.loops[i].dim == dim && schedule.loops[i].count > 0)
      others.push_back(i);
  if (others.empty() || one_in(random, 2)) {
    const std::size_t at = place(random, count + 1);
    schedule.loops.insert(schedule.loops.begin() + static_cast<std::ptrdiff_t>(at),
                          counted_loop(Kind::tile, dim, factor));
  } else {
    schedule.loops[others[place(random, others.size())]].count *= factor;
  }
}

/// Makes the register tile smaller by a factor along one dimension, and adds a loop of this factor.
void shrink_tile(Random& random, Schedule& schedule) {
  const std::size_t first = outer_loops(schedule);
  const std::size_t at = first + place(random, schedule.loops.size() - first);
  Specifier& unrolled = schedule.loops[at];
  if (unrolled.kind != Kind::unroll || unrolled.count < 2) return;
  const std::vector<std::int64_t> primes = prime_factors(unrolled.count);
  const std::int64_t factor = primes[place(random, primes.size())];
  unrolled.count /= factor;
  const Specifier loop = counted_loop(Kind::tile, unrolled.dim, factor);
  schedule.loops.insert(
      schedule.loops.begin() + static_cast<std::ptrdiff_t>(place(random, first + 1)), loop);
}

/// Makes the register tile larger along one dimension, which may be new to it, by a factor of the
/// trips of a loop over this dimension.
void grow_tile(Random& random, const IsSummed& is_reduction, Schedule& schedule) {
  const std::size_t count = outer_loops(schedule);
  if (count == 0) return;
  Specifier& loop = schedule.loops[place(random, count)];
  if (loop.count < 2 || loop.is_lambda() || is_reduction(loop)) return;
  const std::vector<std::int64_t> primes = prime_factors(loop.count);
  const std::int64_t factor = primes[place(random, primes.size())];
  const std::string dim = loop.dim;
  loop.count /= factor;
  for (Specifier& one : schedule.loops)
    if (one.kind == Kind::unroll && one.dim == dim && one.count > 0) {
      one.count *= factor;
      return;
    }
  schedule.loops.insert(schedule.loops.begin() + static_cast<std::ptrdiff_t>(count),
                        counted_loop(Kind::unroll, dim, factor));
}

/// Draws blocks of two other sizes for a loop over a list of blocks (lambda).
void change_blocks(Random& random, Schedule& schedule) {
  const std::size_t count = outer_loops(schedule);
  if (count == 0) return;
  Specifier& loop = schedule.loops[place(random, count)];
  if (!loop.is_lambda()) return;
  std::int64_t blocks = 0;
  for (const Part& part : loop.parts) blocks += part.times * part.size;
  const std::int64_t size = pick(random, 1, std::min<std::int64_t>(blocks, 30));
  const std::int64_t larger = size + pick(random, 1, 2);
  for (std::int64_t times = 1; times * larger < blocks; ++times)
    if ((blocks - times * larger) % size == 0) {
      loop.parts = {{times, larger}, {(blocks - times * larger) / size, size}};
      return;
    }
}

void change_parallel(Random& random, Schedule& schedule) {
  const std::size_t count = outer_loops(schedule);
  if (count == 0) return;
  Specifier& loop = schedule.loops[place(random, count)];
  if (loop.kind == Kind::parallel)
    loop.kind = loop.is_lambda() ? Kind::lambda : Kind::tile;
  else if (loop.kind != Kind::rest)
    loop.kind = Kind::parallel;
}

std::optional<int> random_position(Random& random, const Schedule& schedule) {
  const std::size_t count = outer_loops(schedule);
  if (count == 0 || one_in(random, 3)) return std::nullopt;
  return static_cast<int>(place(random, count));
}

LoweringSpec spec_of(const Computation& computation, const Schedule& schedule,
                     const Machine& machine, const Nest& nest) {
  const auto layout = [&](Operand operand) {
    return layout_of(computation, operand, layout_in_loops(computation, schedule, nest, operand));
  };
  return {.lanes = machine.vector.lanes,
          .input = layout(Operand::input),
          .output = layout(Operand::output),
          .pack_input = schedule.pack_input,
          .ahead = schedule.ahead,
          .nontemporal = schedule.nontemporal};
}

Machine machine_with_threads(const Target& target) {
  Machine machine = machine_for(target.machine, types_of(target.problem));
  machine.cores = target.options.threads;
  return machine;
}

}  // namespace

Opponent::Opponent(const Target& target)
    : target_(target),
      machine_(machine_with_threads(target)),
      whole_(computation_of(target.problem)),
      merged_(merge_adjacent_dims(whole_)) {}

std::optional<double> Opponent::seconds(const Schedule& schedule) {
  try {
    const Machine machine = machine_for_schedule(schedule, machine_);
    const Computation& computation = computation_for(schedule);
    const Nest nest = resolve(schedule, computation, machine.vector.lanes);
    if (!can_run(computation, schedule, machine, nest)) return std::nullopt;
    ++predicted_;
    return predict_nest(computation, nest, schedule, machine, rules_of(target_.options)).seconds;
  } catch (const Error&) {
    return std::nullopt;
  }
}

const Computation& Opponent::computation_for(const Schedule& schedule) const {
  const bool is_whole = std::ranges::all_of(schedule.loops, [&](const Specifier& loop) {
    return std::ranges::find(whole_.names, loop.dim) != whole_.names.end();
  });
  return is_whole ? whole_ : merged_;
}

bool Opponent::is_reduction(const Schedule& schedule, const Specifier& loop) const {
  const Computation& computation = computation_for(schedule);
  return computation.role(computation.dim(loop.dim)) == Role::reduction;
}

bool Opponent::can_run(const Computation& computation, const Schedule& schedule,
                       const Machine& machine, const Nest& nest) const {
  for (const Branch& branch : branches_of(nest))
    if (!fits_registers(register_tile(computation, branch.nest, machine.vector.lanes),
                        machine.vector))
      return false;
  const LoweringSpec spec = spec_of(computation, schedule, machine, nest);
  const LoopProgram program = lower(computation, nest, spec);
  for (const Operand operand : {Operand::input, Operand::output})
    if (tile_reach(computation, operand, program.place(operand).in_calls(),
                   largest_box_inside(nest, nest.loops.size())) > kFarthestTile)
      return false;
  return true;
}

Schedule Opponent::draw(Random& random) {
  const Computation& computation = one_in(random, 2) ? whole_ : merged_;
  const bool is_narrow = machine_.narrow && one_in(random, 4);
  const VectorUnit& unit = is_narrow ? machine_.narrow->vector : machine_.vector;
  Schedule schedule =
      random_nest(random, computation, {.lanes = unit.lanes, .count = unit.registers});
  if (is_narrow) schedule.isa = unit.isa;
  if (target_.options.threads == 1)
    for (Specifier& loop : schedule.loops)
      if (loop.kind == Kind::parallel) loop.kind = loop.is_lambda() ? Kind::lambda : Kind::tile;
  if (std::holds_alternative<ConvShape>(target_.problem)) {
    schedule.in = draw_layout(random);
    schedule.out = one_in(random, 2) && holds_pixels(computation, schedule) ? Layout::nchw
                                                                            : draw_layout(random);
  }
  schedule.prefetch = static_cast<int>(pick(random, 0, 2)) * 4;
  schedule.nontemporal = one_in(random, 4);
  if (one_in(random, 2)) schedule.ahead = random_position(random, schedule);
  return schedule;
}

Layout Opponent::draw_layout(Random& random) const {
  const Layout blocked = machine_.vector.lanes == 16 ? Layout::nChw16c : Layout::nChw8c;
  const Layout layouts[] = {Layout::nhwc, Layout::nchw, blocked};
  return layouts[pick(random, 0, 2)];
}

void Opponent::change_mark(Random& random, Schedule& schedule) const {
  constexpr std::int64_t kMarks = 5;
  switch (pick(random, 0, kMarks)) {
    case 0:
      schedule.nontemporal = !schedule.nontemporal;
      break;
    case 1:
      schedule.prefetch = static_cast<int>(pick(random, 0, 2)) * 4;
      break;
    case 2:
      schedule.ahead = random_position(random, schedule);
      break;
    case 3:
      schedule.pack_input = random_position(random, schedule);
      break;
    default:
      if (!std::holds_alternative<ConvShape>(target_.problem)) break;
      (one_in(random, 2) ? schedule.in : schedule.out) = draw_layout(random);
  }
}

Schedule Opponent::change(Random& random, const Schedule& schedule) const {
  Schedule changed = schedule;
  constexpr std::int64_t kChanges = 8;
  switch (pick(random, 0, kChanges)) {
    case 0:
    case 1:
      move_loop(random, changed);
      break;
    case 2:
    case 3:
      move_factor(random, changed);
      break;
    case 4:
      shrink_tile(random, changed);
      break;
    case 5:
      grow_tile(
          random, [&](const Specifier& loop) { return is_reduction(schedule, loop); }, changed);
      break;
    case 6:
      change_blocks(random, changed);
      break;
    case 7:
      if (target_.options.threads > 1) change_parallel(random, changed);
      break;
    default:
      change_mark(random, changed);
  }
  std::erase_if(changed.loops, [](const Specifier& loop) {
    return loop.count == 1 && (loop.kind == Kind::tile || loop.kind == Kind::parallel);
  });
  return changed;
}

}  // namespace tileplan::test
