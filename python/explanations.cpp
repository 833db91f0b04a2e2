// SPDX-License-Identifier: Apache-2.0
// This file binds explain.h to Python.
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "tileplan/explain.h"

namespace tileplan::python {
namespace nb = nanobind;
namespace {

void bind_levels(nb::module_& module) {
  nb::class_<LevelTensor>(module, "LevelTensor", "One tensor at one cache level.")
      .def_ro("movement", &LevelTensor::movement)
      .def_ro("bytes", &LevelTensor::bytes);
  nb::class_<LevelExplanation>(module, "LevelExplanation", "What one cache holds and loads.")
      .def_ro("cache", &LevelExplanation::cache)
      .def_ro("tile", &LevelExplanation::tile)
      .def_ro("tensors", &LevelExplanation::tensors)
      .def_ro("required", &LevelExplanation::required)
      .def_ro("capacity", &LevelExplanation::capacity)
      .def_ro("limit", &LevelExplanation::limit)
      .def_ro("holds_tile", &LevelExplanation::holds_tile)
      .def_ro("holds_problem", &LevelExplanation::holds_problem)
      .def_ro("slowness", &LevelExplanation::slowness)
      .def_ro("least_loads", &LevelExplanation::least_loads)
      .def_ro("bound_bytes", &LevelExplanation::bound_bytes)
      .def_prop_ro("footprint", &LevelExplanation::footprint)
      .def_prop_ro("moved_bytes", &LevelExplanation::moved_bytes)
      .def_prop_ro("distance", &LevelExplanation::distance);
}

void bind_compute(nb::module_& module) {
  nb::class_<MicrokernelCalls>(module, "MicrokernelCalls", "The calls of one microkernel.")
      .def_ro("pixels", &MicrokernelCalls::pixels)
      .def_ro("vectors", &MicrokernelCalls::vectors)
      .def_ro("calls", &MicrokernelCalls::calls)
      .def_ro("steps", &MicrokernelCalls::steps)
      .def_ro("cycles_per_step", &MicrokernelCalls::cycles_per_step)
      .def_ro("cycles_per_call", &MicrokernelCalls::cycles_per_call)
      .def_ro("call_cycles", &MicrokernelCalls::call_cycles)
      .def_ro("run_cycles", &MicrokernelCalls::run_cycles)
      .def_ro("dispatch_cycles", &MicrokernelCalls::dispatch_cycles)
      .def_prop_ro("cycles", &MicrokernelCalls::cycles);
  nb::class_<RepackSeconds>(module, "RepackSeconds", "Times of transposing activations.")
      .def_ro("input", &RepackSeconds::input)
      .def_ro("output", &RepackSeconds::output);
}

}  // namespace

void bind_explanations(nb::module_& module) {
  bind_levels(module);
  bind_compute(module);
  nb::class_<Explanation>(module, "Explanation", "Where the bytes and the time of a schedule go.")
      .def_ro("problem", &Explanation::problem)
      .def_ro("machine", &Explanation::machine)
      .def_ro("candidate", &Explanation::candidate)
      .def_ro("levels", &Explanation::levels)
      .def_ro("compute", &Explanation::compute)
      .def_ro("repack", &Explanation::repack)
      .def_ro("peak_seconds", &Explanation::peak_seconds)
      .def_ro("stored_share", &Explanation::stored_share)
      .def_ro("rejected", &Explanation::rejected)
      .def("to_json", [](const Explanation& explanation) { return to_json(explanation); })
      .def("__str__", [](const Explanation& explanation) { return to_text(explanation); })
      .def("__repr__", [](const Explanation& explanation) {
        return "Explanation(" + name_of(explanation.problem) + ", " +
               format_seconds(explanation.candidate.prediction.seconds) + ", bottleneck " +
               explanation.candidate.prediction.bottleneck + ")";
      });
  module.def("explain", &explain, nb::arg("problem"), nb::arg("machine"), nb::arg("schedule"),
             nb::arg("options"), nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace tileplan::python
