// SPDX-License-Identifier: Apache-2.0
// These functions draw inline SVG. CSS classes set the colours, so that dark pages can change them.
#pragma once

#include <pugixml.hpp>

#include "document.h"

namespace tileplan {

inline constexpr double kChartWidth = 480;  ///< Charts have this width in units of SVG.

void add_bars(pugi::xml_node parent, const BarChart& chart);

/// Draws a row of time spans for each lane.
void add_timeline(pugi::xml_node parent, const Timeline& timeline);

/// Draws a curve with steps. The limits are lines across the plot.
void add_curve(pugi::xml_node parent, const StepCurve& curve);

/// Draws `roofline`, which must have at least one point.
void add_roofline(pugi::xml_node parent, const Roofline& roofline);

}  // namespace tileplan
