// SPDX-License-Identifier: Apache-2.0
// This file calls plan(), recall(), verify() and remember() in turn.
#include "plan_with_records.h"

#include <algorithm>
#include <utility>

#include "recall.h"
#include "tileplan/verify.h"
#include "version.h"

namespace tileplan {

namespace {

Plan verify_with_records(Plan plan, const PlanFlags& flags) {
  if (flags.no_records) return verify(std::move(plan));
  Records records(flags.records.empty() ? records_path() : flags.records);
  const RecallOptions recall_options{.version = version_and_commit()};
  recall(plan, records, recall_options);
  Plan verified = verify(std::move(plan));
  remember(verified, records, recall_options);
  return verified;
}

}  // namespace

Plan plan_with_records(const Problem& problem, const Machine& machine, Options options,
                       const PlanFlags& flags) {
  const int count = options.verify;
  options.top = std::max(options.top, count);
  options.verify = 0;
  Plan result = plan(problem, machine, options);
  result.options.verify = count;
  return count > 0 ? verify_with_records(std::move(result), flags) : result;
}

}  // namespace tileplan
