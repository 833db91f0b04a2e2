// SPDX-License-Identifier: Apache-2.0
// plan_network() plans every convolution and matrix product of a network or a list of layers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tileplan/graph.h"
#include "tileplan/plan.h"
#include "tileplan/records.h"
#include "tileplan/text.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Holds one distinct problem of a network.
struct NetworkLayer {
  std::string name = {};  ///< The first node of the layer, or its line in the list, has this name.
  std::vector<std::string> others = {};  ///< Later nodes have these names and the same work.
  int count = 1;                         ///< The network executes the layer this many times.
  Plan plan = {};
};

/// Groups nodes of one kind that have no plan for the same reason.
struct Unplanned {
  std::string kind = {};    ///< This text names the operator, such as "MaxPool".
  std::string reason = {};  ///< The reason is one sentence.
  std::vector<std::string> nodes = {};
  /// A multiply-add of a dropped convolution or product counts as 2. The sum is 0 if it is unknown.
  double flops = 0;
  double bytes = 0;  ///< The tensors of all nodes take this many bytes; 0 means unknown.
};

/// Describes a tensor that steps write and read.
struct NetworkBuffer {
  /// An `input` or an `output` of the network belongs to the caller of a run. An `arena` buffer is
  /// a part of the workspace, and a `constant` one belongs to the compiled network.
  enum class Place { arena, input, output, constant };

  int value = -1;  ///< This is the position in Graph::values.
  /// Tensors with fewer than three dimensions are nchw, which means row-major.
  Layout layout = Layout::nchw;
  std::int64_t bytes = 0;
  Place place = Place::arena;
  int index = -1;                     ///< This is the number of the input or output.
  std::int64_t offset = 0;            ///< The buffer begins at this byte of the arena.
  int first_step = 0, last_step = 0;  ///< The bytes of an arena buffer are in use in these steps.
};

/// Describes one step of a run: a node, or a conversion between layouts.
struct NetworkStep {
  std::string name = {};
  std::string kind = {};  ///< This is the kind of the node, or "Conversion".
  int node = -1;          ///< This is the position in the nodes of `rewritten`, or -1.
  int layer = -1;         ///< A kernel of this layer computes the step, if it is not -1.
  /// These are positions in NetworkPlan::buffers; an omitted input is -1.
  std::vector<int> inputs = {}, outputs = {};
  double seconds = 0;  ///< This is the predicted time.
  /// If true, the step has no work, because its output is its input or a part of one.
  bool in_place = false;
  /// This names the best other algorithm and layouts of the step, such as "direct, nhwc to nhwc".
  /// It is empty when there is none, or when NetworkOptions::second_best is not set.
  std::string second_best = {};
  double second_best_seconds = 0;  ///< With `second_best`, all steps take this predicted time.
};

/// Proves which algorithms and layouts are best for the predicted times of layers and conversions.
/// For each layer, the best schedule of each algorithm and pair of layouts is considered.
struct LayoutProof {
  double seconds = 0;  ///< All steps together are predicted to take this time.
  double bound = 0;    ///< No choices are predicted to take less; usually it equals `seconds`.
  /// The best plan with another choice for some node takes this time, or 0 if it is not known.
  double runner_up_seconds = 0;
  int conversions = 0;  ///< The plan has this many conversions between layouts.
};

/// Describes the memory of a run, without weights, inputs and outputs.
struct ArenaSize {
  std::int64_t bytes = 0;
  std::int64_t least_bytes = 0;  ///< The tensors of some step together have this many bytes.
};

struct NetworkPlan {
  std::string name = {};
  Machine machine = {};
  /// Layers have the order of their first nodes; there is at least one.
  std::vector<NetworkLayer> layers = {};
  std::vector<Unplanned> unplanned = {};  ///< The group with the most nodes comes first.
  int operations = 0;                     ///< The network has this many convolutions and products.
  int planned = 0;                        ///< This many of them have a plan in `layers`.
  /// Only plans of graphs have these members. The first graph is as given, and the second has fewer
  /// nodes.
  std::shared_ptr<const Graph> graph = {}, rewritten = {};
  std::vector<NetworkBuffer> buffers = {};
  std::vector<NetworkStep> steps = {};
  LayoutProof layouts = {};
  ArenaSize arena = {};
};

struct NetworkOptions {
  /// Algorithm::winograd computes layers directly that Winograd convolutions cannot compute, or
  /// only with an error above `max_error`.
  Options plan = {};
  /// Gives extents of model inputs that the file does not specify: {"input", {1, 3, 224, 224}}.
  std::map<std::string, std::vector<std::int64_t>> shapes = {};
  /// If true and the regime of `plan` is hot, the layers of a graph find other data in the caches,
  /// as much as the network has weights and results (Regime::network).
  bool as_in_network = true;
  /// If true, the best other choice of each step of a graph is found too, which takes longer.
  bool second_best = false;
  RecordsChoice records = {};
  bool use_records = true;  ///< If false, everything is measured again and nothing is stored.
  /// One thread at a time calls this with the number of planned and of all layers, unless it is
  /// empty. Layers are planned on all cores if nothing is measured.
  std::function<void(int done, int all)> progress = nullptr;
};

/// Plans each distinct layer of the file at `path`, which is a model (.onnx), a table (.csv) or a
/// verbose log of oneDNN (.log). Nodes that follow a layer become its epilogue if possible. Throws
/// Error with the file and the rule when the file cannot be read or has no layer to plan.
NetworkPlan plan_network(const std::string& path, const Machine& machine,
                         const NetworkOptions& options = {});

/// Plans each distinct layer of `graph` once, and chooses the algorithms of all layers and the
/// layouts of all tensors such that layers and conversions together take the least predicted time.
/// Nodes that are not understood have no plan; if there are any, the plan has no steps. Shapes in
/// `options` are not used. Throws Error when there is nothing to plan.
NetworkPlan plan_network(const Graph& graph, const Machine& machine,
                         const NetworkOptions& options = {});

/// Describes one line of a list of layers, or one distinct layer of a model.
struct ListedLayer {
  std::string name = {};
  Problem problem = {};
  int count = 1;  ///< The layer is executed this many times.
};

/// is_model() returns true when `path` ends in .onnx. is_network() returns true when `path` ends in
/// .onnx, .csv or .log.
bool is_model(const std::string& path);
bool is_network(const std::string& path);

/// Returns the layers of a model, table or log without plans. `shapes` gives extents of a model's
/// inputs that its file leaves unknown. Throws Error as plan_network() does.
std::vector<ListedLayer> layers_of(
    const std::string& path, const std::map<std::string, std::vector<std::int64_t>>& shapes = {});

/// Returns the shapes in texts such as "input=1x3x224x224", by name of the input. Throws Error with
/// the text and the rule.
std::map<std::string, std::vector<std::int64_t>> parse_shapes(
    const std::vector<std::string>& texts);

/// Returns sentences with the number of planned convolutions and products, the work of those
/// without a plan, and the nodes that are not counted.
std::string coverage_text(const NetworkPlan& network, TextStyle style = {});

/// Returns the text that `tileplan plan MODEL` prints: the coverage, the dropped convolutions and
/// products with their work, one row per layer, and the groups of nodes without a plan.
std::string to_text(const NetworkPlan& network, TextStyle style = {});

/// Returns lines with the layouts and the memory of a run, or nothing for a list of layers.
std::string network_text(const NetworkPlan& network);

/// Returns the JSON document that save_network() writes as index.json.
std::string to_json(const NetworkPlan& network);

/// Writes one plan file per layer and index.json into `folder`. Throws Error when it cannot.
void save_network(const NetworkPlan& network, const std::string& folder);

}  // namespace tileplan
