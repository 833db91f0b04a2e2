// SPDX-License-Identifier: Apache-2.0
// plan_network() plans every convolution and matrix product of a model or a list of layers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tileplan/plan.h"
#include "tileplan/records.h"
#include "tileplan/text.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// One distinct problem of a network.
struct NetworkLayer {
  std::string name = {};                 ///< the first node, or the name in the list
  std::vector<std::string> others = {};  ///< later nodes with the same work
  int count = 1;                         ///< executions in the network
  Plan plan = {};
};

/// Nodes of one kind that have no plan, and why.
struct Unplanned {
  std::string kind = {};    ///< the operator: "MaxPool", "Gemm"
  std::string reason = {};  ///< one sentence
  std::vector<std::string> nodes = {};
  double flops = 0;  ///< 2 per multiply-add of a dropped convolution or product; 0: unknown or none
  double bytes = 0;  ///< of its tensors; 0: unknown
};

struct NetworkPlan {
  std::string name = {};
  Machine machine = {};
  std::vector<NetworkLayer> layers = {};  ///< in the order of their first nodes, never empty
  std::vector<Unplanned> unplanned = {};  ///< grouped by kind and reason, most nodes first
  int operations = 0;                     ///< convolutions and products of the network
  int planned = 0;                        ///< those of them that `layers` cover
};

struct NetworkOptions {
  Options plan = {};
  /// Extents of model inputs that the file leaves open: {"input", {1, 3, 224, 224}}.
  std::map<std::string, std::vector<std::int64_t>> shapes = {};
  RecordsChoice records = {};
  bool use_records = true;  ///< false measures everything again and stores nothing
  /// Called before each layer with the layers done and their number. An empty function is not
  /// called.
  std::function<void(int done, int all)> progress = nullptr;
};

/// Plans each distinct layer of `path`: a model (.onnx), a table (.csv), or a verbose log of oneDNN
/// (.log). Epilogues come from the nodes that follow a layer. Throws Error with the file and the
/// rule when it cannot be read or has nothing to plan.
NetworkPlan plan_network(const std::string& path, const Machine& machine,
                         const NetworkOptions& options = {});

/// One line of a list of layers, or one distinct layer of a model.
struct ListedLayer {
  std::string name = {};
  Problem problem = {};
  int count = 1;  ///< executions
};

/// Return true when the name of `path` is that of a model (.onnx), and when it is that of a model,
/// a table (.csv) or a log (.log).
bool is_model(const std::string& path);
bool is_network(const std::string& path);

/// Returns the layers of such a file without planning them. Throws Error as plan_network() does.
std::vector<ListedLayer> layers_of(const std::string& path);

/// Returns the shapes in texts such as "input=1x3x224x224". Throws Error with the text and the
/// rule.
std::map<std::string, std::vector<std::int64_t>> parse_shapes(
    const std::vector<std::string>& texts);

/// Returns how many convolutions and products have plans, those that have none with their work, and
/// the nodes that are not counted.
std::string coverage_text(const NetworkPlan& network, TextStyle style = {});

/// Returns what `tileplan plan MODEL` prints: the coverage, dropped convolutions and products with
/// their work, one row per layer, and the groups of nodes without a plan.
std::string to_text(const NetworkPlan& network, TextStyle style = {});

/// Returns the JSON document that save_network() writes as index.json.
std::string to_json(const NetworkPlan& network);

/// Writes one plan file per layer and index.json into `folder`. Throws Error.
void save_network(const NetworkPlan& network, const std::string& folder);

}  // namespace tileplan
