// SPDX-License-Identifier: Apache-2.0
// Writes the keys in the order in which people read them.
#include "jsonl.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "plan_json.h"
#include "tileplan/error.h"
#include "words.h"

namespace tileplan {

namespace {

using Json = nlohmann::ordered_json;

Json tile_sizes(const ListedCandidate& listed, const CandidateList& list) {
  Json sizes = Json::object();
  for (std::size_t level = 0; level < listed.tiles.size(); ++level) {
    Json& tile = sizes[list.machine.caches[level].name] = Json::object();
    for (int d = 0; d < list.computation.dims(); ++d)
      tile[list.computation.name(Dim{d})] = listed.tiles[level][Dim{d}];
  }
  return sizes;
}

/// Returns the dims of the loops around the register tile, outermost first.
Json loop_order(const Schedule& schedule) {
  Json order = Json::array();
  for (const Specifier& loop : schedule.loops)
    if (loop.kind != Kind::unroll && loop.kind != Kind::vector) order.push_back(loop.dim);
  return order;
}

Prediction read_prediction(const Json& object) {
  Prediction prediction;
  prediction.seconds = object.at("predicted_s");
  prediction.reduction_steps = object.at("reduction_steps");
  prediction.compute_seconds = object.at("compute_s");
  for (const Json& level : object.at("levels"))
    prediction.levels.push_back({.name = level.at("name"),
                                 .bytes = level.at("bytes"),
                                 .seconds = level.at("seconds"),
                                 .burst_seconds = level.at("burst_seconds")});
  const Json& unhidden = object.at("unhidden");
  prediction.unhidden = {.exposed = unhidden.at("exposed"),
                         .packing = unhidden.at("packing"),
                         .repack = unhidden.at("repack"),
                         .fork = unhidden.at("fork"),
                         .prefetching = unhidden.at("prefetching")};
  prediction.bottleneck = object.at("bottleneck");
  prediction.bound_bytes = object.at("bound_bytes");
  return prediction;
}

}  // namespace

std::string json_line(const ListedCandidate& listed, const CandidateList& list) {
  const Prediction& prediction = listed.candidate.prediction;
  return Json{{"problem", to_string(list.computation.problem)},
              {"machine", list.machine.name},
              {"schedule", to_string(listed.candidate.schedule)},
              {"microkernel", listed.microkernel},
              {"order_class", listed.order_class},
              {"order", loop_order(listed.candidate.schedule)},
              {"tiles", tile_sizes(listed, list)},
              {"predicted_s", prediction.seconds},
              {"compute_s", prediction.compute_seconds},
              {"reduction_steps", prediction.reduction_steps},
              {"levels", levels_json(prediction.levels)},
              {"unhidden", unhidden_json(prediction.unhidden)},
              {"bottleneck", prediction.bottleneck},
              {"bound_bytes", prediction.bound_bytes}}
      .dump();
}

std::vector<JsonCandidate> read_json_lines(const std::string& text, const std::string& origin) {
  std::vector<JsonCandidate> candidates;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (trimmed(line).empty()) continue;
    const std::string place = origin + ":" + std::to_string(number) + ": ";
    try {
      const Json object = Json::parse(line);
      candidates.push_back(
          {.problem = parse_problem(object.at("problem").get<std::string>()),
           .machine = object.at("machine").get<std::string>(),
           .candidate = {.schedule = parse_schedule(object.at("schedule").get<std::string>()),
                         .prediction = read_prediction(object),
                         .measurement = {}}});
    } catch (const Json::exception& error) {
      throw Error(place + "not a candidate (" + error.what() + ")");
    } catch (const Error& error) {
      throw Error(place + error.what());
    }
  }
  return candidates;
}

}  // namespace tileplan
