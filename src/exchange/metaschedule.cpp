// SPDX-License-Identifier: Apache-2.0
// Writes numbers and expressions only, because the script that replays them knows no convolution.
#include "metaschedule.h"

#include <nlohmann/json.hpp>

#include "jsonl.h"
#include "split_loops.h"

namespace tileplan {

namespace {

using Json = nlohmann::ordered_json;

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

std::string metaschedule_line(const ListedCandidate& listed, const CandidateList& list) {
  Json line = Json::parse(json_line(listed, list));
  line["computation"] = computation_document(list.computation);
  line["loops"] = Json::array();
  for (const SplitLoop& loop :
       split_loops(listed.candidate.schedule, list.computation, list.machine.vector.lanes))
    line["loops"].push_back({{"dim", loop.dim},
                             {"trips", loop.trips},
                             {"step", loop.step},
                             {"kind", kind_text(loop.kind)}});
  return line.dump();
}

}  // namespace tileplan
