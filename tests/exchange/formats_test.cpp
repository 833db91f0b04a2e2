// SPDX-License-Identifier: Apache-2.0
// This test checks jsonl, schemes and benchdnn lines, and that candidates left out are counted.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "example_lists.h"
#include "tileplan/error.h"
#include "workload.h"
#include "writers.h"

using namespace tileplan;

namespace {

int total(const std::map<std::string, int>& counts) {
  int sum = 0;
  for (const auto& [reason, count] : counts) sum += count;
  return sum;
}

/// Checks that each object in `value` has exactly the keys that `schema` requires, and that
/// `schema` describes no other keys. Objects for which it requires no keys are not checked.
void check_keys(const nlohmann::json& value, const nlohmann::json& schema) {
  if (value.is_array() && schema.contains("items"))
    for (const nlohmann::json& each : value) check_keys(each, schema.at("items"));
  if (!value.is_object() || !schema.contains("required")) return;
  std::set<std::string> keys, required = schema.at("required");
  for (const auto& [key, inner] : value.items()) {
    keys.insert(key);
    if (schema.at("properties").contains(key)) check_keys(inner, schema.at("properties").at(key));
  }
  CHECK(keys == required);
  CHECK(schema.at("properties").size() == required.size());
}

}  // namespace

TEST_CASE("formats: jsonl lines have the keys of their schema") {
  const std::string file = std::string(TILEPLAN_LAYERS) + "/../candidates.schema.json";
  const nlohmann::json schema = nlohmann::json::parse(std::ifstream(file));
  const WrittenCandidates written =
      write_candidates(list_of("resnet18-9", 1), CandidateFormat::jsonl);
  check_keys(nlohmann::json::parse(written.text), schema);
}

TEST_CASE("formats: jsonl lines have the problem, the schedule and the prediction") {
  const CandidateList list = list_of("resnet18-9", 20);
  const WrittenCandidates written = write_candidates(list, CandidateFormat::jsonl);
  CHECK(written.count == 20);
  std::istringstream lines(written.text);
  std::size_t at = 0;
  for (std::string line; std::getline(lines, line); ++at) {
    const nlohmann::json object = nlohmann::json::parse(line);
    const Candidate& candidate = list.candidates.at(at).candidate;
    CHECK(object.at("problem") == to_string(list.problem));
    CHECK(object.at("schedule") == to_string(candidate.schedule));
    CHECK(object.at("predicted_s") == candidate.prediction.seconds);
    CHECK(object.at("levels").back().at("bytes") == candidate.prediction.levels.back().bytes);
  }
  CHECK(at == 20);
}

TEST_CASE("formats: every scheme is written or counted") {
  const CandidateList list = list_of("yolo9000-12", 100);
  const WrittenCandidates written = write_candidates(list, CandidateFormat::ttile);
  CHECK(written.count > 0);
  CHECK(written.count + total(written.skipped) == 100);
}

TEST_CASE("formats: packing has no scheme") {
  CandidateList list = list_of("m64n64k64", 1);
  Schedule& schedule = list.candidates.front().candidate.schedule;
  schedule.pack_input = 0;
  const WrittenCandidates written = write_candidates(list, CandidateFormat::ttile);
  CHECK(written.count == 0);
  CHECK(written.skipped.at("packing the input") == 1);
}

TEST_CASE("formats: benchdnn gets each pair of layouts once, and its line is read back") {
  const CandidateList list = list_of("resnet18-9", 40);
  const WrittenCandidates written = write_candidates(list, CandidateFormat::benchdnn);
  CHECK(written.count + total(written.skipped) == 40);
  const LayerList workload = read_workload(written.text, "list");
  REQUIRE(workload.layers.size() == 1);
  CHECK(workload.layers.front().count == written.count);
  CHECK(to_string(workload.layers.front().problem) == to_string(list.problem));
}

TEST_CASE("formats: an unknown name is refused with those that exist") {
  CHECK_THROWS_WITH_AS(parse_candidate_format("xml"), doctest::Contains("'xml'; must be jsonl"),
                       Error);
  CHECK(parse_candidate_format("tvm") == CandidateFormat::metaschedule);
}
