// SPDX-License-Identifier: Apache-2.0
// This file binds candidates.h and emit.h to Python.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "interrupt.h"
#include "structs.h"
#include "tileplan/candidates.h"
#include "tileplan/emit.h"
#include "tileplan/network.h"

namespace tileplan::python {
namespace nb = nanobind;
namespace {

void bind_candidates(nb::module_& module) {
  bind_struct<&ListedCandidate::candidate, &ListedCandidate::microkernel,
              &ListedCandidate::order_class, &ListedCandidate::tiles>(
      module, "A candidate for other autotuners.");
  bind_struct<&CandidateList::problem, &CandidateList::machine, &CandidateList::candidates,
              &CandidateList::refused>(module, "Fast and diverse schedules, best first.")
      .def("__len__", [](const CandidateList& list) { return list.candidates.size(); })
      .def("__repr__", [](const CandidateList& list) {
        return "CandidateList(" + name_of(list.problem) + ", " +
               std::to_string(list.candidates.size()) + " candidates)";
      });
  bind_struct<&WrittenCandidates::text, &WrittenCandidates::count, &WrittenCandidates::skipped,
              &WrittenCandidates::left_out>(module, "Candidates as text.")
      .def("__str__", [](const WrittenCandidates& written) { return written.text; });
  module.def(
      "candidates",
      [](const Problem& problem, const Machine& machine, const Options& options,
         const std::string& format) {
        const CandidateFormat parsed = parse_candidate_format(format);
        return interruptible([&] { return candidates(problem, machine, options, parsed); });
      },
      nb::arg("problem"), nb::arg("machine"), nb::arg("options"), nb::arg("format"));
  module.def(
      "write_candidates",
      [](const CandidateList& list, const std::string& format) {
        return write_candidates(list, parse_candidate_format(format));
      },
      nb::arg("list"), nb::arg("format") = "jsonl", "Return the text of a list for another tuner.");
}

void bind_emit(nb::module_& module) {
  bind_struct<&EmittedC::source, &EmittedC::header, &EmittedC::schedule, &EmittedC::notes>(
      module, "A schedule as C.");
  module.def(
      "machine_for",
      [](const Machine& machine, const std::string& target) {
        return machine_for(machine, parse_target(target));
      },
      nb::arg("machine"), nb::arg("target"),
      "Return the machine with the vectors of a target, for planning what emit_c() writes.");
  module.def(
      "emit_c",
      [](const Problem& problem, const Schedule& schedule, const std::string& target,
         const std::string& name, const std::string& epilogue,
         const std::optional<Machine>& machine) {
        EmitOptions options{
            .target = parse_target(target), .name = name, .epilogue = parse_epilogue(epilogue)};
        if (machine) options.dots = machine_for(*machine, options.target).vector.dots;
        return emit_c(problem, schedule, options);
      },
      nb::arg("problem"), nb::arg("schedule"), nb::kw_only(), nb::arg("target") = "scalar",
      nb::arg("name") = EmitOptions{}.name, nb::arg("epilogue") = "none",
      nb::arg("machine") = nb::none(),
      "Return C11 that computes the problem and needs only the C library. The schedule must be one "
      "for the dot products of the machine, or for those of a CPU with all if there is none.");
  module.def(
      "emit_network",
      [](const NetworkPlan& plan, const std::string& name, const std::string& target) {
        nb::dict files;
        for (const EmittedFile& each : emit_network(plan, parse_target(target), name).files)
          files[nb::str(each.name.c_str())] = nb::bytes(each.content.data(), each.content.size());
        return files;
      },
      nb::arg("plan"), nb::arg("name"), nb::kw_only(), nb::arg("target") = "scalar",
      "Return the names and the bytes of files with C11 that computes the network, and with its "
      "weights.");
}

}  // namespace

void bind_exports(nb::module_& module) {
  bind_candidates(module);
  bind_emit(module);
}

}  // namespace tileplan::python
