// SPDX-License-Identifier: Apache-2.0
// version() names the linked library, and build_info() the libraries on which its results depend.
#pragma once

#include <string>

#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Returns the version and the commit that the library was built from: "0.1.0 (f498cfe)".
std::string version();

/// Returns the versions of isl and NLopt, on which results depend: "isl-0.25-GMP, nlopt 2.7.1".
std::string build_info();

}  // namespace tileplan
