// SPDX-License-Identifier: Apache-2.0
// Requests and results are lines of JSON, which come from other machines and are checked.
#include <algorithm>

#include "json_fields.h"
#include "recall.h"
#include "record_lines.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

constexpr std::initializer_list<const char*> kRequestFields{
    "problem", "schedule", "machine", "regime", "threads", "epilogue", "budget_seconds", "seed"};

Json request_document(const MeasureRequest& request) {
  const Options& options = request.options;
  return {{"problem", to_string(request.problem)},
          {"schedule", to_string(request.schedule)},
          {"machine", request.machine},
          {"regime", to_string(options.regime)},
          {"threads", options.threads},
          {"epilogue", to_string(options.epilogue)},
          {"budget_seconds", options.budget_seconds},
          // The seed is written as text, because some readers of JSON round 64-bit numbers.
          {"seed", std::to_string(options.seed)}};
}

std::uint64_t seed_of(const Fields& fields) {
  const std::string text = fields.text("seed");
  const bool digits = !text.empty() && std::ranges::all_of(text, [](char each) {
    return '0' <= each && each <= '9';
  });
  try {
    if (digits) return std::stoull(text);
  } catch (const std::out_of_range&) {
    fields.fail("seed", "less than 2^64");
  }
  fields.fail("seed", "a whole number in quotes");
}

MeasureRequest request_of(const std::string& line) {
  const Json document = parse_json(line, "request");
  const Fields fields(document, "request", kRequestFields);
  MeasureRequest request{.problem = parse_problem(fields.text("problem")),
                         .schedule = parse_schedule(fields.text("schedule")),
                         .machine = fields.text("machine")};
  Options& options = request.options;
  if (fields.has("regime")) options.regime = parse_regime(fields.text("regime"));
  if (fields.has("threads")) options.threads = fields.count("threads");
  if (fields.has("epilogue")) options.epilogue = parse_epilogue(fields.text("epilogue"));
  if (fields.has("budget_seconds")) options.budget_seconds = fields.positive("budget_seconds");
  if (fields.has("seed")) options.seed = seed_of(fields);
  return request;
}

}  // namespace

std::string to_json_lines(const std::vector<MeasureRequest>& requests) {
  std::string lines;
  for (const MeasureRequest& request : requests) lines += request_document(request).dump() + '\n';
  return lines;
}

std::vector<MeasureRequest> parse_requests(const std::string& text, const std::string& origin) {
  std::vector<MeasureRequest> requests;
  for_each_line(text, origin,
                [&](const std::string& line) { requests.push_back(request_of(line)); });
  return requests;
}

std::string to_json_line(const MeasureResult& result) {
  Json document = record_document(result.record);
  document["disturbed"] = result.disturbed;
  document["waiting_seconds"] = result.waiting_seconds;
  document["seconds"] = result.seconds;
  return document.dump();
}

MeasureResult parse_result(const std::string& line, const MeasureRequest& request) {
  MeasureResult result{.record = parse_record(line)};
  const Json document = Json::parse(line);
  Json numbers;
  for (const char* name : {"disturbed", "waiting_seconds", "seconds"})
    numbers[name] = document.value(name, Json());
  const Fields fields(numbers, "result", {"disturbed", "waiting_seconds", "seconds"});
  result.disturbed = fields.whole("disturbed");
  result.waiting_seconds = fields.non_negative("waiting_seconds");
  result.seconds = fields.non_negative("seconds");
  const Record key = record_key(request);
  const auto require = [&](const char* name, std::string Record::*field) {
    if (result.record.*field != key.*field)
      throw Error("result: " + std::string(name) + " is " + result.record.*field + "; must be " +
                  key.*field + ", as in the request");
  };
  require("problem", &Record::problem);
  require("schedule", &Record::schedule);
  require("machine", &Record::machine);
  require("regime", &Record::regime);
  return result;
}

}  // namespace tileplan
