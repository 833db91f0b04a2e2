// SPDX-License-Identifier: Apache-2.0
// This test checks that the remaining time is estimated from the elapsed time, or from an expected
// time while nothing is done.
#include "tileplan/progress.h"

#include <doctest/doctest.h>

using namespace tileplan;

TEST_CASE("progress: the rest takes as long per percent as what is done") {
  CHECK(progress_text("bench", 0.25, 10) == "bench: 25 %, 30 s left");
  CHECK(progress_text("bench", 0.5, 600) == "bench: 50 %, 10 min left");
  CHECK(progress_text("bench", 1, 10) == "bench: 100 %, 0 s left");
}

TEST_CASE("progress: no time is guessed at the start") {
  CHECK(progress_text("bench m8n16k8", 0, 10) == "bench m8n16k8: 0 %");
  CHECK(progress_text("bench", 0.1, 0.5) == "bench: 10 %");
}

TEST_CASE("progress: an expected time counts down until something is done") {
  CHECK(progress_text("study ranking", 0, 0, 600) == "study ranking: 0 %, 10 min left");
  CHECK(progress_text("study ranking", 0, 60, 120) == "study ranking: 0 %, 60 s left");
  CHECK(progress_text("study ranking", 0, 60, 50) == "study ranking: 0 %, 0 s left");
  CHECK(progress_text("study ranking", 0.5, 30, 600) == "study ranking: 50 %, 30 s left");
}
