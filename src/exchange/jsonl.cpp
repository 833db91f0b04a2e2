// SPDX-License-Identifier: Apache-2.0
// Writes the keys in the order in which people read them.
#include "jsonl.h"

#include <nlohmann/json.hpp>

#include "plan_json.h"

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

}  // namespace tileplan
