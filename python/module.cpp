// SPDX-License-Identifier: Apache-2.0
// Most names in the extension module tileplan._tileplan are those of the C++ interface.
#include <nanobind/stl/string.h>

#include "bindings.h"
#include "tileplan/error.h"
#include "tileplan/version.h"

namespace nb = nanobind;

NB_MODULE(_tileplan, module) {
  using namespace tileplan;
  // nanobind would report objects that threads still hold at exit, which is no error. The tests
  // turn its reports on to find objects that nothing holds.
  nb::set_leak_warnings(false);
  module.def(
      "set_leak_warnings", [](bool enabled) { nb::set_leak_warnings(enabled); },
      nb::arg("enabled"));
  nb::exception<Error>(module, "Error", PyExc_ValueError);
  module.attr("Error").attr("__doc__") =
      "A shape, a file, an array or an option is wrong. The message names its value and the rule.";
  module.def("version", &version, "Return the version and the commit of the library.");
  module.def("build_info", &build_info, "Return the versions of isl and NLopt.");
  python::bind_problems(module);
  python::bind_machines(module);
  python::bind_options(module);
  python::bind_schedules(module);
  python::bind_movement(module);
  python::bind_plans(module);
  python::bind_networks(module);
  python::bind_kernels(module);
  python::bind_gemm_call(module);
  python::bind_graphs(module);
  python::bind_explanations(module);
  python::bind_requests(module);
  python::bind_exports(module);
}
