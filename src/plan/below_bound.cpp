// SPDX-License-Identifier: Apache-2.0
// This file explains measured times that seem to refute a certificate.
#include "below_bound.h"

#include <algorithm>

#include "tileplan/text.h"

namespace tileplan {

std::string below_bound_text(const Plan& plan) {
  const double bound = plan.certificate.bound;
  double least = bound;
  for (const Candidate& each : plan.candidates)
    if (each.measurement) least = std::min(least, each.measurement->median_seconds);
  if (least >= bound) return "";
  const std::string reason = plan.machine.provenance.calibrated.empty()
                                 ? "predictions use estimated rates of this machine, and `tileplan "
                                   "calibrate` measures them"
                                 : "this machine was faster than in its calibration, and `tileplan "
                                   "calibrate` measures its rates again";
  return "measured times are up to " + fixed(100 * (1 - least / bound), 1) +
         " % below this bound, which is one on predicted times: " + reason;
}

}  // namespace tileplan
