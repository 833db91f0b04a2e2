// SPDX-License-Identifier: Apache-2.0
// Emitted C has no streaming stores (`nt`), which need aligned outputs. It reads the input in place
// where assembled kernels transpose it.
#include "emitted_schedule.h"

#include "next_tile_prefetch.h"
#include "repack.h"
#include "target.h"
#include "winograd_rules.h"

namespace tileplan {

Schedule as_emitted(const Computation& computation, Schedule schedule, Target target,
                    const StagePlan* stages) {
  schedule.nontemporal = false;
  if (!schedule.ahead || schedule.pack_input || (stages != nullptr && stages->copies_input))
    return schedule;
  const Nest nest =
      resolve(schedule, computation, lanes_of(target, computation.tensor(Operand::output).type));
  // If the loop that `ahead` names does not exist, lower() reports the error later.
  if (static_cast<std::size_t>(*schedule.ahead) >= nest.loops.size()) return schedule;
  if (next_tile_operand(computation, nest, *schedule.ahead) == Operand::input &&
      layout_in_loops(computation, schedule, nest, Operand::input) != schedule.in)
    schedule.ahead.reset();
  return schedule;
}

std::vector<std::string> notes_on(const Schedule& schedule, const Schedule& emitted) {
  std::vector<std::string> notes;
  if (schedule.nontemporal && !emitted.nontemporal)
    notes.emplace_back(
        "the schedule has nt; the emitted C uses ordinary stores, because streaming stores need "
        "aligned outputs");
  if (schedule.ahead && !emitted.ahead)
    notes.push_back("the schedule has ahead=" + std::to_string(*schedule.ahead) +
                    " over a transposed copy of the input; the emitted C reads the input in place "
                    "and does not prefetch it");
  return notes;
}

LoopProgram lowered(const Computation& given, const Computation& computation,
                    const Schedule& schedule, Target target, const StagePlan* stages) {
  const int lanes = lanes_of(target, computation.tensor(Operand::output).type);
  const Nest nest = resolve(schedule, computation, lanes);
  check_winograd_nest(computation, nest, schedule, lanes);
  return lower(computation, nest,
               {.lanes = lanes,
                .target = to_string(target),
                .input = stages != nullptr ? input_layout(*stages, computation)
                                           : layout_of(given, Operand::input, schedule.in),
                .output = layout_of(given, Operand::output, schedule.out),
                .pack_input = schedule.pack_input,
                .pack_weights = schedule.pack_weights,
                .pack_output = schedule.pack_output,
                .ahead = schedule.ahead,
                .winograd = schedule.winograd.has_value(),
                .weights_in_place = schedule.weights_in_place,
                .addressing = Addressing::by_index});
}

}  // namespace tileplan
