// SPDX-License-Identifier: Apache-2.0
// This file copies measurements from records to plans and back. Among the records of one problem,
// machine, regime and version, a candidate is identified by the text of its schedule.
#include "recall.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "record_lines.h"
#include "rejections.h"
#include "statistics.h"
#include "tileplan/error.h"
#include "tileplan/verify.h"
#include "tileplan/version.h"

namespace tileplan {
namespace {

Record key_of(const Plan& plan, const Schedule& schedule = {}) {
  return record_key({.problem = plan.problem,
                     .schedule = schedule,
                     .machine = machine_type(plan.machine),
                     .options = plan.options});
}

std::map<std::string, Record> latest_of(const Plan& plan, const Records& records,
                                        const RecallOptions& options) {
  std::map<std::string, Record> latest;
  const Record key = key_of(plan);
  const RecordFilter filter{.problem = key.problem,
                            .machine = key.machine,
                            .regime = key.regime,
                            .version = options.version,
                            .since = utc_time(options.fresh_seconds)};
  for (const Record& record : records.find(filter, options.warn)) {
    if (!is_lasting(record)) continue;
    if (record.failure.empty() && record.samples.size() < options.fewest_samples) continue;
    // The oldest records come first, so a newer record replaces an older one.
    latest[record.schedule] = record;
  }
  return latest;
}

Measurement measurement_of(const Record& record) {
  const MedianInterval interval = median_interval(record.samples);
  const auto count = static_cast<int>(record.samples.size());
  return {.median_seconds = interval.median,
          .low_seconds = interval.low,
          .high_seconds = interval.high,
          .kept = count,
          .samples = count,
          .times = record.samples,
          .taken = record.taken};
}

/// Rejects candidates whose record in `known` is a failure, but keeps at least one candidate.
void drop_failures(Plan& plan, const std::map<std::string, Record>& known) {
  std::size_t left = plan.candidates.size();
  std::erase_if(plan.candidates, [&](const Candidate& candidate) {
    const auto found = known.find(to_string(candidate.schedule));
    if (left == 1 || found == known.end() || found->second.failure.empty()) return false;
    --left;
    reject(plan, "failed on " + found->second.taken + ": " + found->second.failure);
    return true;
  });
}

}  // namespace

std::string machine_type(const Machine& machine) {
  std::string text = machine.name;
  if (!machine.cpu.vendor.empty())
    text += ", family " + std::to_string(machine.cpu.family) + " model " +
            std::to_string(machine.cpu.model) + " stepping " + std::to_string(machine.cpu.stepping);
  return text + ", " + to_string(machine.vector.isa);
}

std::size_t recall(Plan& plan, const Records& records, const RecallOptions& options) {
  const std::map<std::string, Record> known = latest_of(plan, records, options);
  drop_failures(plan, known);
  const std::size_t count =
      std::min(plan.candidates.size(), static_cast<std::size_t>(plan.options.verify));
  std::vector<std::optional<Measurement>> found(count);
  std::optional<Measurement> best;
  bool all = true;
  for (std::size_t i = 0; i < count; ++i) {
    const auto record = known.find(to_string(plan.candidates[i].schedule));
    const bool is_measured = record != known.end() && !record->second.samples.empty();
    all = all && is_measured;
    if (!is_measured) continue;
    found[i] = measurement_of(record->second);
    if (!best || found[i]->median_seconds < best->median_seconds) best = found[i];
  }
  std::size_t recalled = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!found[i] || (!all && found[i]->low_seconds <= best->high_seconds)) continue;
    plan.candidates[i].measurement = found[i];
    ++recalled;
  }
  return recalled;
}

std::size_t remember(const Plan& plan, Records& records, const RecallOptions& options) {
  const std::string now = utc_time();
  std::vector<Record> fresh;
  const auto add = [&](const Schedule& schedule, const std::vector<double>& samples,
                       const std::string& failure) {
    Record record = key_of(plan, schedule);
    record.version = options.version;
    record.taken = now;
    record.samples = samples;
    record.failure = failure;
    if (is_lasting(record)) fresh.push_back(record);
  };
  for (const Candidate& one : plan.candidates)
    if (one.measurement && one.measurement->taken.empty() && !one.measurement->times.empty())
      add(one.schedule, one.measurement->times, "");
  for (const Failure& one : plan.failures) add(one.schedule, {}, one.reason);
  return records.add(fresh);
}

std::optional<Records> open_records(const RecordsChoice& choice) {
  if (!choice.path.empty()) return Records(choice.path);
  try {
    return Records(records_path());
  } catch (const Error& error) {
    if (choice.note) choice.note(std::string("measuring without records: ") + error.what());
    return std::nullopt;
  }
}

Plan plan_with_records(const Problem& problem, const Machine& machine, Options options,
                       Records& records, const WarnOfRow& note) {
  const int count = options.verify;
  options.top = std::max(options.top, count);
  options.verify = 0;
  Plan result = plan(problem, machine, options);
  result.options.verify = count;
  if (count == 0) return result;
  const RecallOptions recall_options{.version = version(),
                                     .warn = note ? note : [](const std::string&) {}};
  try {
    recall(result, records, recall_options);
  } catch (const Error& error) {
    recall_options.warn(std::string("all is measured again: ") + error.what());
  }
  Plan verified = verify(std::move(result));
  try {
    remember(verified, records, recall_options);
  } catch (const Error& error) {
    recall_options.warn(std::string("these measurements are not stored: ") + error.what());
  }
  return verified;
}

double median_seconds(const Record& record) { return median(record.samples); }

}  // namespace tileplan
