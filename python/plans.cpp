// SPDX-License-Identifier: Apache-2.0
// This file binds candidate.h, plan.h, verify() and format_seconds() to Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "enum_names.h"
#include "interrupt.h"
#include "structs.h"
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
  bind_struct<&Measurement::median_seconds, &Measurement::low_seconds, &Measurement::high_seconds,
              &Measurement::kept, &Measurement::samples, &Measurement::times, &Measurement::taken,
              &Measurement::peak_flops>(module, "Times of one schedule.")
      .def("__repr__", [](const Measurement& measurement) {
        return "Measurement(" + format_seconds(measurement.median_seconds) + ", " +
               std::to_string(measurement.kept) + " samples)";
      });
  bind_struct<&Candidate::schedule, &Candidate::prediction, &Candidate::measurement>(
      module, "A schedule, its prediction and its measurement.")
      .def_prop_ro("seconds", &seconds_of, "The measured or else the predicted seconds.")
      .def("__repr__", [](const Candidate& candidate) {
        return "Candidate(" + format_seconds(seconds_of(candidate)) + ", " +
               to_string(candidate.schedule) + ")";
      });
}

void bind_certificate(nb::module_& module) {
  bind_struct<&PerLevelProof::optimum, &PerLevelProof::bound, &PerLevelProof::solved,
              &PerLevelProof::pruned, &PerLevelProof::unsolved>(
      module, "The optimum of the per-level model.");
  bind_struct<&Divisibility::level, &Divisibility::divisors, &Divisibility::any,
              &Divisibility::any_bound>(module, "Traffic due to tile sizes that must divide.");
  bind_struct<&AlgorithmBound::algorithm, &AlgorithmBound::optimum, &AlgorithmBound::compute_bound,
              &AlgorithmBound::traffic_bound, &AlgorithmBound::bound,
              &AlgorithmBound::relative_error>(module, "How fast one algorithm can be.");
  bind_struct<&Certificate::space, &Certificate::optimum, &Certificate::bottleneck,
              &Certificate::bound, &Certificate::nodes, &Certificate::gap, &Certificate::per_level,
              &Certificate::divisibility, &Certificate::algorithms>(
      module, "How close a plan is to the optimum.");
  bind_struct<&Rejected::reason, &Rejected::count>(
      module, "A count of rejected candidates and the reason.");
  bind_struct<&Failure::schedule, &Failure::reason>(module,
                                                    "A candidate that could not be measured.");
}

std::string repr_of(const Plan& plan) {
  std::string text = "Plan(" + name_of(plan.problem) + " on " + plan.machine.name;
  if (!plan.candidates.empty())
    text += ", " + std::to_string(plan.candidates.size()) + " candidates, best " +
            format_seconds(seconds_of(plan.candidates.front()));
  return text + ")";
}

void bind_plan(nb::module_& module) {
  bind_struct<&Plan::problem, &Plan::machine, &Plan::options, &Plan::candidates, &Plan::rejected,
              &Plan::failures, &Plan::certificate, &Plan::flops, &Plan::plan_seconds,
              &Plan::measure_seconds, &Plan::waiting_seconds>(
      module, "A ranked list of candidates; the first one is the choice.")
      .def_prop_ro("verdict", [](const Plan& plan) { return name_of(plan.verdict); })
      .def("__repr__", &repr_of);
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
