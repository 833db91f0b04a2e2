// SPDX-License-Identifier: Apache-2.0
// This file binds options.h and epilogue.h to Python.
#include "tileplan/options.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <optional>
#include <string>
#include <variant>

#include "bindings.h"
#include "enum_names.h"
#include "structs.h"
#include "tileplan/error.h"

namespace tileplan::python {
namespace nb = nanobind;
namespace {

void bind_quantisation(nb::module_& module) {
  bind_struct<&Quantisation::input_zero_point, &Quantisation::scaled_residual,
              &Quantisation::output_zero_point>(module, "Numbers that quantise tensors.")
      .def(
          "__init__",
          [](Quantisation* made, bool input_zero_point, const std::string& weights_zero_points,
             const std::string& scales, bool scaled_residual, bool output_zero_point) {
            new (made) Quantisation{input_zero_point, granularity_named(weights_zero_points),
                                    granularity_named(scales), scaled_residual, output_zero_point};
          },
          nb::kw_only(), nb::arg("input_zero_point") = false,
          nb::arg("weights_zero_points") = "none", nb::arg("scales") = "none",
          nb::arg("scaled_residual") = false, nb::arg("output_zero_point") = false,
          "Granularities are \"none\", \"tensor\" and \"channel\".")
      .def_prop_ro("weights_zero_points",
                   [](const Quantisation& each) { return name_of(each.weights_zero_points); })
      .def_prop_ro("scales", [](const Quantisation& each) { return name_of(each.scales); });
}

/// Returns the activation that `text` names. Throws Error when the text has other words. Limits
/// such as relu are members of their own.
Activation activation_named(const std::string& text) {
  const Epilogue parsed = parse_epilogue(text);
  if (parsed != Epilogue{.activation = parsed.activation})
    throw Error("activation is \"" + text +
                "\"; must be none, leaky=ALPHA, sigmoid, silu, hard-sigmoid=ALPHA:BETA or "
                "hard-swish (relu is low=0)");
  return parsed.activation;
}

void bind_epilogue(nb::module_& module) {
  const Epilogue none;
  bind_struct<&Epilogue::low, &Epilogue::high, &Epilogue::alpha, &Epilogue::beta, &Epilogue::bias,
              &Epilogue::add, &Epilogue::quantisation>(
      module, "output = clamp(activation(alpha * sum + beta * output + bias + residual)).")
      .def(
          "__init__",
          [](Epilogue* made, double low, double high, double alpha, double beta, bool bias,
             bool add, const std::optional<Quantisation>& quantisation,
             const std::string& activation) {
            new (made) Epilogue{low,
                                high,
                                alpha,
                                beta,
                                bias,
                                add,
                                quantisation.value_or(Quantisation{}),
                                activation_named(activation)};
          },
          nb::kw_only(), nb::arg("low") = none.low, nb::arg("high") = none.high,
          nb::arg("alpha") = none.alpha, nb::arg("beta") = none.beta, nb::arg("bias") = none.bias,
          nb::arg("add") = none.add, nb::arg("quantisation") = nb::none(),
          nb::arg("activation") = "none",
          "A text such as \"bias,relu\" serves wherever an epilogue does.")
      .def_prop_ro("activation",
                   [](const Epilogue& epilogue) {
                     return to_string(Epilogue{.activation = epilogue.activation});
                   })
      .def("__str__", [](const Epilogue& epilogue) { return to_string(epilogue); })
      .def("__repr__",
           [](const Epilogue& epilogue) { return "Epilogue(" + to_string(epilogue) + ")"; });
  module.def("parse_epilogue", &parse_epilogue, nb::arg("text"),
             "Return the epilogue that a text such as \"bias,add,relu\" describes.");
}

Epilogue epilogue_of(const std::variant<std::string, Epilogue>& given) {
  const auto* text = std::get_if<std::string>(&given);
  return text == nullptr ? std::get<Epilogue>(given) : parse_epilogue(*text);
}

// Each parameter is one argument in Python. NOLINTNEXTLINE(readability-function-size)
void init_options(Options* made, int top, int verify, double budget_seconds,
                  const std::string& layout, const std::string& weights, const std::string& regime,
                  int threads, const std::variant<std::string, Epilogue>& epilogue,
                  const std::string& capacity, bool certify_full, const std::string& algorithm,
                  double max_error, const std::optional<std::string>& variant, std::uint64_t seed) {
  new (made)
      Options{.top = top,
              .verify = verify,
              .budget_seconds = budget_seconds,
              .layout = parse_layout_choice(layout),
              .weights = parse_weights_choice(weights),
              .regime = parse_regime(regime),
              .threads = threads,
              .epilogue = epilogue_of(epilogue),
              .capacity = parse_capacity(capacity),
              .certify_full = certify_full,
              .algorithm = parse_algorithm(algorithm),
              .max_error = max_error,
              .variant = variant ? std::optional(parse_gemm_variant(*variant)) : std::nullopt,
              .seed = seed};
}

}  // namespace

void bind_options(nb::module_& module) {
  bind_quantisation(module);
  bind_epilogue(module);
  const Options d;
  bind_struct<&Options::top, &Options::verify, &Options::budget_seconds, &Options::threads,
              &Options::epilogue, &Options::certify_full, &Options::max_error, &Options::seed>(
      module, "The choices that the caller of plan() makes.")
      .def("__init__", &init_options, nb::kw_only(), nb::arg("top") = d.top,
           nb::arg("verify") = d.verify, nb::arg("budget_seconds") = d.budget_seconds,
           nb::arg("layout") = name_of(d.layout), nb::arg("weights") = to_string(d.weights),
           nb::arg("regime") = to_string(d.regime), nb::arg("threads") = d.threads,
           nb::arg("epilogue") = to_string(d.epilogue), nb::arg("capacity") = name_of(d.capacity),
           nb::arg("certify_full") = d.certify_full, nb::arg("algorithm") = to_string(d.algorithm),
           nb::arg("max_error") = d.max_error, nb::arg("variant") = nb::none(),
           nb::arg("seed") = d.seed, "Functions with options take these keywords.")
      .def_prop_ro("layout", [](const Options& options) { return name_of(options.layout); })
      .def_prop_ro("weights", [](const Options& options) { return to_string(options.weights); })
      .def_prop_ro("regime", [](const Options& options) { return to_string(options.regime); })
      .def_prop_ro("capacity", [](const Options& options) { return name_of(options.capacity); })
      .def_prop_ro("algorithm", [](const Options& options) { return to_string(options.algorithm); })
      .def_prop_ro("variant", [](const Options& options) { return text_of(options.variant); });
}

}  // namespace tileplan::python
