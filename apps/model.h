// SPDX-License-Identifier: Apache-2.0
// ONNX models as subjects of verbs.
#pragma once

#include <string>

#include "flags.h"
#include "network_page.h"
#include "onnx_graph.h"
#include "verbs.h"

namespace tileplan {

/// True when `subject` is the name of a model file.
bool is_model(const std::string& subject);

/// Throws Error when shapes of inputs are given and the subject is no model.
void require_no_shapes(const PlanFlags& flags);

/// One of the layers of a model that were planned.
struct ModelPlan {
  OnnxLayer layer;
  Plan plan;
};

struct PlannedModel {
  std::vector<ModelPlan> layers;
  std::vector<Unplanned> unplanned;  ///< nodes that are no layer, and layers that cannot run
};

/// Plans each distinct layer of the model `flags.problem`. Throws Error as read_onnx, and when
/// there is no layer.
PlannedModel planned_model(const PlanFlags& flags, const Machine& machine);

/// The network that the report is about.
Network network_of(const PlannedModel& model, const std::string& path);

/// `plan MODEL.onnx`: one line per layer, or one JSON document; with a folder `save`, one plan file
/// per layer and index.json there.
Status plan_model(const PlanFlags& flags, const std::string& save);

}  // namespace tileplan
