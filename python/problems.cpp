// SPDX-License-Identifier: Apache-2.0
// This file binds problem.h to Python.
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bindings.h"
#include "structs.h"
#include "tileplan/error.h"
#include "tileplan/problem.h"

namespace tileplan::python {
namespace nb = nanobind;
namespace {

TensorTypes types_named(const std::string& text) {
  if (text == "float32") return ElementType::f32;
  if (text == "float64") return ElementType::f64;
  return parse_types(text);
}

/// Defines the class of one kind of problem, with the properties that all kinds have.
template <class Shape>
nb::class_<Shape> bind_shape(nb::module_& module, const char* name, const char* doc) {
  return nb::class_<Shape>(module, name, doc)
      .def_ro("name", &Shape::name)
      .def_prop_ro("type", [](const Shape& shape) { return to_string(shape.types); })
      .def("__str__", [](const Shape& shape) { return to_string(shape); })
      .def("__repr__",
           [name](const Shape& shape) {
             return std::string(name) + "(" +
                    nb::cast<std::string>(nb::repr(nb::str(to_string(shape).c_str()))) + ")";
           })
      .def("__hash__",
           [](const Shape& shape) { return nb::hash(nb::str(to_string(shape).c_str())); })
      .def(nb::self == nb::self, kEquality);
}

void bind_conv(nb::module_& module) {
  bind_struct<&Axis::in, &Axis::out, &Axis::filter, &Axis::stride, &Axis::dilation,
              &Axis::pad_before, &Axis::pad_after>(
      module, "One spatial direction of a convolution, in elements.");
  bind_shape<ConvShape>(module, "ConvShape", "A forward convolution.")
      .def_ro("n", &ConvShape::n)
      .def_ro("g", &ConvShape::g)
      .def_ro("c", &ConvShape::c)
      .def_ro("k", &ConvShape::k)
      .def_ro("depth", &ConvShape::depth)
      .def_ro("height", &ConvShape::height)
      .def_ro("width", &ConvShape::width);
}

// Each parameter is one argument in Python. NOLINTNEXTLINE(readability-function-size)
void init_gemm(GemmShape* shape, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t b,
               std::int64_t lda, std::int64_t ldb, std::int64_t ldc, bool ta, bool tb,
               std::optional<std::int64_t> sa, std::optional<std::int64_t> sb,
               std::optional<std::int64_t> sc, const std::string& type, const std::string& name) {
  const GemmShape made{.name = name,
                       .b = b,
                       .m = m,
                       .n = n,
                       .k = k,
                       .lda = lda != 0 ? lda : (ta ? m : k),
                       .ldb = ldb != 0 ? ldb : (tb ? k : n),
                       .ldc = ldc == 0 ? n : ldc,
                       .ta = ta,
                       .tb = tb,
                       .sa = sa,
                       .sb = sb,
                       .sc = sc,
                       .types = types_named(type)};
  validate(made);
  new (shape) GemmShape(made);
}

void bind_gemm(nb::module_& module) {
  bind_shape<GemmShape>(module, "GemmShape",
                        "The matrix product `C[b][i][j]` = sum of `A[b][i][k] * B[b][k][j]`.")
      .def("__init__", &init_gemm, nb::kw_only(), nb::arg("m"), nb::arg("n"), nb::arg("k"),
           nb::arg("b") = 1, nb::arg("lda") = 0, nb::arg("ldb") = 0, nb::arg("ldc") = 0,
           nb::arg("ta") = false, nb::arg("tb") = false, nb::arg("sa") = nb::none(),
           nb::arg("sb") = nb::none(), nb::arg("sc") = nb::none(), nb::arg("type") = "f32",
           nb::arg("name") = "", "A leading dimension of 0 stands for the length of a row.")
      .def_ro("b", &GemmShape::b)
      .def_ro("m", &GemmShape::m)
      .def_ro("n", &GemmShape::n)
      .def_ro("k", &GemmShape::k)
      .def_ro("lda", &GemmShape::lda)
      .def_ro("ldb", &GemmShape::ldb)
      .def_ro("ldc", &GemmShape::ldc)
      .def_ro("ta", &GemmShape::ta)
      .def_ro("tb", &GemmShape::tb)
      .def_ro("sa", &GemmShape::sa)
      .def_ro("sb", &GemmShape::sb)
      .def_ro("sc", &GemmShape::sc);
}

}  // namespace

void bind_problems(nb::module_& module) {
  bind_conv(module);
  bind_gemm(module);
  bind_shape<Relation>(module, "Relation", "A computation written as isl relations.")
      .def_ro("domain", &Relation::domain)
      .def_ro("reads", &Relation::reads)
      .def_ro("writes", &Relation::writes);
  bind_struct<&LayerTable::name, &LayerTable::layers>(module,
                                                      "Named layers that parse_problem() accepts.");
  module.def("parse_conv", &parse_conv, nb::arg("text"),
             "Return the convolution that a benchdnn descriptor or a layer name describes.");
  module.def("parse_gemm", &parse_gemm, nb::arg("text"),
             "Return the matrix product that \"m128n256k512\" or a layer name describes.");
  module.def("parse_problem", &parse_problem, nb::arg("text"),
             "Return the problem that any text form describes.");
  module.def("name_of", &name_of, nb::arg("problem"), "Return the layer name or the text form.");
  module.def("flops", &flops, nb::arg("problem"),
             "Return the floating-point operations: 2 per multiply-add.");
  module.def("load_layers", &load_layers, nb::arg("path"), "Return the layers of a table.");
  module.def("layer_tables", &layer_tables, "Return the tables that are built into the library.");
}

}  // namespace tileplan::python
