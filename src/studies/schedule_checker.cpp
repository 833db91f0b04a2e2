// SPDX-License-Identifier: Apache-2.0
// The relations of the problem are read once for all schedules (ComputationVariants), because
// reading takes a millisecond.
#include "schedule_checker.h"

#include "compile.h"
#include "tileplan/error.h"
#include "units.h"

namespace tileplan {

std::string failure_text(const Check& check) {
  if (check.passed()) return "";
  return "wrong result: " + std::to_string(check.got) + " for output " +
         std::to_string(check.worst_index) + ", expected " + std::to_string(check.expected);
}

ScheduleChecker::ScheduleChecker(const Plan& first, std::uint64_t seed)
    : plan_(first),
      readings_(first.problem),
      tensors_(readings_.of(first.candidates.front().schedule), seed),
      spots_(tensors_,
             resolve(first.candidates.front().schedule, tensors_.computation(),
                     unit_of(first.candidates.front().schedule, first.machine).lanes),
             first.candidates.front().schedule.out, first.options) {
  plan_.candidates.resize(1);
}

bool ScheduleChecker::can_run(const Schedule& schedule) {
  const auto [place, is_new] = can_run_.try_emplace(to_string(schedule), true);
  if (!is_new) return place->second;
  plan_.candidates.front().schedule = schedule;
  try {
    compile_read(plan_, readings_.of(schedule));
  } catch (const Error&) {  // compile() refuses the schedule, so the space excludes it.
    place->second = false;
  }
  return place->second;
}

CheckedSchedule ScheduleChecker::check(const std::string& schedule) {
  try {
    const Schedule& parsed = plan_.candidates.front().schedule = parse_schedule(schedule);
    AttachedKernel bound(compile_read(plan_, readings_.of(parsed)), tensors_);
    const Check check = spots_.check(bound);
    if (!check.passed()) return {.bound = {}, .failure = failure_text(check)};
    return {.bound = std::move(bound), .failure = ""};
  } catch (const Error& error) {
    return {.bound = {}, .failure = error.what()};
  }
}

}  // namespace tileplan
