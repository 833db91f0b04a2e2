// SPDX-License-Identifier: Apache-2.0
// This file binds machine.h, rates.h and calibrate.h to Python.
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "interrupt.h"
#include "structs.h"
#include "tileplan/calibrate.h"
#include "tileplan/machine.h"

namespace tileplan::python {
namespace nb = nanobind;
namespace {

void bind_caches(nb::module_& module) {
  bind_struct<&CacheLevel::name, &CacheLevel::capacity_bytes, &CacheLevel::line_bytes,
              &CacheLevel::ways, &CacheLevel::shared_by_cores, &CacheLevel::victim,
              &CacheLevel::hashed, &CacheLevel::usable, &CacheLevel::fill_bytes_per_second,
              &CacheLevel::write_bytes_per_second, &CacheLevel::source, &CacheLevel::rate_source>(
      module, "One cache.")
      .def("__repr__", [](const CacheLevel& cache) {
        return "CacheLevel(" + cache.name + ", " + std::to_string(cache.capacity_bytes) + " bytes)";
      });
  bind_struct<&CpuSignature::vendor, &CpuSignature::family, &CpuSignature::model,
              &CpuSignature::stepping>(module, "The CPU by cpuid.");
}

void bind_vectors(nb::module_& module) {
  bind_struct<&VectorUnit::lanes, &VectorUnit::registers, &VectorUnit::fma_units,
              &VectorUnit::load_ports, &VectorUnit::store_ports, &VectorUnit::issue_width,
              &VectorUnit::fma_latency, &VectorUnit::source>(module, "The vector unit of one core.")
      .def_prop_ro("isa", [](const VectorUnit& unit) { return to_string(unit.isa); })
      .def_prop_ro("element", [](const VectorUnit& unit) { return to_string(unit.element); });
  bind_struct<&KernelRate::pixels, &KernelRate::vectors, &KernelRate::cycles_per_step,
              &KernelRate::cycles_per_call, &KernelRate::cycles_per_resume,
              &KernelRate::cycles_per_short_call>(module, "The measured speed of a register tile.");
  bind_struct<&NarrowUnit::vector, &NarrowUnit::kernels>(module,
                                                         "Vector registers of half the width.");
}

void bind_rates(nb::module_& module) {
  bind_struct<&ClockRates::nominal_hertz, &ClockRates::hertz>(module, "The clock of the cores.");
  bind_struct<&MeasuredRates::overlap_exponent, &MeasuredRates::prefetch_steps,
              &MeasuredRates::near_prefetch_steps, &MeasuredRates::kernels>(
      module, "Numbers that a calibration measures.");
  bind_struct<&Provenance::calibrated, &Provenance::source, &Provenance::notes,
              &Provenance::refusal>(module, "The sources of the numbers.");
}

void bind_machine(nb::module_& module) {
  bind_struct<&Machine::name, &Machine::cpu, &Machine::cores, &Machine::clock, &Machine::vector,
              &Machine::narrow, &Machine::tiles, &Machine::caches, &Machine::rates,
              &Machine::provenance>(module, "A machine that plan() can plan for.")
      .def_prop_ro("peak_flops", &peak_flops, "The peak of one core in flop/s.")
      .def("__repr__", [](const Machine& machine) {
        return "Machine(" + machine.name + ", " + std::to_string(machine.cores) + " cores, " +
               to_string(machine.vector.isa) + ")";
      });
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
