// SPDX-License-Identifier: Apache-2.0
// This header gives the version of isl without including the headers of isl.
#pragma once

#include <string>

namespace tileplan {

/// Returns a text like "isl-0.25-GMP".
std::string version_of_isl();

}  // namespace tileplan
