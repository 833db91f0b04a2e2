// SPDX-License-Identifier: Apache-2.0
// This test checks kernels that compute vectors of pixels, V(w), and when plans use such kernels
// instead of vectors of output channels.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tileplan/error.h"
#include "tileplan/kernel.h"
#include "tileplan/plan.h"
#include "tileplan/verify.h"

namespace tileplan {
namespace {

bool has_pixel_vectors(const Candidate& candidate) {
  return candidate.schedule.loops.back().dim.find('w') != std::string::npos;
}

Plan planned(const std::string& problem, LayoutChoice layout, int threads = 1) {
  return plan(parse_problem(problem), load_machine("xeon-gold-6130"),
              {.layout = layout, .threads = threads});
}

/// Returns true when the compiled `schedule` computes every output correctly on this host.
bool computes(const std::string& problem, const std::string& schedule, Epilogue epilogue = {}) {
  Options options;
  options.epilogue = epilogue;
  return check_kernel(compile(plan_of(parse_problem(problem), detect_machine(),
                                      parse_schedule(schedule), options)),
                      1)
      .passed();
}

/// Returns the text of a schedule: the loop `first`, a loop over `vectors` vectors, the reduction
/// loops, and `rest`, which has the register tile, the closing bracket, the layouts and the marks.
std::string loops(const std::string& first, int vectors, const std::string& rest) {
  return "[" + first + ", T(" + std::to_string(vectors) + ",w), T(3,r), T(3,s), T(5,c), " + rest;
}

int vectors_of(int pixels) {
  const int lanes = detect_machine().vector.lanes;
  return (pixels + lanes - 1) / lanes;
}

}  // namespace

TEST_CASE("vectors of pixels read unpadded nchw in place, the last one as far as the row goes") {
  const std::string layer = "mb1ic5ih9oc3oh7kh3ph0iw43ow41kw3pw0";
  CHECK(computes(layer, loops("T(7,h)", vectors_of(41), "U(3,k), V(w)] in=nchw out=nchw")));
  CHECK(computes(layer, loops("T(3,k)", vectors_of(41), "U(7,h), V(w)] in=nchw out=nchw")));
}

TEST_CASE("padding and strides are packed, from any layout; an nhwc output is transposed") {
  const std::string rest = "U(3,k), V(w)] ";
  for (const char* const layouts : {"in=nchw out=nchw", "in=nhwc out=nhwc", "in=nhwc out=nchw"}) {
    CAPTURE(layouts);
    const std::string mark = std::string(layouts) + " pack=in@0";
    CHECK(computes("mb1ic5ih7oc3oh7kh3ph1iw41ow41kw3pw1",
                   loops("T(7,h)", vectors_of(41), rest + mark)));
    CHECK(computes("mb1ic5ih15oc3oh7kh3sh2ph0iw83ow41kw3sw2pw0",
                   loops("T(7,h)", vectors_of(41), rest + mark)));
  }
}

TEST_CASE("the input of the next pixels is prefetched beside the current") {
  const std::string tiles =
      "[T(" + std::to_string(vectors_of(400)) + ",hw), T(2,k), T(5,c), U(3,k), V(hw)] ";
  CHECK(computes("mb1ic5ih20oc6oh20kh1ph0", tiles + "in=nchw out=nchw ahead=0"));
  CHECK(computes("mb1ic5ih9oc3oh7kh3ph0iw43ow41kw3pw0",
                 loops("T(7,h)", vectors_of(41), "U(3,k), V(w)] in=nchw out=nchw ahead=0")));
}

TEST_CASE("two sizes along each of two dims") {
  const auto singles_then_pairs = [](const char* dim, int vectors) {
    const int singles = vectors % 2 + 2;
    return "L(" + std::string(dim) + ",[" + std::to_string(singles) + "*1," +
           std::to_string((vectors - singles) / 2) + "*2]), ";
  };
  CHECK(computes("mb1ic5ih31oc17oh31kh1ph0",
                 "[" + singles_then_pairs("hw", vectors_of(31 * 31)) +
                     "L(k,[2*4,3*3]), T(5,c), U(k), U(hw), V(hw)] in=nchw out=nchw"));
  CHECK(computes("mb1ic5ih13oc80oh13kh3ph1",
                 "[T(13,h), L(w,[5*2,1*3]), " + singles_then_pairs("k", vectors_of(80)) +
                     "T(3,r), T(3,s), T(5,c), U(w), U(k), V(k)] in=nhwc out=nhwc"));
}

TEST_CASE("the epilogue adds one bias to a row of pixels") {
  Epilogue epilogue;
  epilogue.bias = epilogue.add = true;
  epilogue.low = 0;
  CHECK(computes("mb1ic5ih7oc3oh7kh3ph1iw41ow41kw3pw1",
                 loops("T(7,h)", vectors_of(41), "U(3,k), V(w)] in=nchw out=nchw pack=in@0"),
                 epilogue));
}

TEST_CASE("one output channel of nchw is planned with vectors of pixels, 256 of nhwc without") {
  const std::string rest = "oh56kh3ph1";
  CHECK(has_pixel_vectors(planned("mb1ic64ih56oc1" + rest, LayoutChoice::nchw).candidates.front()));
  CHECK(has_pixel_vectors(planned("mb1ic64ih56oc3" + rest, LayoutChoice::nchw).candidates.front()));
  CHECK_FALSE(
      has_pixel_vectors(planned("mb1ic64ih56oc256" + rest, LayoutChoice::nhwc).candidates.front()));
}

TEST_CASE("19 output channels are planned with vectors of pixels for any number of threads") {
  for (const int threads : {1, 2, 4})
    CHECK(has_pixel_vectors(
        planned("mb1ic64ih56oc19oh56kh3ph1", LayoutChoice::nchw, threads).candidates.front()));
}

TEST_CASE("blocks of channels hold no vectors of pixels: none is a candidate") {
  const Plan blocked = planned("mb1ic64ih56oc1oh56kh3ph1", LayoutChoice::blocked);
  CHECK(std::none_of(blocked.candidates.begin(), blocked.candidates.end(), has_pixel_vectors));
}

TEST_CASE("every candidate with vectors of pixels compiles and is right") {
  const Machine machine = detect_machine();
  for (const char* const problem : {"mb2ic6ih9oc2oh9kh3ph1", "mb1ic6ih11oc1oh6kh1sh2ph0",
                                    "g2mb1ic6ih10oc4oh5kh3sh2ph1", "mb1ic6ih9oc3oh9kh1ph0"})
    for (const LayoutChoice layout : {LayoutChoice::nchw, LayoutChoice::nhwc}) {
      const Plan all = plan(parse_problem(problem), machine, {.top = 6, .layout = layout});
      for (std::size_t rank = 0; rank < all.candidates.size(); ++rank) {
        CAPTURE(problem);
        CAPTURE(to_string(all.candidates[rank].schedule));
        CHECK(check_kernel(compile(all, rank), 1).passed());
      }
    }
}

}  // namespace tileplan
