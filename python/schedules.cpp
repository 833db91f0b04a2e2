// SPDX-License-Identifier: Apache-2.0
// This file binds schedule.h and prediction.h to Python.
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "enum_names.h"
#include "tileplan/prediction.h"
#include "tileplan/schedule.h"

namespace tileplan::python {
namespace nb = nanobind;
namespace {

std::optional<std::string> isa_of(const Schedule& schedule) {
  if (!schedule.isa) return std::nullopt;
  return to_string(*schedule.isa);
}

void bind_loops(nb::module_& module) {
  nb::class_<Part>(module, "Part", "Consecutive blocks of one size.")
      .def_ro("times", &Part::times)
      .def_ro("size", &Part::size)
      .def(nb::self == nb::self, kEquality);
  nb::class_<Specifier>(module, "Specifier", "One loop of a schedule.")
      .def_prop_ro("kind", [](const Specifier& loop) { return name_of(loop.kind); })
      .def_ro("dim", &Specifier::dim)
      .def_ro("count", &Specifier::count)
      .def_ro("parts", &Specifier::parts)
      .def("__str__", [](const Specifier& loop) { return to_string(loop); })
      .def("__repr__", [](const Specifier& loop) { return to_string(loop); })
      .def(nb::self == nb::self, kEquality);
}

void bind_schedule(nb::module_& module) {
  nb::class_<Schedule>(module, "Schedule", "Loops and marks. str() gives the text form.")
      .def_ro("loops", &Schedule::loops)
      .def_prop_ro("in_", [](const Schedule& schedule) { return to_string(schedule.in); })
      .def_prop_ro("out", [](const Schedule& schedule) { return to_string(schedule.out); })
      .def_ro("pack_input", &Schedule::pack_input)
      .def_ro("pack_weights", &Schedule::pack_weights)
      .def_ro("weights_in_place", &Schedule::weights_in_place)
      .def_prop_ro("takes_plain_weights", &Schedule::takes_plain_weights)
      .def_ro("pack_output", &Schedule::pack_output)
      .def_ro("prefetch", &Schedule::prefetch)
      .def_ro("ahead", &Schedule::ahead)
      .def_ro("nontemporal", &Schedule::nontemporal)
      .def_prop_ro("isa", &isa_of)
      .def("__str__", [](const Schedule& schedule) { return to_string(schedule); })
      .def("__repr__",
           [](const Schedule& schedule) { return "Schedule(" + to_string(schedule) + ")"; })
      .def("__hash__",
           [](const Schedule& schedule) { return nb::hash(nb::str(to_string(schedule).c_str())); })
      .def(nb::self == nb::self, kEquality);
  module.def("parse_schedule", &parse_schedule, nb::arg("text"),
             "Return the schedule that a text describes.");
}

void bind_prediction(nb::module_& module) {
  nb::class_<LevelPrediction>(module, "LevelPrediction", "The traffic into one cache level.")
      .def_ro("name", &LevelPrediction::name)
      .def_ro("bytes", &LevelPrediction::bytes)
      .def_ro("seconds", &LevelPrediction::seconds)
      .def_ro("burst_seconds", &LevelPrediction::burst_seconds)
      .def(nb::self == nb::self, kEquality);
  nb::class_<Unhidden>(module, "Unhidden", "Times that overlap with nothing else, in seconds.")
      .def_ro("exposed", &Unhidden::exposed)
      .def_ro("packing", &Unhidden::packing)
      .def_ro("repack", &Unhidden::repack)
      .def_ro("fork", &Unhidden::fork)
      .def_ro("prefetching", &Unhidden::prefetching)
      .def("sum", &Unhidden::sum)
      .def(nb::self == nb::self, kEquality);
  nb::class_<Prediction>(module, "Prediction", "The predicted time of a schedule.")
      .def_ro("seconds", &Prediction::seconds)
      .def_ro("reduction_steps", &Prediction::reduction_steps)
      .def_ro("compute_seconds", &Prediction::compute_seconds)
      .def_ro("levels", &Prediction::levels)
      .def_ro("unhidden", &Prediction::unhidden)
      .def_ro("bottleneck", &Prediction::bottleneck)
      .def_ro("bound_bytes", &Prediction::bound_bytes)
      .def(nb::self == nb::self, kEquality);
}

}  // namespace

void bind_schedules(nb::module_& module) {
  bind_loops(module);
  bind_schedule(module);
  bind_prediction(module);
}

}  // namespace tileplan::python
