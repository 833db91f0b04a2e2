// SPDX-License-Identifier: Apache-2.0
// This file binds candidate.h, plan.h and verify() to Python.
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "enum_names.h"
#include "interrupt.h"
#include "tileplan/plan.h"
#include "tileplan/text.h"

namespace tileplan::python {
namespace nb = nanobind;
namespace {

double seconds_of(const Candidate& candidate) {
  return candidate.measurement ? candidate.measurement->median_seconds
                               : candidate.prediction.seconds;
}

void bind_candidate(nb::module_& module) {
  nb::class_<Measurement>(module, "Measurement", "Times of one schedule.")
      .def_ro("median_seconds", &Measurement::median_seconds)
      .def_ro("low_seconds", &Measurement::low_seconds)
      .def_ro("high_seconds", &Measurement::high_seconds)
      .def_ro("kept", &Measurement::kept)
      .def_ro("samples", &Measurement::samples)
      .def_ro("times", &Measurement::times)
      .def_ro("taken", &Measurement::taken)
      .def("__repr__",
           [](const Measurement& measurement) {
             return "Measurement(" + format_seconds(measurement.median_seconds) + ", " +
                    std::to_string(measurement.kept) + " samples)";
           })
      .def(nb::self == nb::self, kEquality);
  nb::class_<Candidate>(module, "Candidate", "A schedule, its prediction and its measurement.")
      .def_ro("schedule", &Candidate::schedule)
      .def_ro("prediction", &Candidate::prediction)
      .def_ro("measurement", &Candidate::measurement)
      .def_prop_ro("seconds", &seconds_of, "The measured or else the predicted seconds.")
      .def("__repr__",
           [](const Candidate& candidate) {
             return "Candidate(" + format_seconds(seconds_of(candidate)) + ", " +
                    to_string(candidate.schedule) + ")";
           })
      .def(nb::self == nb::self, kEquality);
}

void bind_certificate(nb::module_& module) {
  nb::class_<PerLevelProof>(module, "PerLevelProof", "The optimum of the per-level model.")
      .def_ro("optimum", &PerLevelProof::optimum)
      .def_ro("bound", &PerLevelProof::bound)
      .def_ro("solved", &PerLevelProof::solved)
      .def_ro("pruned", &PerLevelProof::pruned)
      .def_ro("unsolved", &PerLevelProof::unsolved);
  nb::class_<Divisibility>(module, "Divisibility", "Traffic due to tile sizes that must divide.")
      .def_ro("level", &Divisibility::level)
      .def_ro("divisors", &Divisibility::divisors)
      .def_ro("any", &Divisibility::any)
      .def_ro("any_bound", &Divisibility::any_bound);
  nb::class_<Certificate>(module, "Certificate", "How close a plan is to the optimum.")
      .def_ro("space", &Certificate::space)
      .def_ro("optimum", &Certificate::optimum)
      .def_ro("bottleneck", &Certificate::bottleneck)
      .def_ro("bound", &Certificate::bound)
      .def_ro("nodes", &Certificate::nodes)
      .def_ro("gap", &Certificate::gap)
      .def_ro("per_level", &Certificate::per_level)
      .def_ro("divisibility", &Certificate::divisibility);
  nb::class_<Rejected>(module, "Rejected", "A count of rejected candidates and the reason.")
      .def_ro("reason", &Rejected::reason)
      .def_ro("count", &Rejected::count);
  nb::class_<Failure>(module, "Failure", "A candidate that could not be measured.")
      .def_ro("schedule", &Failure::schedule)
      .def_ro("reason", &Failure::reason);
}

std::string repr_of(const Plan& plan) {
  std::string text = "Plan(" + name_of(plan.problem) + " on " + plan.machine.name;
  if (!plan.candidates.empty())
    text += ", " + std::to_string(plan.candidates.size()) + " candidates, best " +
            format_seconds(seconds_of(plan.candidates.front()));
  return text + ")";
}

void bind_plan(nb::module_& module) {
  nb::class_<Plan>(module, "Plan", "A ranked list of candidates; the first one is the choice.")
      .def_ro("problem", &Plan::problem)
      .def_ro("machine", &Plan::machine)
      .def_ro("options", &Plan::options)
      .def_ro("candidates", &Plan::candidates)
      .def_ro("rejected", &Plan::rejected)
      .def_ro("failures", &Plan::failures)
      .def_prop_ro("verdict", [](const Plan& plan) { return name_of(plan.verdict); })
      .def_ro("certificate", &Plan::certificate)
      .def_ro("flops", &Plan::flops)
      .def_ro("plan_seconds", &Plan::plan_seconds)
      .def_ro("measure_seconds", &Plan::measure_seconds)
      .def_ro("waiting_seconds", &Plan::waiting_seconds)
      .def("to_json", [](const Plan& plan) { return to_json(plan); })
      .def("__str__", [](const Plan& plan) { return to_text(plan); })
      .def("__repr__", &repr_of)
      .def(nb::self == nb::self, kEquality);
}

}  // namespace

void bind_plans(nb::module_& module) {
  bind_candidate(module);
  bind_certificate(module);
  bind_plan(module);
  module.def(
      "plan",
      [](const Problem& problem, const Machine& machine, const Options& options) {
        return interruptible([&] { return plan(problem, machine, options); });
      },
      nb::arg("problem"), nb::arg("machine"), nb::arg("options"));
  module.def(
      "plan_conv",
      [](const ConvShape& shape, const Machine& machine, const Options& options) {
        return interruptible([&] { return plan_conv(shape, machine, options); });
      },
      nb::arg("shape"), nb::arg("machine"), nb::arg("options"));
  module.def(
      "plan_gemm",
      [](const GemmShape& shape, const Machine& machine, const Options& options) {
        return interruptible([&] { return plan_gemm(shape, machine, options); });
      },
      nb::arg("shape"), nb::arg("machine"), nb::arg("options"));
  module.def("plan_of", &plan_of, nb::arg("problem"), nb::arg("machine"), nb::arg("schedule"),
             nb::arg("options"));
  module.def(
      "verify", [](const Plan& given) { return interruptible([&] { return verify(given); }); },
      nb::arg("plan"), "Return the plan with its first options.verify candidates measured.");
  module.def("save_plan", &save_plan, nb::arg("plan"), nb::arg("path"), "Write a plan as JSON.");
  module.def("load_plan", &load_plan, nb::arg("path"), "Return the plan that save_plan() wrote.");
  module.def("format_seconds", &format_seconds, nb::arg("seconds"), "Return \"1.234 ms\".");
}

}  // namespace tileplan::python
