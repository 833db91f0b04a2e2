// SPDX-License-Identifier: Apache-2.0
// This program prints the bytes and the seconds that are predicted for a layer in each cache of a
// shipped machine.
#include <tileplan/tileplan.h>

#include <cstdio>

int main() {
  const tileplan::Machine machine = tileplan::load_machine("xeon-gold-6130");
  const tileplan::Plan plan = tileplan::plan(tileplan::parse_problem("yolo9000-8"), machine);
  const tileplan::Candidate& best = plan.candidates.front();
  std::printf("%s\ncompute %.3g s\n", tileplan::to_string(best.schedule).c_str(),
              best.prediction.compute_seconds);
  for (const tileplan::LevelPrediction& level : best.prediction.levels)
    std::printf("%s filled with %.3g bytes in %.3g s\n", level.name.c_str(), level.bytes,
                level.seconds);
  std::printf("predicted %.3g s, bottleneck %s\n", best.prediction.seconds,
              best.prediction.bottleneck.c_str());
  return best.prediction.levels.empty() ? 1 : 0;
}
