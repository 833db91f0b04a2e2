// SPDX-License-Identifier: Apache-2.0
// The bound of a certificate is one on predicted times, so measured times can be below it.
#pragma once

#include <string>

#include "tileplan/plan.h"

namespace tileplan {

/// Returns a clause that tells by how much measured times of `plan` are below the bound of its
/// certificate and why they can be, or empty text if none is below.
std::string below_bound_text(const Plan& plan);

}  // namespace tileplan
