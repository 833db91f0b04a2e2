// SPDX-License-Identifier: Apache-2.0
// This file binds machine.h and calibrate.h to Python.
#include <nanobind/operators.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "interrupt.h"
#include "tileplan/calibrate.h"
#include "tileplan/machine.h"

namespace tileplan::python {
namespace nb = nanobind;
namespace {

void bind_caches(nb::module_& module) {
  nb::class_<CacheLevel>(module, "CacheLevel", "One cache.")
      .def_ro("name", &CacheLevel::name)
      .def_ro("capacity_bytes", &CacheLevel::capacity_bytes)
      .def_ro("line_bytes", &CacheLevel::line_bytes)
      .def_ro("ways", &CacheLevel::ways)
      .def_ro("shared_by_cores", &CacheLevel::shared_by_cores)
      .def_ro("victim", &CacheLevel::victim)
      .def_ro("usable", &CacheLevel::usable)
      .def_ro("fill_bytes_per_second", &CacheLevel::fill_bytes_per_second)
      .def_ro("write_bytes_per_second", &CacheLevel::write_bytes_per_second)
      .def_ro("source", &CacheLevel::source)
      .def_ro("rate_source", &CacheLevel::rate_source)
      .def("__repr__",
           [](const CacheLevel& cache) {
             return "CacheLevel(" + cache.name + ", " + std::to_string(cache.capacity_bytes) +
                    " bytes)";
           })
      .def(nb::self == nb::self, kEquality);
  nb::class_<CpuSignature>(module, "CpuSignature", "The CPU by cpuid.")
      .def_ro("vendor", &CpuSignature::vendor)
      .def_ro("family", &CpuSignature::family)
      .def_ro("model", &CpuSignature::model)
      .def_ro("stepping", &CpuSignature::stepping)
      .def(nb::self == nb::self, kEquality);
}

void bind_vectors(nb::module_& module) {
  nb::class_<VectorUnit>(module, "VectorUnit", "The vector unit of one core.")
      .def_prop_ro("isa", [](const VectorUnit& unit) { return to_string(unit.isa); })
      .def_ro("lanes", &VectorUnit::lanes)
      .def_prop_ro("element", [](const VectorUnit& unit) { return to_string(unit.element); })
      .def_ro("registers", &VectorUnit::registers)
      .def_ro("fma_units", &VectorUnit::fma_units)
      .def_ro("load_ports", &VectorUnit::load_ports)
      .def_ro("store_ports", &VectorUnit::store_ports)
      .def_ro("issue_width", &VectorUnit::issue_width)
      .def_ro("fma_latency", &VectorUnit::fma_latency)
      .def_ro("source", &VectorUnit::source)
      .def(nb::self == nb::self, kEquality);
  nb::class_<KernelRate>(module, "KernelRate", "The measured speed of a register tile.")
      .def_ro("pixels", &KernelRate::pixels)
      .def_ro("vectors", &KernelRate::vectors)
      .def_ro("cycles_per_step", &KernelRate::cycles_per_step)
      .def_ro("cycles_per_call", &KernelRate::cycles_per_call)
      .def_ro("cycles_per_resume", &KernelRate::cycles_per_resume)
      .def(nb::self == nb::self, kEquality);
  nb::class_<NarrowUnit>(module, "NarrowUnit", "Vector registers of half the width.")
      .def_ro("vector", &NarrowUnit::vector)
      .def_ro("kernels", &NarrowUnit::kernels)
      .def(nb::self == nb::self, kEquality);
}

void bind_rates(nb::module_& module) {
  nb::class_<ClockRates>(module, "ClockRates", "The clock of the cores.")
      .def_ro("nominal_hertz", &ClockRates::nominal_hertz)
      .def_ro("hertz", &ClockRates::hertz)
      .def(nb::self == nb::self, kEquality);
  nb::class_<MeasuredRates>(module, "MeasuredRates", "Numbers that a calibration measures.")
      .def_ro("overlap_exponent", &MeasuredRates::overlap_exponent)
      .def_ro("prefetch_steps", &MeasuredRates::prefetch_steps)
      .def_ro("kernels", &MeasuredRates::kernels)
      .def(nb::self == nb::self, kEquality);
  nb::class_<Provenance>(module, "Provenance", "The sources of the numbers.")
      .def_ro("calibrated", &Provenance::calibrated)
      .def_ro("source", &Provenance::source)
      .def_ro("notes", &Provenance::notes)
      .def(nb::self == nb::self, kEquality);
}

void bind_machine(nb::module_& module) {
  nb::class_<Machine>(module, "Machine", "A machine that plan() can plan for.")
      .def_ro("name", &Machine::name)
      .def_ro("cpu", &Machine::cpu)
      .def_ro("cores", &Machine::cores)
      .def_ro("clock", &Machine::clock)
      .def_ro("vector", &Machine::vector)
      .def_ro("narrow", &Machine::narrow)
      .def_ro("tiles", &Machine::tiles)
      .def_ro("caches", &Machine::caches)
      .def_ro("rates", &Machine::rates)
      .def_ro("provenance", &Machine::provenance)
      .def_prop_ro("peak_flops", &peak_flops, "The peak of one core in flop/s.")
      .def("to_json", [](const Machine& machine) { return to_json(machine); })
      .def("__repr__",
           [](const Machine& machine) {
             return "Machine(" + machine.name + ", " + std::to_string(machine.cores) + " cores, " +
                    to_string(machine.vector.isa) + ")";
           })
      .def(nb::self == nb::self, kEquality);
}

Machine calibrated(const std::optional<Machine>& machine, bool full, int samples,
                   double budget_seconds, std::function<void(double)> progress) {
  return interruptible([&] {
    return calibrate(machine ? *machine : detect_machine(),
                     {.full = full,
                      .samples = samples,
                      .budget_seconds = budget_seconds,
                      .progress = stoppable(std::move(progress))});
  });
}

}  // namespace

void bind_machines(nb::module_& module) {
  bind_caches(module);
  bind_vectors(module);
  bind_rates(module);
  bind_machine(module);
  module.def("detect_machine", &detect_machine, nb::call_guard<nb::gil_scoped_release>(),
             "Return a description of this host without measuring anything.");
  module.def("load_machine", &load_machine, nb::arg("path_or_name"),
             "Return a shipped machine, or the machine in a file.");
  module.def("save_machine", &save_machine, nb::arg("machine"), nb::arg("path"),
             "Write the machine as JSON.");
  module.def("shipped_machines", &shipped_machines, "Return the names of the shipped machines.");
  module.def("machine_cache_path", &machine_cache_path,
             "Return the path of the file with this user's calibration.");
  module.def("host_mismatch", &host_mismatch, nb::arg("machine"),
             "Return None if the machine is this host, and otherwise the reason why it is not.");
  const CalibrateOptions defaults;
  module.def("calibrate", &calibrated, nb::arg("machine").none() = nb::none(), nb::kw_only(),
             nb::arg("full") = defaults.full, nb::arg("samples") = defaults.samples,
             nb::arg("budget_seconds") = defaults.budget_seconds, nb::arg("progress") = nb::none());
  module.def("calibration_text", &calibration_text, nb::arg("machine"),
             nb::arg("previous").none() = nb::none(),
             "Return lines about the results of a calibration.");
}

}  // namespace tileplan::python
