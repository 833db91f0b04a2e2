// SPDX-License-Identifier: Apache-2.0
// This program prints a ranked list of schedules for another tuner, one line each.
#include <tileplan/tileplan.h>

#include <cstdio>

int main() {
  const tileplan::Machine machine = tileplan::load_machine("cascade-lake-vm");
  const tileplan::Plan plan =
      tileplan::plan(tileplan::parse_problem("yolo9000-12"), machine, {.top = 20});
  for (const tileplan::Candidate& one : plan.candidates)
    std::printf("%.6g\t%s\n", one.prediction.seconds, tileplan::to_string(one.schedule).c_str());
  return plan.candidates.size() == 20 ? 0 : 1;
}
