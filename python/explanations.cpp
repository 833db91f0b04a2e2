// SPDX-License-Identifier: Apache-2.0
// This file binds explain.h to Python, and the structs of gemm_variant.h and rival.h that it uses.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "structs.h"
#include "tileplan/explain.h"

namespace tileplan::python {
namespace nb = nanobind;
namespace {

void bind_levels(nb::module_& module) {
  bind_struct<&LevelTensor::movement, &LevelTensor::bytes>(module,
                                                           "One tensor at one cache level.");
  bind_struct<&LevelExplanation::cache, &LevelExplanation::tile, &LevelExplanation::loops_outside,
              &LevelExplanation::tensors, &LevelExplanation::required, &LevelExplanation::capacity,
              &LevelExplanation::limit, &LevelExplanation::holds_tile,
              &LevelExplanation::holds_problem, &LevelExplanation::slowness,
              &LevelExplanation::least_loads, &LevelExplanation::bound_bytes>(
      module, "What one cache holds and loads.")
      .def_prop_ro("footprint", &LevelExplanation::footprint)
      .def_prop_ro("moved_bytes", &LevelExplanation::moved_bytes)
      .def_prop_ro("distance", &LevelExplanation::distance);
}

void bind_boxes(nb::module_& module) {
  bind_struct<&WinogradBox::name, &WinogradBox::tiles, &WinogradBox::channels, &WinogradBox::bytes,
              &WinogradBox::padding_bytes, &WinogradBox::transforms, &WinogradBox::cycles,
              &WinogradBox::caches>(module, "A buffer of a Winograd schedule.");
  bind_struct<&PackedOperand::tensor, &PackedOperand::loop, &PackedOperand::elements,
              &PackedOperand::bytes_in_l1>(module, "An operand that each run copies.");
}

void bind_products(nb::module_& module) {
  bind_struct<&GemmBlocks::mc, &GemmBlocks::nc, &GemmBlocks::kc, &GemmBlocks::mr, &GemmBlocks::nr>(
      module, "The sizes of the loops of a matrix product.");
  bind_struct<&GemmOccupancy::cache, &GemmOccupancy::operand, &GemmOccupancy::rows,
              &GemmOccupancy::columns, &GemmOccupancy::bytes, &GemmOccupancy::share,
              &GemmOccupancy::most_share>(module, "A block of a matrix product in a cache.");
  bind_struct<&GemmExplanation::why_none, &GemmExplanation::blocks, &GemmExplanation::closed_form,
              &GemmExplanation::occupancy, &GemmExplanation::closed_form_occupancy>(
      module, "A matrix product compared with the variants and the block sizes of the paper.")
      .def_prop_ro("variant", [](const GemmExplanation& each) { return text_of(each.variant); });
}

void bind_orders(nb::module_& module) {
  bind_struct<&Rival::candidate, &Rival::classes>(
      module, "The candidate with the best prediction among those of other order classes.");
  bind_struct<&OrderExplanation::classes, &OrderExplanation::rival>(
      module, "The class of the loop order around the tile of each cache.");
}

void bind_compute(nb::module_& module) {
  bind_struct<&MicrokernelCalls::pixels, &MicrokernelCalls::vectors, &MicrokernelCalls::calls,
              &MicrokernelCalls::steps, &MicrokernelCalls::cycles_per_step,
              &MicrokernelCalls::cycles_per_call, &MicrokernelCalls::call_cycles,
              &MicrokernelCalls::run_cycles, &MicrokernelCalls::dispatch_cycles>(
      module, "The calls of one microkernel.")
      .def_prop_ro("cycles", &MicrokernelCalls::cycles);
  bind_struct<&RepackSeconds::input, &RepackSeconds::output>(module,
                                                             "Times of transposing activations.");
}

}  // namespace

void bind_explanations(nb::module_& module) {
  bind_levels(module);
  bind_compute(module);
  bind_boxes(module);
  bind_products(module);
  bind_orders(module);
  bind_struct<&Explanation::problem, &Explanation::machine, &Explanation::candidate,
              &Explanation::levels, &Explanation::boxes, &Explanation::packed, &Explanation::gemm,
              &Explanation::order, &Explanation::compute, &Explanation::repack,
              &Explanation::peak_seconds, &Explanation::stored_share, &Explanation::rejected>(
      module, "Where the bytes and the time of a schedule go.")
      .def_prop_ro("regime", [](const Explanation& each) { return to_string(each.regime); })
      .def("__repr__", [](const Explanation& explanation) {
        return "Explanation(" + name_of(explanation.problem) + ", " +
               format_seconds(explanation.candidate.prediction.seconds) + ", bottleneck " +
               explanation.candidate.prediction.bottleneck + ")";
      });
  module.def("explain", &explain, nb::arg("problem"), nb::arg("machine"), nb::arg("schedule"),
             nb::arg("options"), nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace tileplan::python
