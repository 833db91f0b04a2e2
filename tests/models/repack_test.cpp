// SPDX-License-Identifier: Apache-2.0
// This test checks the predicted time of transposing tensors whose layout the loops cannot use.
#include "repack.h"

#include <doctest/doctest.h>

#include "close_to.h"
#include "cost.h"

using namespace tileplan;

namespace {

/// Returns a machine of `hertz` cycles per second. Its caches have 1 KiB and 8 KiB, are filled at
/// 16 and 4 bytes per second, and are written at a third of these rates.
Machine toy(double hertz = 1000) {
  Machine machine;
  machine.clock.hertz = hertz;
  machine.cores = 1;
  // A store takes as long as three reads. Two of these stand for the write-back, and one for the
  // read for ownership.
  machine.caches = {{.name = "L1",
                     .capacity_bytes = 1024,
                     .fill_bytes_per_second = 16,
                     .write_bytes_per_second = 16.0 / 3},
                    {.name = "L2",
                     .capacity_bytes = 8192,
                     .fill_bytes_per_second = 4,
                     .write_bytes_per_second = 4.0 / 3}};
  return machine;
}

Repack repack_of(const std::string& problem, const std::string& text,
                 const Machine& machine = toy(), int cores = 1) {
  const Computation computation = computation_of(parse_problem(problem));
  const Schedule schedule = parse_schedule(text);
  return repack(computation, schedule, resolve(schedule, computation, 16), machine, cores);
}

}  // namespace

TEST_CASE("1 KiB of output in L2 is read and written through the link of L1: 2048/16 + 1024/8 s") {
  const Repack cost = repack_of("mb1ic1ih4oc16oh4kh1", "[T(4,h), U(4,w), V(k)] in=nchw out=nchw");
  CHECK(cost.output == close_to(256));
  CHECK(cost.input == 0);  // The kernel broadcasts pixels, which it can read from nchw in place.
}

TEST_CASE("an output that L2 cannot hold twice is copied through memory: 65536/4 + 32768/2 s") {
  const Repack cost = repack_of("mb1ic1ih16oc32oh16kh1",
                                "[T(2,k), T(16,h), T(4,w), U(4,w), V(k)] in=nhwc out=nchw");
  CHECK(cost.output == close_to(2 * 32768.0 / 4 + 32768.0 / 2));
}

TEST_CASE("a slow core takes 0.8 cycles for each of 256 outputs; two share them, and the link") {
  const char* const problem = "mb1ic1ih4oc16oh4kh1";
  const char* const schedule = "[T(4,h), U(4,w), V(k)] in=nchw out=nchw";
  CHECK(repack_of(problem, schedule, toy(0.5)).output == close_to(409.6));
  CHECK(repack_of(problem, schedule, toy(0.5), 2).output == close_to(204.8));
  CHECK(repack_of(problem, schedule, toy(), 2).output == close_to(128));
}

TEST_CASE("vectors of pixels write nchw, so that an nhwc output is repacked unless it is both") {
  const std::string loops = "[T(4,h), U(4,k), V(w)] ";
  CHECK(repack_of("mb1ic1ih4oc4oh4kh1iw16ow16", loops + "in=nchw out=nchw").output == 0);
  CHECK(repack_of("mb1ic1ih4oc4oh4kh1iw16ow16", loops + "in=nhwc out=nhwc").output ==
        close_to(256));
  CHECK(repack_of("mb1ic1ih4oc1oh4kh1iw16ow16", "[T(4,h), V(w)] in=nhwc out=nhwc").output == 0);
}

TEST_CASE("depthwise kernels read vectors of channels: their input is repacked too; nhwc is free") {
  const std::string loops = "[T(4,h), U(4,w), V(g)] ";
  const Repack cost = repack_of("g16mb1ic16ih4oc16oh4kh1", loops + "in=nchw out=nhwc");
  CHECK(cost.input == close_to(256));
  CHECK(cost.output == 0);
  CHECK(repack_of("g16mb1ic16ih4oc16oh4kh1", loops + "in=nhwc out=nhwc").seconds() == 0);
}

TEST_CASE("a prediction is longer by the repacking, nothing of which is hidden") {
  const Computation computation = computation_of(parse_problem("mb1ic1ih4oc16oh4kh1"));
  Machine machine = toy();
  machine.vector = {.isa = Isa::avx512, .lanes = 16};
  const auto seconds = [&](const std::string& layouts) {
    return predict(computation, parse_schedule("[T(4,h), U(4,w), V(k)] " + layouts), machine)
        .seconds;
  };
  CHECK(seconds("in=nhwc out=nchw") - seconds("in=nhwc out=nhwc") == close_to(256));
}
