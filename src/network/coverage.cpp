// SPDX-License-Identifier: Apache-2.0
// This file describes which nodes of a network have plans and which have none.
#include "coverage.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tileplan {

bool is_operation(const std::string& kind) {
  constexpr std::array<std::string_view, 11> kOperations{
      "Conv",          "ConvInteger", "ConvTranspose", "DeformConv",  "Gemm",  "MatMul",
      "MatMulInteger", "QLinearConv", "QLinearMatMul", "MatMulNBits", "Einsum"};
  return std::ranges::find(kOperations, kind) != kOperations.end();
}

std::string covered_text(const NetworkPlan& network) {
  const std::string all = std::to_string(network.operations);
  if (network.operations == 1 && network.planned == 1)
    return "The plan covers the only convolution or product.";
  if (network.planned == network.operations)
    return "The plan covers all " + all + " convolutions and products.";
  return "The plan covers " + std::to_string(network.planned) + " of " + all +
         " convolutions and products.";
}

std::string not_counted_text(const NetworkPlan& network) {
  std::size_t nodes = 0;
  std::vector<std::pair<std::string, std::size_t>> kinds;
  for (const Unplanned& group : network.unplanned) {
    nodes += group.nodes.size();
    const auto found =
        std::ranges::find(kinds, group.kind, [](const auto& one) { return one.first; });
    if (found == kinds.end())
      kinds.emplace_back(group.kind, group.nodes.size());
    else
      found->second += group.nodes.size();
  }
  if (nodes == 0) return "";
  std::string list;
  for (const auto& [kind, count] : kinds)
    list += (list.empty() ? "" : ", ") + std::to_string(count) + " " + kind;
  return "The time and the bytes of " + std::to_string(nodes) +
         (nodes == 1 ? " node are" : " nodes are") + " not counted: " + list + ".";
}

std::string dropped_text(const Unplanned& group) {
  const std::string work =
      group.flops > 0 ? with_prefix(group.flops, "flop") + ", " + with_prefix(group.bytes, "B")
                      : "work unknown";
  const std::string names = node_names(group);
  return std::to_string(group.nodes.size()) + " " + group.kind +
         (group.nodes.size() == 1 ? " has" : " have") + " no plan (" +
         (names.empty() ? "" : names + "; ") + work + "): " + group.reason;
}

std::string nothing_to_plan_text(const std::vector<Unplanned>& groups) {
  const std::string text = "nothing to plan; ";
  const auto layer =
      std::ranges::find_if(groups, [](const Unplanned& group) { return is_operation(group.kind); });
  if (layer != groups.end()) return text + dropped_text(*layer);
  return text + "must have a convolution or a product" +
         (groups.empty() ? "" : " (" + groups.back().reason + ")");
}

std::string node_names(const Unplanned& group) {
  constexpr std::size_t kNamed = 3;
  std::string text;
  std::size_t named = 0;
  for (const std::string& node : group.nodes) {
    if (node.empty() || named == kNamed) continue;
    text += (named++ == 0 ? "" : ", ") + node;
  }
  if (named > 0 && group.nodes.size() > named)
    text += " and " + std::to_string(group.nodes.size() - named) + " more";
  return text;
}

nlohmann::ordered_json unplanned_json(const std::vector<Unplanned>& groups) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Unplanned& group : groups)
    list.push_back({{"kind", group.kind},
                    {"reason", group.reason},
                    {"nodes", group.nodes},
                    {"flops", group.flops > 0 ? nlohmann::ordered_json(group.flops) : nullptr},
                    {"bytes", group.bytes > 0 ? nlohmann::ordered_json(group.bytes) : nullptr}});
  return list;
}

}  // namespace tileplan
