// SPDX-License-Identifier: Apache-2.0
// One layer as a document: what it is, where its bytes and its time go, and why this schedule.
#pragma once

#include <string>

#include "document.h"
#include "layer_report.h"

namespace tileplan {

Document layer_document(const LayerReport& report, const Provenance& provenance);

/// One row per cache and tensor, with headings.
std::string layer_csv(const LayerReport& report);

/// The section that says where a report comes from.
Section origin_section(const Plan& plan, const Provenance& provenance);

}  // namespace tileplan
