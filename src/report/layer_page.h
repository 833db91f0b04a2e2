// SPDX-License-Identifier: Apache-2.0
// One layer as a document: what it is, where its bytes and its time go, and why this schedule.
#pragma once

#include <string>

#include "document.h"
#include "layer_report.h"

namespace tileplan {

/// "convolution, batch 1: 3 x 224 x 224 -> 64 x 112 x 112, filter 7 x 7, stride 2 x 2, padding 3 x
/// 3": channels x rows x columns. Products and relations likewise.
std::string description(const Problem& problem);

/// The loops of the first schedule, one per line and indented, each with its steps in words; above
/// the loops whose data a cache keeps, the bytes of each tensor that it keeps.
std::string annotated_nest(const LayerReport& report);

Document layer_document(const LayerReport& report, const Provenance& provenance);

/// One row per cache and tensor, with headings.
std::string layer_csv(const LayerReport& report);

/// The section that says where a report comes from.
Section origin_section(const Plan& plan, const Provenance& provenance);

}  // namespace tileplan
