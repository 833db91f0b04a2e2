// SPDX-License-Identifier: Apache-2.0
// This file writes fields in the order in which they are declared.
#include "plan_json.h"

namespace tileplan {

using Json = nlohmann::ordered_json;

Json certificate_json(const Certificate& certificate) {
  const BandProof& band = certificate.band;
  Json divisibility = Json::array();
  for (const Divisibility& level : certificate.divisibility)
    divisibility.push_back({{"level", level.level},
                            {"divisors", level.divisors},
                            {"any", level.any},
                            {"any_bound", level.any_bound}});
  return {{"space", certificate.space},
          {"optimum", certificate.optimum},
          {"bottleneck", certificate.bottleneck},
          {"bound", certificate.bound},
          {"nodes", certificate.nodes},
          {"gap", certificate.gap},
          {"band",
           {{"optimum", band.optimum},
            {"bound", band.bound},
            {"solved", band.solved},
            {"pruned", band.pruned},
            {"unsolved", band.unsolved}}},
          {"divisibility", divisibility}};
}

Json rejected_json(const std::vector<Rejected>& rejected) {
  Json list = Json::array();
  for (const Rejected& each : rejected)
    list.push_back({{"reason", each.reason}, {"count", each.count}});
  return list;
}

Json unhidden_json(const Unhidden& unhidden) {
  return {{"exposed", unhidden.exposed},
          {"packing", unhidden.packing},
          {"repack", unhidden.repack},
          {"fork", unhidden.fork},
          {"prefetching", unhidden.prefetching}};
}

Json levels_json(const std::vector<LevelPrediction>& levels) {
  Json list = Json::array();
  for (const LevelPrediction& level : levels)
    list.push_back({{"name", level.name},
                    {"bytes", level.bytes},
                    {"seconds", level.seconds},
                    {"burst_seconds", level.burst_seconds}});
  return list;
}

}  // namespace tileplan
