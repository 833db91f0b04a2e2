// SPDX-License-Identifier: Apache-2.0
// This file binds kernel.h, and what verify.h does with one kernel, to Python.
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>
#include <nanobind/typing.h>

#include <optional>

#include "arrays.h"
#include "bindings.h"
#include "interrupt.h"
#include "structs.h"
#include "tileplan/error.h"
#include "tileplan/kernel.h"
#include "tileplan/verify.h"

namespace tileplan::python {
namespace nb = nanobind;
namespace {

struct BoundKernel {
  explicit BoundKernel(Kernel made) : kernel(std::move(made)), forms(forms_of(kernel)) {}
  Kernel kernel;
  ArrayForms forms;
};

/// Holds the arguments of a call in Python.
struct CallArrays {
  nb::handle input, weights, bias, residual, out, scales;
  Requantisation numbers = {};  ///< Lacks the scales, which are in an array of their own.
  std::int32_t input_zero_point = 0;
};

std::optional<ArrayView> view_if_given(nb::handle array, const ArrayForm& form) {
  if (array.is_none()) return std::nullopt;
  return ArrayView(array, form, false);
}

ConstElements elements_of(const std::optional<ArrayView>& view) {
  if (!view) return {};
  return view->elements();
}

const Packed& packed_of(nb::handle weights) {
  const Packed* packed = nullptr;
  if (!nb::try_cast(weights, packed, false) || packed == nullptr)
    throw Error(std::string("weights: ") + nb::inst_name(weights).c_str() +
                "; must be what kernel.pack_weights() returned");
  return *packed;
}

void run(const BoundKernel& self, const CallArrays& arrays) {
  std::optional<ArrayView> plain;
  if (self.kernel.schedule().takes_plain_weights())
    plain.emplace(arrays.weights, self.forms.weights, false);
  const RunWeights weights =
      plain ? RunWeights(elements_of(plain)) : RunWeights(packed_of(arrays.weights));
  const ArrayView input(arrays.input, self.forms.input, false);
  const ArrayView out(arrays.out, self.forms.out, true);
  const std::optional<ArrayView> bias = view_if_given(arrays.bias, self.forms.bias);
  const std::optional<ArrayView> residual = view_if_given(arrays.residual, self.forms.residual);
  const std::optional<ArrayView> scales = view_if_given(arrays.scales, self.forms.scales);
  if (input.overlaps(out)) throw Error("input: overlaps out; must not");
  if (plain && plain->overlaps(out)) throw Error("weights: overlaps out; must not");
  if (bias && bias->overlaps(out)) throw Error("bias: overlaps out; must not");
  Addends addends{.bias = elements_of(bias),
                  .residual = elements_of(residual),
                  .requantisation = arrays.numbers,
                  .input_zero_point = arrays.input_zero_point};
  addends.requantisation.scales = elements_of(scales);
  const nb::gil_scoped_release release;
  self.kernel.run(input.elements(), weights, out.elements(), addends);
}

// Each parameter is one argument in Python. NOLINTNEXTLINE(readability-function-size)
nb::object call(const BoundKernel& self, nb::handle input, nb::handle weights, nb::handle bias,
                nb::handle residual, nb::handle out, nb::handle scales, std::int32_t zero_point,
                std::int32_t input_zero_point, float residual_scale,
                std::int32_t residual_zero_point) {
  if (out.is_none() && self.kernel.epilogue().beta != 0)
    throw Error("out: None; must be given, because this kernel adds to it");
  nb::object result = out.is_none() ? new_array(self.forms.out) : nb::borrow(out);
  const CallArrays arrays{input,
                          weights,
                          bias,
                          residual,
                          result,
                          scales,
                          {.zero_point = zero_point,
                           .residual_scale = residual_scale,
                           .residual_zero_point = residual_zero_point},
                          input_zero_point};
  run(self, arrays);
  return result;
}

Packed pack(const BoundKernel& self, nb::handle array, nb::handle zero_points) {
  const ArrayView weights(array, self.forms.weights, false);
  const std::optional<ArrayView> points = view_if_given(zero_points, self.forms.zero_points);
  const nb::gil_scoped_release release;
  return self.kernel.pack_weights(weights.elements(), elements_of(points));
}

using Extents = nb::typed<nb::tuple, std::size_t, nb::ellipsis>;

Extents shape_of(const ArrayForm& form) {
  nb::list extents;
  for (const std::size_t extent : form.any_shape ? std::vector{form.size} : form.shape)
    extents.append(extent);
  return Extents(nb::tuple(extents));
}

BoundKernel compiled(const Plan& plan, std::size_t rank) {
  return interruptible([&] { return BoundKernel(compile(plan, rank)); });
}

void bind_packed(nb::module_& module) {
  nb::class_<Packed>(module, "Packed", "Weights in the order in which a kernel reads them.")
      .def_prop_ro("size", &Packed::size)
      .def_prop_ro("size_bytes", &Packed::size_bytes)
      .def_prop_ro("order", &Packed::order)
      .def_prop_ro("type", [](const Packed& packed) { return to_string(packed.type()); })
      .def("__repr__", [](const Packed& packed) {
        return "Packed(" + std::to_string(packed.size()) + " " + to_string(packed.type()) + ")";
      });
  bind_struct<&Check::compared, &Check::largest_error, &Check::tolerance, &Check::worst_index,
              &Check::expected, &Check::got>(module,
                                             "How far outputs differ from those of plain loops.")
      .def("passed", &Check::passed);
}

void add_properties(nb::class_<BoundKernel>& type) {
  type.def_prop_ro("schedule", [](const BoundKernel& self) { return self.kernel.schedule(); })
      .def_prop_ro("problem", [](const BoundKernel& self) { return self.kernel.problem(); })
      .def_prop_ro("epilogue", [](const BoundKernel& self) { return self.kernel.epilogue(); })
      .def_prop_ro("isa", [](const BoundKernel& self) { return to_string(self.kernel.isa()); })
      .def_prop_ro("type", [](const BoundKernel& self) { return to_string(self.kernel.types()); })
      .def_prop_ro("threads", [](const BoundKernel& self) { return self.kernel.threads(); })
      .def_prop_ro("input_shape",
                   [](const BoundKernel& self) { return shape_of(self.forms.input); })
      .def_prop_ro("weights_shape",
                   [](const BoundKernel& self) { return shape_of(self.forms.weights); })
      .def_prop_ro("bias_shape", [](const BoundKernel& self) { return shape_of(self.forms.bias); })
      .def_prop_ro("output_shape", [](const BoundKernel& self) { return shape_of(self.forms.out); })
      .def("__repr__", [](const BoundKernel& self) {
        return "Kernel(" + name_of(self.kernel.problem()) + ", " +
               to_string(self.kernel.schedule()) + ")";
      });
}

void add_calls(nb::class_<BoundKernel>& type) {
  type.def("pack_weights", &pack, nb::arg("array").none(), nb::arg("zero_points") = nb::none(),
           nb::sig("def pack_weights(self, array: typing.Any, zero_points: typing.Any = None) -> "
                   "Packed"),
           "Return the weights, an array of weights_shape, in the order of this kernel. "
           "`zero_points` is an array of the weights' type, as the epilogue says.")
      .def("__call__", &call, nb::arg("input").none(), nb::arg("weights").none(),
           nb::arg("bias") = nb::none(), nb::arg("residual") = nb::none(),
           nb::arg("out") = nb::none(), nb::kw_only(), nb::arg("scales") = nb::none(),
           nb::arg("zero_point") = 0, nb::arg("input_zero_point") = 0,
           nb::arg("residual_scale") = 1.0F, nb::arg("residual_zero_point") = 0,
           nb::sig("def __call__(self, input: typing.Any, weights: typing.Any, bias: typing.Any = "
                   "None, residual: typing.Any = None, out: typing.Any = None, *, scales: "
                   "typing.Any = None, zero_point: int = 0, input_zero_point: int = 0, "
                   "residual_scale: float = 1.0, residual_zero_point: int = 0) -> typing.Any"),
           "Compute the problem and the epilogue. Return `out`, or a new numpy array without it. "
           "The weights are what pack_weights() returned, or an array of weights_shape if the "
           "schedule takes plain weights. The numbers that quantise tensors are those that the "
           "epilogue names.")
      .def(
          "check",
          [](const BoundKernel& self, std::uint64_t seed) {
            return interruptible([&] { return check_kernel(self.kernel, seed); });
          },
          nb::arg("seed") = 1, "Compare every output with plain loops on random tensors.")
      .def(
          "measure",
          [](const BoundKernel& self, double budget_seconds, const std::string& regime) {
            const Regime parsed = parse_regime(regime);
            return interruptible([&] { return measure(self.kernel, budget_seconds, parsed); });
          },
          nb::arg("budget_seconds"), nb::arg("regime") = "hot",
          "Return the median time on random tensors.");
}

}  // namespace

void bind_kernels(nb::module_& module) {
  bind_packed(module);
  nb::class_<BoundKernel> type(module, "Kernel", "Machine code of a schedule for this CPU.");
  add_properties(type);
  add_calls(type);
  module.def("compile", &compiled, nb::arg("plan"), nb::arg("rank") = 0);
}

}  // namespace tileplan::python
