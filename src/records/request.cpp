// SPDX-License-Identifier: Apache-2.0
// This file makes the requests of a plan and the keys of their records, and measures their
// schedules on this host.
#include "tileplan/request.h"

#include <algorithm>
#include <chrono>
#include <new>

#include "isolate.h"
#include "isolated_candidates.h"
#include "race_plan.h"
#include "recall.h"
#include "record_lines.h"
#include "tileplan/error.h"
#include "tileplan/verify.h"
#include "tileplan/version.h"

namespace tileplan {
namespace {

/// A failure that begins with this text concerns the host, the worker or the connection, and not
/// the schedule.
constexpr std::string_view kLost = "worker: ";

std::string lost(const std::string& reason) { return std::string(kLost) + reason; }

/// Returns the text of machine_type() without the name at its start, because a user or a hypervisor
/// chooses the name.
std::string type_without_name(const Machine& machine) {
  return machine_type(machine).substr(machine.name.size());
}

std::optional<std::string> why_not_here(const MeasureRequest& request, const Machine& host) {
  if (!request.machine.ends_with(type_without_name(host)))
    return "this machine is " + machine_type(host) + "; must be " + request.machine;
  if (request.options.threads > host.cores)
    return std::to_string(request.options.threads) + " threads; this machine has " +
           std::to_string(host.cores) + " cores";
  return std::nullopt;
}

/// Returns the machine of this host, or sets `failure` to the reason why it cannot measure.
std::optional<Machine> host_for(const MeasureRequest& request, std::string& failure) {
  try {
    const Machine host = detect_machine();
    const auto why = why_not_here(request, host);
    if (!why) return host;
    failure = lost(*why);
  } catch (const Error& error) {
    failure = lost(error.what());
  }
  return std::nullopt;
}

/// Returns the plan of one schedule, or sets `failure` to the reason why there is none.
std::optional<Plan> plan_of_request(const MeasureRequest& request, const Machine& host,
                                    std::string& failure) {
  try {
    Plan plan = plan_of(request.problem, host, request.schedule, request.options);
    plan.options = request.options;
    plan.options.verify = 1;
    return plan;
  } catch (const Error& error) {
    failure = error.what();
    return std::nullopt;
  }
}

/// Copies the samples of the only candidate of `plan` into `result`, or the reason why there are
/// none. Throws Error when the measurement was stopped before the first kept sample.
void take_race(const Plan& plan, MeasureResult& result) {
  Record& record = result.record;
  result.waiting_seconds = plan.waiting_seconds;
  if (!plan.failures.empty()) {
    record.failure = plan.failures.front().reason;
    return;
  }
  const Measurement measured = plan.candidates.front().measurement.value_or(Measurement{});
  record.samples = measured.times;
  result.disturbed = measured.samples - measured.kept;
  if (!record.samples.empty()) return;
  if (stop_requested()) throw Error("measure: asked to stop before the first sample");
  record.failure =
      lost(measured.samples == 0 ? "never quiet: the budget ended before the first sample"
                                 : "never quiet: other programs disturbed all " +
                                       std::to_string(result.disturbed) + " samples");
}

void race(const Plan& plan, MeasureResult& result) {
  try {
    take_race(race_plan(plan), result);
  } catch (const Error& error) {
    if (stop_requested()) throw;
    const std::string reason = error.what();
    const bool wrong = reason.find(kWrongResult) != std::string::npos;
    result.record.failure = wrong ? reason : lost(reason);
  } catch (const std::bad_alloc&) {
    result.record.failure = kOutOfMemory;
  }
}

}  // namespace

std::vector<MeasureRequest> requests_of(const Plan& plan) {
  std::size_t count = plan.candidates.size();
  if (plan.options.verify > 0)
    count = std::min(count, static_cast<std::size_t>(plan.options.verify));
  std::vector<MeasureRequest> requests;
  for (std::size_t i = 0; i < count; ++i)
    requests.push_back({.problem = plan.problem,
                        .schedule = plan.candidates[i].schedule,
                        .machine = machine_type(plan.machine),
                        .options = plan.options});
  return requests;
}

Record record_key(const MeasureRequest& request) {
  const auto& [problem, schedule, machine, options] = request;
  Record key{.problem = to_string(problem),
             .schedule = to_string(schedule),
             .machine = machine,
             .regime = to_string(options.regime),
             .version = version()};
  if (options.epilogue != Epilogue{}) key.problem += ' ' + to_string(options.epilogue);
  if (options.threads > 1) key.machine += ", " + std::to_string(options.threads) + " threads";
  return key;
}

MeasureResult measure(const MeasureRequest& request) {
  const auto begin = std::chrono::steady_clock::now();
  MeasureResult result{.record = record_key(request)};
  std::string& failure = result.record.failure;
  const std::optional<Machine> host = host_for(request, failure);
  const auto plan = host ? plan_of_request(request, *host, failure) : std::nullopt;
  if (plan) race(*plan, result);
  result.record.taken = utc_time();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

bool is_lasting(const Record& record) {
  const std::string& failure = record.failure;
  // These failures may have a cause outside the schedule: the system may have ended the child by
  // signal 9 because memory was short.
  return failure != kOutOfMemory && !failure.starts_with("killed by signal 9 ") &&
         !failure.starts_with(kLost);
}

Record lost_record(const MeasureRequest& request, const std::string& reason) {
  Record record = record_key(request);
  record.taken = utc_time();
  record.failure = lost(reason);
  return record;
}

std::optional<Record> find_record(const Records& records, const MeasureRequest& request,
                                  const WarnOfRow& warn) {
  const Record key = record_key(request);
  std::optional<Record> newest;
  for (Record& each : records.find({.problem = key.problem,
                      .schedule = key.schedule,
                      .machine = key.machine,
                      .regime = key.regime,
                      .version = key.version,
                      .since = utc_time(RecallOptions{}.fresh_seconds)},
                                   warn))
    if (is_lasting(each)) newest = std::move(each);
  return newest;
}

}  // namespace tileplan
