// SPDX-License-Identifier: Apache-2.0
// This file formats the report of one layer as a document.
#pragma once

#include "document.h"
#include "layer_report.h"

namespace tileplan {

/// Returns the sections of a layer except that about the machine. Pages of networks contain these
/// sections too.
std::vector<Section> layer_sections(const LayerReport& report);

Document layer_document(const LayerReport& report, const Reproduction& origin);

/// Returns a text such as "convolution, batch 1: 3 x 224 x 224 -> 64 x 112 x 112, filter 7 x 7,
/// stride 2 x 2, padding 3 x 3". Sizes of two-dimensional images are channels x rows x columns.
std::string description(const Problem& problem);

/// Returns the loops of the first schedule, one per line, and the tile that each cache keeps.
std::string annotated_nest(const LayerReport& report);

/// Returns the section that compares predictions for changed machines with `seconds`, the best
/// prediction for the machine itself.
Section sensitivity_section(const std::vector<Sensitivity>& changes, double seconds);

Section origin_section(const Plan& plan, const Reproduction& origin);

}  // namespace tileplan
