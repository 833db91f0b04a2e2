// SPDX-License-Identifier: Apache-2.0
// This file binds graph.h and network_run.h to Python. Inputs are arrays in CPU memory, and outputs
// are numpy arrays.
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <mutex>

#include "arrays.h"
#include "bindings.h"
#include "interrupt.h"
#include "structs.h"
#include "tileplan/error.h"
#include "tileplan/network_run.h"

namespace tileplan::python {
namespace nb = nanobind;
namespace {

using Array = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

template <class Number>
std::vector<Number> copied(const Array& array) {
  const auto* first = static_cast<const Number*>(array.data());
  return {first, first + array.size()};
}

/// Returns the numbers of an array. Throws Error with `name` for element types that Numbers does
/// not have.
Numbers numbers_of(const std::string& name, const Array& array) {
  if (array.dtype() == nb::dtype<float>()) return copied<float>(array);
  if (array.dtype() == nb::dtype<double>()) return copied<double>(array);
  if (array.dtype() == nb::dtype<std::int64_t>()) return copied<std::int64_t>(array);
  if (array.dtype() == nb::dtype<std::int32_t>()) return copied<std::int32_t>(array);
  if (array.dtype() == nb::dtype<std::uint8_t>()) return copied<std::uint8_t>(array);
  if (array.dtype() == nb::dtype<std::int8_t>()) return copied<std::int8_t>(array);
  throw Error("constant " + name +
              " has another type; must be float32, float64, int64, int32, uint8 or int8");
}

int add_constant(Graph& graph, const std::string& name, const Array& array) {
  std::vector<std::int64_t> shape;
  for (std::size_t i = 0; i < array.ndim(); ++i)
    shape.push_back(static_cast<std::int64_t>(array.shape(i)));
  return graph.constant(name, std::move(shape), numbers_of(name, array));
}

int add_node(Graph& graph, const std::string& kind, std::vector<int> inputs,
             const std::string& name, const nb::kwargs& attributes) {
  Attributes converted;
  for (const auto& [attribute, value] : attributes) {
    const auto text = nb::cast<std::string>(attribute);
    try {
      converted.emplace(text, nb::cast<Attribute>(value));
    } catch (const nb::cast_error&) {
      throw Error("attribute " + text + " of " + kind +
                  " has another type; must be a number, text or a list of integers");
    }
  }
  return graph.node(kind, std::move(inputs), std::move(converted), name);
}

void bind_graph(nb::module_& module) {
  bind_struct<&Graph::name>(module, "A network as nodes, whose operators are those of ONNX.")
      .def(
          "__init__",
          [](Graph* graph, const std::string& name) {
            new (graph) Graph;
            graph->name = name;
          },
          nb::arg("name") = "graph")
      .def("input", &Graph::input, nb::arg("name"), nb::arg("shape"), nb::arg("type") = "f32",
           "Add a tensor of f32, u8, s8 or s32 that each run is given. Return its number.")
      .def("constant", &add_constant, nb::arg("name"), nb::arg("array"),
           "Add a contiguous array of float32, float64, int64, int32, uint8 or int8. Return its "
           "number.")
      .def("node", &add_node, nb::arg("kind"), nb::arg("inputs"), nb::arg("name") = "",
           nb::arg("attributes"),
           nb::sig("def node(self, kind: str, inputs: collections.abc.Sequence[int], name: str = "
                   "'', **attributes: int | float | str | collections.abc.Sequence[int]) -> int"),
           "Add an operator and return the number of its first result; the others follow it.")
      .def("output", &Graph::output, nb::arg("value"), "Make a value a result of the network.")
      .def("__len__", [](const Graph& graph) { return graph.nodes.size(); })
      .def("__repr__", [](const Graph& graph) {
        return "Graph(" + graph.name + ", " + std::to_string(graph.nodes.size()) + " nodes)";
      });
  module.def("load_onnx", &load_onnx, nb::arg("path"),
             nb::arg("shapes") = std::map<std::string, std::vector<std::int64_t>>{},
             "Return the graph of a model. `shapes` gives inputs that the file leaves open.");
}

ArrayForm form_of(const GraphValue& value) {
  ArrayForm form{
      .name = value.name, .order = "row-major", .size = 1, .type = parse_types(value.type).input};
  for (const std::int64_t extent : *value.shape) {
    form.shape.push_back(static_cast<std::size_t>(extent));
    form.size *= static_cast<std::size_t>(extent);
  }
  return form;
}

/// Holds a network and workspaces. Each call takes a workspace that no other call uses.
class BoundNetwork {
 public:
  explicit BoundNetwork(CompiledNetwork compiled) : network(std::move(compiled)) {
    const Graph& graph = *network.plan().rewritten;
    for (const int each : graph.inputs)
      inputs.push_back(form_of(graph.values[static_cast<std::size_t>(each)]));
    for (const int each : graph.outputs)
      outputs.push_back(form_of(graph.values[static_cast<std::size_t>(each)]));
  }

  /// Runs the network without the interpreter lock, so that other Python threads can run.
  void run(NetworkInputs in, NetworkOutputs out) {
    const nb::gil_scoped_release release;
    Workspace workspace = take();
    network.run(in, out, workspace);
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(workspace));
  }

  CompiledNetwork network;
  std::vector<ArrayForm> inputs, outputs;

 private:
  Workspace take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return network.make_workspace();
    Workspace workspace = std::move(free_.back());
    free_.pop_back();
    return workspace;
  }

  std::mutex mutex_;
  std::vector<Workspace> free_;
};

/// Runs the network on inputs in their order. Returns an array, or a tuple if there are several
/// outputs.
nb::object call(BoundNetwork& self, const nb::args& arrays) {
  if (arrays.size() != self.inputs.size())
    throw Error("call: " + std::to_string(arrays.size()) + " arrays; the network has " +
                std::to_string(self.inputs.size()) + " inputs");
  std::vector<ArrayView> views;
  std::vector<ConstElements> in;
  std::vector<Elements> out;
  nb::list results;
  views.reserve(self.inputs.size() + self.outputs.size());
  for (std::size_t i = 0; i < self.inputs.size(); ++i) {
    in.emplace_back(views.emplace_back(arrays[i], self.inputs[i], false).elements());
  }
  for (const ArrayForm& form : self.outputs) {
    const nb::object array = new_array(form);
    results.append(array);
    out.emplace_back(views.emplace_back(array, form, true).elements());
  }
  self.run(in, out);
  if (self.outputs.size() == 1) return results[0];
  return nb::tuple(results);
}

void bind_checks(nb::module_& module) {
  bind_struct<&StepCheck::name, &StepCheck::kind, &StepCheck::check>(
      module, "A comparison of one step with plain loops.");
  bind_struct<&NetworkCheck::steps, &NetworkCheck::outputs>(
      module, "Comparisons of a run with plain loops.")
      .def("passed", &NetworkCheck::passed);
  bind_struct<&NetworkTimes::whole, &NetworkTimes::step_seconds>(
      module, "Times of a network and of its steps.");
}

std::vector<std::vector<std::size_t>> shapes_of(const std::vector<ArrayForm>& forms) {
  std::vector<std::vector<std::size_t>> shapes;
  for (const ArrayForm& form : forms) shapes.push_back(form.shape);
  return shapes;
}

std::vector<std::string> names_of(const std::vector<ArrayForm>& forms) {
  std::vector<std::string> names;
  for (const ArrayForm& form : forms) names.push_back(form.name);
  return names;
}

void bind_compiled(nb::module_& module) {
  nb::class_<BoundNetwork>(module, "CompiledNetwork", "A network that runs on this CPU.")
      .def_prop_ro("plan", [](const BoundNetwork& self) { return self.network.plan(); })
      .def_prop_ro("input_names", [](const BoundNetwork& self) { return names_of(self.inputs); })
      .def_prop_ro("output_names", [](const BoundNetwork& self) { return names_of(self.outputs); })
      .def_prop_ro("input_shapes", [](const BoundNetwork& self) { return shapes_of(self.inputs); })
      .def_prop_ro("output_shapes",
                   [](const BoundNetwork& self) { return shapes_of(self.outputs); })
      .def("__call__", &call, nb::arg("inputs"),
           nb::sig("def __call__(self, *inputs: typing.Any) -> typing.Any"),
           "Run on arrays of the types of the inputs. Return a new array, or a tuple of several.")
      .def(
          "save",
          [](const BoundNetwork& self, const std::string& path) {
            const nb::gil_scoped_release release;
            save_network(self.network, path);
          },
          nb::arg("path"), "Write the network, its schedules and its packed weights to a file.")
      .def(
          "check",
          [](const BoundNetwork& self, std::uint64_t seed) {
            return interruptible([&] { return check_network(self.network, seed); });
          },
          nb::arg("seed") = 1, "Compare each step and the outputs with plain loops.")
      .def(
          "measure",
          [](const BoundNetwork& self, double budget_seconds) {
            return interruptible([&] { return measure(self.network, budget_seconds); });
          },
          nb::arg("budget_seconds") = 2, "Return the median time of a run.")
      .def(
          "measure_steps",
          [](const BoundNetwork& self, double budget_seconds) {
            return interruptible([&] { return measure_steps(self.network, budget_seconds); });
          },
          nb::arg("budget_seconds") = 2, "Return the times of a run and of each step in place.");
  module.def(
      "load_network",
      [](const std::string& path) {
        return interruptible([&] { return std::make_unique<BoundNetwork>(load_network(path)); });
      },
      nb::arg("path"), "Return a network that CompiledNetwork.save() wrote.");
  module.def(
      "compile_network",
      [](const NetworkPlan& plan) {
        return interruptible([&] { return std::make_unique<BoundNetwork>(compile(plan)); });
      },
      nb::arg("plan"));
}

}  // namespace

void bind_graphs(nb::module_& module) {
  bind_graph(module);
  bind_checks(module);
  bind_compiled(module);
}

}  // namespace tileplan::python
