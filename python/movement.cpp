// SPDX-License-Identifier: Apache-2.0
// This file binds movement.h to Python.
#include "tileplan/movement.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "structs.h"

namespace tileplan::python {
namespace nb = nanobind;
namespace {

using Sizes = std::map<std::string, std::int64_t>;

void bind_counts(nb::module_& module) {
  bind_struct<&LoopExtent::name, &LoopExtent::extent>(module, "A loop of a problem and its extent.")
      .def("__repr__",
           [](const LoopExtent& loop) { return loop.name + "=" + std::to_string(loop.extent); });
  bind_struct<&TensorMovement::tensor, &TensorMovement::footprint, &TensorMovement::volume>(
      module, "The elements of a tensor that are loaded.")
      .def("__repr__", [](const TensorMovement& moved) {
        return "TensorMovement(" + moved.tensor + ", footprint " + std::to_string(moved.footprint) +
               ", volume " + std::to_string(moved.volume) + ")";
      });
}

void bind_bounds(nb::module_& module) {
  bind_struct<&LowerBound::lb1, &LowerBound::lb2, &LowerBound::compulsory, &LowerBound::bound,
              &LowerBound::bytes>(module, "What any schedule loads into a fast memory.")
      .def("__repr__", [](const LowerBound& bound) {
        return "LowerBound(" + std::to_string(bound.bound) + " elements)";
      });
  bind_struct<&LoopOrderClass::name, &LoopOrderClass::order>(module,
                                                             "Loop orders that move equally much.")
      .def("__repr__",
           [](const LoopOrderClass& each) { return "LoopOrderClass(" + each.name + ")"; });
  bind_struct<&LoopOrderClasses::signatures, &LoopOrderClasses::classes>(
      module, "The classes of a problem.")
      .def("__repr__", [](const LoopOrderClasses& all) {
        std::string text;
        for (const LoopOrderClass& each : all.classes)
          text += (text.empty() ? "" : ", ") + each.name;
        return "LoopOrderClasses(" + text + ")";
      });
}

}  // namespace

void bind_movement(nb::module_& module) {
  bind_counts(module);
  bind_bounds(module);
  module.def("loops_of", &loops_of, nb::arg("problem"), "Return the loops of a problem.");
  module.def(
      "movement",
      [](const Problem& problem, const std::vector<std::string>& order, const Sizes& tile,
         const Sizes& box, bool clip) {
        return movement(problem, {.order = order, .tile = tile, .box = box, .clip = clip});
      },
      nb::arg("problem"), nb::arg("order"), nb::arg("tile"), nb::arg("box"), nb::arg("clip"));
  module.def("lower_bound", &lower_bound, nb::arg("problem"), nb::arg("capacity"),
             nb::call_guard<nb::gil_scoped_release>());
  module.def("loop_order_classes", &loop_order_classes, nb::arg("problem"),
             nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace tileplan::python
