// SPDX-License-Identifier: Apache-2.0
// Names the version of isl without its headers.
#pragma once

#include <string>

namespace tileplan {

/// Returns a text like "isl-0.25-GMP".
std::string version_of_isl();

}  // namespace tileplan
