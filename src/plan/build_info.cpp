// SPDX-License-Identifier: Apache-2.0
// This file names the libraries whose versions can change results.
#include "isl_version.h"
#include "relax.h"
#include "tileplan/version.h"

namespace tileplan {

std::string build_info() { return version_of_isl() + ", nlopt " + version_of_nlopt(); }

}  // namespace tileplan
