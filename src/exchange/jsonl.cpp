// SPDX-License-Identifier: Apache-2.0
// This file writes candidates as JSON, for the formats jsonl, metaschedule and inductor. The keys
// have the order in which people read them.
#include <nlohmann/json.hpp>

#include "plan_members.h"
#include "split_loops.h"
#include "words.h"
#include "writers.h"

namespace tileplan {
namespace {

using Json = nlohmann::ordered_json;

Json tile_sizes(const ListedCandidate& listed, const CandidateList& list) {
  Json sizes = Json::object();
  for (std::size_t level = 0; level < listed.tiles.size(); ++level) {
    Json& tile = sizes[list.machine.caches[level].name] = Json::object();
    for (const LoopExtent& loop : listed.tiles[level]) tile[loop.name] = loop.extent;
  }
  return sizes;
}

Json loop_order(const Schedule& schedule) {
  Json order = Json::array();
  for (const Specifier& loop : schedule.loops)
    if (loop.kind != Kind::unroll && loop.kind != Kind::vector) order.push_back(loop.dim);
  return order;
}

Json candidate_document(const ListedCandidate& listed, const CandidateList& list) {
  const Prediction& prediction = listed.candidate.prediction;
  return {{"problem", to_string(list.problem)},
          {"machine", list.machine.name},
          {"schedule", to_string(listed.candidate.schedule)},
          {"microkernel", listed.microkernel},
          {"order_class", listed.order_class},
          {"order", loop_order(listed.candidate.schedule)},
          {"tiles", tile_sizes(listed, list)},
          {"predicted_s", prediction.seconds},
          {"compute_s", prediction.compute_seconds},
          {"reduction_steps", prediction.reduction_steps},
          {"levels", members_json(kLevelMembers, prediction.levels)},
          {"unhidden", members_json(kUnhiddenMembers, prediction.unhidden)},
          {"bottleneck", prediction.bottleneck},
          {"bound_bytes", prediction.bound_bytes}};
}

Json computation_document(const Computation& computation) {
  Json dims = Json::object(), reductions = Json::array(), tensors = Json::array();
  for (int d = 0; d < computation.dims(); ++d) {
    dims[computation.name(Dim{d})] = computation.extent(Dim{d});
    if (computation.role(Dim{d}) == Role::reduction) reductions.push_back(computation.name(Dim{d}));
  }
  for (const TensorAccess& tensor : computation.tensors)
    tensors.push_back({{"name", tensor.name},
                       {"shape", index_extents(computation, tensor)},
                       {"index", index_texts(computation, tensor)}});
  return {{"dims", dims}, {"reductions", reductions}, {"tensors", tensors}};
}

const char* kind_text(Kind kind) {
  if (kind == Kind::parallel) return "parallel";
  if (kind == Kind::unroll) return "unroll";
  return kind == Kind::vector ? "vector" : "tile";
}

}  // namespace

std::string json_line(const ListedCandidate& listed, const CandidateList& list) {
  return candidate_document(listed, list).dump();
}

std::string metaschedule_line(const ListedCandidate& listed, const CandidateList& list,
                              const Computation& computation) {
  Json line = candidate_document(listed, list);
  line["computation"] = computation_document(computation);
  line["loops"] = Json::array();
  for (const SplitLoop& loop :
       split_loops(listed.candidate.schedule, computation, list.machine.vector.lanes))
    line["loops"].push_back({{"dim", loop.dim},
                             {"trips", loop.trips},
                             {"step", loop.step},
                             {"kind", kind_text(loop.kind)}});
  return line.dump();
}

std::string inductor_line(const ListedCandidate& listed, const CandidateList& list,
                          const InductorBlocking& blocking) {
  const auto numbers = [](const std::array<std::int64_t, 3>& values) {
    std::vector<std::string> texts;
    texts.reserve(values.size());
    for (const std::int64_t value : values) texts.push_back(std::to_string(value));
    return comma_separated(texts);
  };
  Json line = candidate_document(listed, list);
  line["register_tile"] = blocking.register_tile;
  line["settings"] = {{"cpp.gemm_cache_blocking", numbers(blocking.cache_blocks)},
                      {"cpp.gemm_thread_factors", numbers(blocking.threads)}};
  return line.dump();
}

}  // namespace tileplan
