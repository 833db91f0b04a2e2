// SPDX-License-Identifier: Apache-2.0
// This file binds schedule.h and prediction.h to Python.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "enum_names.h"
#include "structs.h"
#include "tileplan/prediction.h"
#include "tileplan/schedule.h"

namespace tileplan::python {
namespace nb = nanobind;
namespace {

std::optional<std::array<std::int64_t, 2>> tile_of(const Schedule& schedule) {
  if (!schedule.winograd) return std::nullopt;
  return schedule.winograd->outputs;
}

void bind_loops(nb::module_& module) {
  bind_struct<&Part::times, &Part::size>(module, "Consecutive blocks of one size.");
  bind_struct<&Specifier::dim, &Specifier::count, &Specifier::parts>(module,
                                                                     "One loop of a schedule.")
      .def_prop_ro("kind", [](const Specifier& loop) { return name_of(loop.kind); })
      .def("__str__", [](const Specifier& loop) { return to_string(loop); })
      .def("__repr__", [](const Specifier& loop) { return to_string(loop); });
}

void bind_schedule(nb::module_& module) {
  bind_struct<&Schedule::loops, &Schedule::pack_input, &Schedule::pack_weights,
              &Schedule::weights_in_place, &Schedule::pack_output, &Schedule::prefetch,
              &Schedule::ahead, &Schedule::nontemporal, &Schedule::widen>(
      module, "Loops and marks. str() gives the text form.")
      .def_prop_ro("in_", [](const Schedule& schedule) { return to_string(schedule.in); })
      .def_prop_ro("out", [](const Schedule& schedule) { return to_string(schedule.out); })
      .def_prop_ro("takes_plain_weights", &Schedule::takes_plain_weights)
      .def_prop_ro("isa", [](const Schedule& schedule) { return text_of(schedule.isa); })
      .def_prop_ro("winograd", &tile_of, "The outputs of a tile: [4, 4] for winograd=4x4, or None.")
      .def("__str__", [](const Schedule& schedule) { return to_string(schedule); })
      .def("__repr__",
           [](const Schedule& schedule) { return "Schedule(" + to_string(schedule) + ")"; })
      .def("__hash__",
           [](const Schedule& schedule) { return nb::hash(nb::str(to_string(schedule).c_str())); });
  module.def("parse_schedule", &parse_schedule, nb::arg("text"),
             "Return the schedule that a text describes.");
}

void bind_prediction(nb::module_& module) {
  bind_struct<&LevelPrediction::name, &LevelPrediction::bytes, &LevelPrediction::seconds,
              &LevelPrediction::burst_seconds>(module, "The traffic into one cache level.");
  bind_struct<&Unhidden::exposed, &Unhidden::packing, &Unhidden::repack, &Unhidden::fork,
              &Unhidden::prefetching>(module, "Times that overlap with nothing else, in seconds.")
      .def("sum", &Unhidden::sum);
  bind_struct<&StagePrediction::name, &StagePrediction::seconds, &StagePrediction::compute_seconds,
              &StagePrediction::levels>(module, "A stage of a Winograd convolution.");
  bind_struct<&Prediction::seconds, &Prediction::reduction_steps, &Prediction::compute_seconds,
              &Prediction::levels, &Prediction::stages, &Prediction::relative_error,
              &Prediction::unhidden, &Prediction::bottleneck, &Prediction::bound_bytes>(
      module, "The predicted time of a schedule.");
}

}  // namespace

void bind_schedules(nb::module_& module) {
  bind_loops(module);
  bind_schedule(module);
  bind_prediction(module);
}

}  // namespace tileplan::python
