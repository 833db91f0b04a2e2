// SPDX-License-Identifier: Apache-2.0
// This test compares the footprints of several kinds of computations with isl's exact counts.
#include "cross_check.h"

#include <doctest/doctest.h>

using namespace tileplan;

namespace {

/// The only index of X has three iterators.
const char* const kThreeIterators =
    "{ S[a,b,c,d] : 0 <= a < 9 and 0 <= b < 8 and 0 <= c < 5 and 0 <= d < 4 } "
    "reads { S[a,b,c,d] -> X[2a + 3c + d]; S[a,b,c,d] -> Y[c,d,b] } "
    "writes { S[a,b,c,d] -> Z[a,b] }";

}  // namespace

TEST_CASE("footprints equal isl's counts for strides, dilation, groups, gemm and three iterators") {
  for (const char* text :
       {"mb2ic8ih20oc8oh10kh3sh2ph1", "mb1ic4ih20oc4kh3ph2dh1", "g2mb1ic8ih12oc8oh12kh3ph1",
        "mb1ic3ih30oc8kh5sh7ph0", "m12n20k9", "b3m4n5k6", kThreeIterators}) {
    CAPTURE(text);
    cross_check_footprints(computation_of(parse_problem(text)));
    CHECK(true);  // A difference would have aborted the test.
  }
}
