// SPDX-License-Identifier: Apache-2.0
// This file plans layers one at a time and groups those without a plan.
#include "plan_layers.h"

#include <algorithm>
#include <functional>

#include "computation.h"
#include "coverage.h"
#include "footprint.h"
#include "product.h"
#include "shortened.h"
#include "tileplan/error.h"
#include "winograd_algorithms.h"
#include "winograd_rules.h"

namespace tileplan {
namespace {

/// Returns the bytes of all tensors of `computation`.
double tensor_bytes(const Computation& computation) {
  double bytes = 0;
  for (const TensorAccess& tensor : computation.tensors)
    bytes +=
        static_cast<double>(footprint(tensor, extents_of(computation)) * tensor.element_bytes());
  return bytes;
}

}  // namespace

bool allows_winograd(const Problem& problem, double max_error) {
  return why_no_winograd(problem).empty() &&
         least_relative_error(std::get<ConvShape>(problem)) <= max_error;
}

void add_unplanned(std::vector<Unplanned>& groups, const SkippedLayer& layer) {
  const std::string kind = printable(layer.kind), reason = printable(layer.reason);
  auto found = std::ranges::find_if(
      groups, [&](const Unplanned& group) { return group.kind == kind && group.reason == reason; });
  if (found == groups.end()) found = groups.insert(groups.end(), {.kind = kind, .reason = reason});
  found->nodes.push_back(printable(layer.name));
  found->flops += layer.flops;
  found->bytes += layer.bytes;
}

SkippedLayer dropped_layer(const std::string& name, const Problem& problem,
                           const std::string& reason) {
  SkippedLayer layer{.name = name,
                     .kind = std::holds_alternative<GemmShape>(problem) ? "Gemm" : "Conv",
                     .reason = reason};
  try {
    const Computation computation = computation_of(problem);
    layer.flops = flops(computation);
    layer.bytes = tensor_bytes(computation);
  } catch (const Error&) {
    layer.flops = 0;
  }
  return layer;
}

LayerPlanner::LayerPlanner(const Machine& machine, const NetworkOptions& options)
    : machine_(machine), options_(options) {
  if (options.use_records && options.plan.verify > 0) records_ = open_records(options.records);
}

Plan LayerPlanner::plan_layer(const Problem& problem, const Epilogue& epilogue, int top,
                              Regime regime) {
  Options chosen = options_.plan;
  chosen.epilogue = epilogue;
  chosen.top = top;
  chosen.regime = regime;
  if (chosen.algorithm == Algorithm::winograd && !allows_winograd(problem, chosen.max_error))
    chosen.algorithm = Algorithm::direct;
  return records_ ? plan_with_records(problem, machine_, chosen, *records_, options_.records.note)
                  : plan(problem, machine_, chosen);
}

void count_operations(NetworkPlan& network) {
  std::ranges::stable_sort(network.unplanned, std::greater(),
                           [](const Unplanned& group) { return group.nodes.size(); });
  std::size_t count = 0;
  for (const Unplanned& group : network.unplanned)
    if (is_operation(group.kind)) count += group.nodes.size();
  network.operations = network.planned + static_cast<int>(count);
}

}  // namespace tileplan
