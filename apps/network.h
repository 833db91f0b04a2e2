// SPDX-License-Identifier: Apache-2.0
// Verbs that plan a problem also take a network: an ONNX model, or a file that lists layers.
#pragma once

#include "flags.h"
#include "network_page.h"
#include "onnx_graph.h"
#include "workload.h"

namespace tileplan {

/// Returns the plan of `problem` with its best `options.verify` candidates measured. The records of
/// `flags` provide measurements and take new ones.
Plan plan_with_records(const Problem& problem, const Machine& machine, Options options,
                       const PlanFlags& flags);

/// Returns true when the name of `subject` ends in .csv or .log.
bool is_layer_file(const std::string& subject);

/// Returns the layers of a table, or of a log of oneDNN with the number of their executions.
std::vector<WorkloadLayer> layers_of(const std::string& path);

bool is_model(const std::string& subject);

/// Throws Error when shapes of inputs are given and the subject is no model.
void require_no_shapes(const PlanFlags& flags);

struct ModelPlan {
  OnnxLayer layer;
  Plan plan;
};

struct PlannedModel {
  std::vector<ModelPlan> layers;
  std::vector<Unplanned> unplanned;  ///< They are no layers, or cannot run.
};

/// Plans each distinct layer of the model `flags.problem`. Throws Error as read_onnx() does, and
/// when there is no layer.
PlannedModel plan_layers(const PlanFlags& flags, const Machine& machine);

struct PlannedLayer {
  std::string name;
  Plan plan;
  int count = 1;  ///< The network executes the layer so many times.
};

/// Returns the network that a report of the file at `path` is about.
Network network_of(const std::string& path, const std::vector<PlannedLayer>& layers,
                   const std::vector<Unplanned>& unplanned = {});
Network network_of(const std::string& path, const PlannedModel& model);

/// Prints one line per layer of a model, or one JSON document. Writes one plan file per layer and
/// index.json into the folder `save`, unless `save` is empty.
void plan_model(const PlanFlags& flags, const std::string& save);

}  // namespace tileplan
