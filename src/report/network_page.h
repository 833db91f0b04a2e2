// SPDX-License-Identifier: Apache-2.0
// This file formats the report of a network as a document.
#pragma once

#include "document.h"
#include "network_report.h"

namespace tileplan {

Document network_document(const NetworkReport& report, const Reproduction& origin);

}  // namespace tileplan
