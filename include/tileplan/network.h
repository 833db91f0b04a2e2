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

/// Holds a problem of a network with one chosen kernel for it, which several nodes may share.
struct NetworkLayer {
  std::string name = {};  ///< Names the first node of the layer, or its line in the list.
  std::vector<std::string> others = {};  ///< Names the other nodes that use the same kernel.
  int count = 1;                         ///< Counts how often the network executes the layer.
  Plan plan = {};
};

/// Groups nodes of one kind that have no plan for the same reason.
struct Unplanned {
  std::string kind = {};    ///< Names the operator, or is "lines" for skipped lines of a log.
  std::string reason = {};  ///< Gives the reason as one sentence.
  std::vector<std::string> nodes = {};
  /// Sums the operations of the nodes whose work is known, where a multiply-add counts as 2. It is
  /// 0 if there are none.
  double flops = 0;
  double bytes = 0;  ///< Sums the bytes of the nodes' tensors; 0 means unknown.
};

/// Describes a tensor that steps of a run write or read.
struct NetworkBuffer {
  /// An `input` or an `output` of the network belongs to the caller of a run. An `arena` buffer is
  /// a part of the workspace, and a `constant` one belongs to the compiled network.
  enum class Place { arena, input, output, constant };

  int value = -1;  ///< Gives the position of the tensor in Graph::values.
  /// Names the layout. Tensors with fewer than three dimensions are row-major in every layout.
  Layout layout = Layout::nchw;
  std::int64_t bytes = 0;
  Place place = Place::arena;
  int index = -1;           ///< Numbers the input or output of the network.
  std::int64_t offset = 0;  ///< Gives the byte of the arena at which the buffer begins.
  /// Give the first and the last step that use the bytes of an arena buffer.
  int first_step = 0, last_step = 0;
};

/// Describes one step of a run: a node, or a conversion between layouts.
struct NetworkStep {
  std::string name = {};
  /// Holds the kind of the node, or "Conversion" or, if both layouts have the same order, "Copy".
  std::string kind = {};
  int node = -1;   ///< Gives the position in the nodes of `rewritten`, or -1.
  int layer = -1;  ///< Gives the layer whose kernel computes the step, or -1.
  /// Hold positions in NetworkPlan::buffers; -1 stands for an omitted input or output.
  std::vector<int> inputs = {}, outputs = {};
  double seconds = 0;  ///< Gives the predicted time, or the kernel's measured time if there is one.
  /// Tells whether the step has no work, because its output shares the memory of its inputs and
  /// already holds their elements.
  bool in_place = false;
  /// Names the best other algorithm and layouts of the step, such as "direct, nhwc to nhwc". It is
  /// empty when there is no other, or when NetworkOptions::second_best is not set.
  std::string second_best = {};
  /// Gives the time that the whole network would take (LayoutProof::seconds) if this step used
  /// `second_best`.
  double second_best_seconds = 0;
};

/// Proves which algorithms and layouts have the least time of layers and conversions together. For
/// each layer, the best schedule of each algorithm and pair of layouts is considered. Schedules
/// that are predicted to take over 1.5 times as long as the fastest may be left out.
struct LayoutProof {
  double seconds = 0;  ///< Gives the sum of NetworkStep::seconds over all steps.
  /// Bounds the time of every choice from below. It equals `seconds` unless the exact search would
  /// have taken too much memory.
  double bound = 0;
  /// Gives the time of the best plan with another choice for some node, or 0 if there is no such
  /// plan or its time is not known.
  double runner_up_seconds = 0;
  int conversions = 0;  ///< Counts the conversions between layouts.
};

/// Describes the memory of a run, without weights, inputs and outputs.
struct ArenaSize {
  std::int64_t bytes = 0;
  /// Gives the largest number of bytes in use in one step, which no placement can go below.
  std::int64_t least_bytes = 0;
};

struct NetworkPlan {
  std::string name = {};
  Machine machine = {};
  /// Lists the layers in the order of their first nodes; there is at least one.
  std::vector<NetworkLayer> layers = {};
  /// Lists the groups, starting with the one with most nodes.
  std::vector<Unplanned> unplanned = {};
  int operations = 0;  ///< Counts the convolutions and matrix products of the network.
  int planned = 0;  ///< Counts the convolutions and matrix products that have a plan in `layers`.
  /// Hold the graph as it was given, and the rewritten graph, which usually has fewer nodes. Lists
  /// of layers have no graphs, buffers or steps.
  std::shared_ptr<const Graph> graph = {}, rewritten = {};
  std::vector<NetworkBuffer> buffers = {};
  std::vector<NetworkStep> steps = {};
  LayoutProof layouts = {};
  ArenaSize arena = {};
};

struct NetworkOptions {
  /// Applies to each layer, but the nodes of a graph determine the epilogues of its layers. With
  /// Algorithm::winograd, layers are computed directly if Winograd convolutions cannot compute them
  /// within `max_error`.
  Options plan = {};
  /// Gives shapes of model inputs, such as {"input", {1, 3, 224, 224}}. A given shape replaces the
  /// whole shape in the file, whose extents may be unknown.
  std::map<std::string, std::vector<std::int64_t>> shapes = {};
  /// If true and the regime of `plan` is hot, the layers of a graph are planned for caches that the
  /// other layers have filled with their weights and results (Regime::network).
  bool as_in_network = true;
  /// If true, fills NetworkStep::second_best, which takes longer.
  bool second_best = false;
  RecordsChoice records = {};
  /// If false, stored measurements are not used, and new ones are not stored.
  bool use_records = true;
  /// If not empty, one thread at a time calls this function with the number of layers that are
  /// planned so far and of all layers. The layers of a model are planned on all cores if nothing is
  /// measured, and all other layers one after another.
  std::function<void(int done, int all)> progress = nullptr;
};

/// Plans the layers of the file at `path`, which is a model (.onnx), a table (.csv) or a verbose
/// log of oneDNN or lines of benchdnn (.log). Nodes that follow a layer become its epilogue if
/// possible. Layers that plan() refuses have no plan. Throws Error with the file and the rule when
/// the file cannot be read, when shapes are given for anything but a model, or when no layer has a
/// plan. If layers are measured and records used, throws Error too where open_records() does.
NetworkPlan plan_network(const std::string& path, const Machine& machine,
                         const NetworkOptions& options = {});

/// Plans each distinct layer of `graph` once, and chooses the algorithms of all layers and the
/// layouts of all tensors such that layers and conversions together take the least predicted time.
/// Nodes that are not understood have no plan; if there are any, the plan has no steps. Shapes in
/// `options` are not used. Throws Error when no layer has a plan and, if layers are measured and
/// records used, where open_records() does.
NetworkPlan plan_network(const Graph& graph, const Machine& machine,
                         const NetworkOptions& options = {});

/// Describes one line of a table, or one distinct layer of a model or a log.
struct ListedLayer {
  std::string name = {};
  Problem problem = {};
  int count = 1;  ///< Counts how often the layer is executed.
};

/// Return true when `path` ends in .onnx (is_model), or in .onnx, .csv or .log (is_network).
bool is_model(const std::string& path);
bool is_network(const std::string& path);

/// Returns the layers of a model, table or log without plans. `shapes` gives shapes of a model's
/// inputs, as NetworkOptions::shapes does, and is not used for tables and logs. Throws Error with
/// the file and the rule when the file cannot be read.
std::vector<ListedLayer> layers_of(
    const std::string& path, const std::map<std::string, std::vector<std::int64_t>>& shapes = {});

/// Returns the shapes in texts such as "input=1x3x224x224", by name of the input. Throws Error with
/// the text and the rule.
std::map<std::string, std::vector<std::int64_t>> parse_shapes(
    const std::vector<std::string>& texts);

/// Returns sentences with the number of planned convolutions and products, the work of those
/// without a plan, and the nodes that are not counted.
std::string coverage_text(const NetworkPlan& network, TextStyle style = {});

/// Returns the text that `tileplan plan MODEL` prints: coverage_text(), the times of all layers
/// together, network_text(), one row per layer, and the groups of other nodes without a plan.
/// Requires at least one layer.
std::string to_text(const NetworkPlan& network, TextStyle style = {});

/// Returns lines with the layouts and the memory of a run, or an empty text if the plan has no
/// steps.
std::string network_text(const NetworkPlan& network);

/// Returns the JSON document that save_network() writes as index.json.
std::string to_json(const NetworkPlan& network);

/// Writes one plan file per layer and index.json into `folder`, which is created if it is missing.
/// Throws Error when the folder cannot be created or a file cannot be written.
void save_network(const NetworkPlan& network, const std::string& folder);

}  // namespace tileplan
