// SPDX-License-Identifier: Apache-2.0
// Each function adds the types and functions of some public headers to the Python module.
#pragma once

#include <nanobind/nanobind.h>

namespace tileplan::python {

void bind_problems(nanobind::module_& module);
void bind_machines(nanobind::module_& module);
void bind_options(nanobind::module_& module);
void bind_schedules(nanobind::module_& module);
void bind_plans(nanobind::module_& module);
void bind_graphs(nanobind::module_& module);
void bind_networks(nanobind::module_& module);
void bind_kernels(nanobind::module_& module);
void bind_gemm_call(nanobind::module_& module);
void bind_movement(nanobind::module_& module);
void bind_explanations(nanobind::module_& module);
void bind_requests(nanobind::module_& module);
void bind_exports(nanobind::module_& module);

}  // namespace tileplan::python
