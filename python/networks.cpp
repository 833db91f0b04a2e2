// SPDX-License-Identifier: Apache-2.0
// This file binds network.h and report.h to Python.
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "enum_names.h"
#include "interrupt.h"
#include "structs.h"
#include "tileplan/network.h"
#include "tileplan/report.h"
#include "tileplan/version.h"

namespace tileplan::python {
namespace nb = nanobind;
namespace {

using CountDone = std::function<void(int, int)>;
using Shapes = std::map<std::string, std::vector<std::int64_t>>;

void bind_layers(nb::module_& module) {
  bind_struct<&NetworkLayer::name, &NetworkLayer::others, &NetworkLayer::count,
              &NetworkLayer::plan>(module, "One distinct problem of a network.")
      .def("__repr__", [](const NetworkLayer& layer) {
        return "NetworkLayer(" + layer.name + ", " + std::to_string(layer.count) + " times)";
      });
  bind_struct<&Unplanned::kind, &Unplanned::reason, &Unplanned::nodes, &Unplanned::flops,
              &Unplanned::bytes>(module, "Nodes that have no plan for the same reason.");
  bind_struct<&ListedLayer::name, &ListedLayer::problem, &ListedLayer::count>(
      module, "One layer of a model or a list, without a plan.");
}

void bind_steps(nb::module_& module) {
  bind_struct<&NetworkStep::name, &NetworkStep::kind, &NetworkStep::node, &NetworkStep::inputs,
              &NetworkStep::outputs, &NetworkStep::layer, &NetworkStep::seconds,
              &NetworkStep::in_place, &NetworkStep::second_best, &NetworkStep::second_best_seconds>(
      module, "One step of a run: a node or a conversion.");
  bind_struct<&NetworkBuffer::value, &NetworkBuffer::bytes, &NetworkBuffer::index,
              &NetworkBuffer::offset, &NetworkBuffer::first_step, &NetworkBuffer::last_step>(
      module, "A tensor that steps write and read.")
      .def_prop_ro("layout", [](const NetworkBuffer& buffer) { return to_string(buffer.layout); })
      .def_prop_ro(
          "place", [](const NetworkBuffer& buffer) { return name_of(buffer.place); },
          "The text is \"arena\", \"input\", \"output\" or \"constant\".");
  bind_struct<&LayoutProof::seconds, &LayoutProof::bound, &LayoutProof::runner_up_seconds,
              &LayoutProof::conversions>(module, "Why the choices of a network are the best.");
  bind_struct<&ArenaSize::bytes, &ArenaSize::least_bytes>(module, "The memory of a run.");
}

void bind_network(nb::module_& module) {
  bind_struct<&NetworkPlan::name, &NetworkPlan::machine, &NetworkPlan::layers,
              &NetworkPlan::unplanned, &NetworkPlan::operations, &NetworkPlan::planned,
              &NetworkPlan::buffers, &NetworkPlan::steps, &NetworkPlan::layouts,
              &NetworkPlan::arena>(module, "The plans of a network's layers.")
      .def("__repr__", [](const NetworkPlan& network) {
        return "NetworkPlan(" + network.name + " on " + network.machine.name + ", " +
               std::to_string(network.layers.size()) + " layers)";
      });
}

// Each parameter is one argument in Python. NOLINTNEXTLINE(readability-function-size)
NetworkPlan network_plan(const std::variant<std::string, Graph>& subject, const Machine& machine,
                         const Options& options, const Shapes& shapes, bool second_best,
                         const std::string& records, bool use_records, CountDone progress,
                         WarnOfRow note) {
  return interruptible([&] {
    const NetworkOptions chosen{.plan = options,
                                .shapes = shapes,
                                .second_best = second_best,
                                .records = {.path = records, .note = std::move(note)},
                                .use_records = use_records,
                                .progress = stoppable(std::move(progress))};
    return std::visit([&](const auto& each) { return plan_network(each, machine, chosen); },
                      subject);
  });
}

template <class Planned>
std::string report_of(const Planned& planned, const std::string& format, CountDone progress,
                      const std::optional<NetworkTimes>& times) {
  const ReportFormat parsed = parse_report_format(format);
  return interruptible([&] {
    return report(planned, parsed,
                  {.origin = {.version = "tileplan " + version(), .command = "tileplan.report()"},
                   .times = times,
                   .progress = stoppable(std::move(progress))});
  });
}

}  // namespace

void bind_networks(nb::module_& module) {
  bind_layers(module);
  bind_network(module);
  bind_steps(module);
  module.def("plan_network", &network_plan, nb::arg("subject"), nb::arg("machine"),
             nb::arg("options"), nb::arg("shapes"), nb::arg("second_best"), nb::arg("records"),
             nb::arg("use_records"), nb::arg("progress") = nb::none(),
             nb::arg("note") = nb::none());
  module.def("layers_of", &layers_of, nb::arg("path"),
             nb::arg("shapes") = std::map<std::string, std::vector<std::int64_t>>{},
             "Return the layers of a model, table or log without plans. shapes gives extents of a "
             "model's inputs that its file leaves unknown.");
  module.def(
      "save_network", nb::overload_cast<const NetworkPlan&, const std::string&>(&save_network),
      nb::arg("network"), nb::arg("folder"), "Write one plan file per layer and index.json.");
  module.def("report", &report_of<Plan>, nb::arg("plan"), nb::arg("format"),
             nb::arg("progress") = nb::none(), nb::arg("times") = nb::none());
  module.def("report", &report_of<NetworkPlan>, nb::arg("network"), nb::arg("format"),
             nb::arg("progress") = nb::none(), nb::arg("times") = nb::none());
  module.def(
      "report_format_of",
      [](const std::string& path) {
        static constexpr const char* kNames[] = {"html", "md", "json", "csv"};
        return kNames[static_cast<std::size_t>(report_format_of(path))];
      },
      nb::arg("path"), "Return the format that a file name extension stands for.");
}

}  // namespace tileplan::python
