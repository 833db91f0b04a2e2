// SPDX-License-Identifier: Apache-2.0
// This test compares the cost of calls, the bytes on each link and predicted times with values
// computed by hand.
#include "cost.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "bounds.h"
#include "call_cycles.h"
#include "capacity.h"
#include "close_to.h"
#include "cost_machine.h"
#include "dispatch.h"
#include "random_computation.h"
#include "reduction.h"
#include "repack.h"

using namespace tileplan;

namespace {

double cycles(const Computation& computation, const std::string& text) {
  return call_cycles(computation, resolve(schedule(text), computation, 16), machine({}));
}

}  // namespace

TEST_CASE(
    "cost: reduction loops around the register tile are its steps, all other loops its calls") {
  const Computation conv = toy::conv({.k = 64, .c = 8, .h = 2, .w = 14, .r = 3, .s = 3});
  // The microkernel is called 4 times, and each call has 72 steps.
  CHECK(cycles(conv, "[R(h), T(2,k), T(3,r), T(3,s), T(8,c), U(14,w), U(2,k), V(k)]") ==
        close_to(4 * (62 + 72 * 14)));
  // The loop c outside h makes 8 times as many calls, with 9 steps each.
  CHECK(cycles(conv, "[T(8,c), R(h), T(2,k), T(3,r), T(3,s), U(14,w), U(2,k), V(k)]") ==
        close_to(32 * (62 + 9 * 14)));
  // A loop of one trip does not end a call's reduction, and each unrolled tap is a step.
  CHECK(cycles(conv, "[R(h), T(2,k), T(8,c), R(n), T(3,r), U(3,s), U(14,w), U(2,k), V(k)]") ==
        close_to(4 * (62 + 72 * 14)));
}

TEST_CASE("cost: each branch of a lambda calls its own register tile") {
  const Computation conv = toy::conv({.k = 32, .c = 8, .w = 34});
  // A tile of 11 x 2 takes 11 cycles per step and 22/2 + 22 + 20 = 53 per call. A tile of 12 x 2
  // takes 12 cycles per step and 56 per call.
  CHECK(cycles(conv, "[L(w,[2*11,1*12]), T(8,c), U(w), U(2,k), V(k)]") ==
        close_to(2 * (53 + 8 * 11) + (56 + 8 * 12)));
  // A reduction loop outside the list of blocks (lambda) splits each call into calls of one step.
  CHECK(cycles(conv, "[T(8,c), L(w,[2*11,1*12]), U(w), U(2,k), V(k)]") ==
        close_to(8 * (2 * (53 + 11) + (56 + 12))));
}

TEST_CASE("cost: padded channels are computed") {
  const Computation conv = toy::conv({.k = 20, .c = 64, .w = 14});
  CHECK(cycles(conv, "[R(c), U(14,w), U(2,k), V(k)]") == close_to(62 + 64 * 14));
}

TEST_CASE("cost: a gemm counts rows of A as pixels") {
  const Computation product = toy::gemm({.i = 28, .j = 32, .k = 64});
  CHECK(cycles(product, "[R(i), R(k), U(14,i), U(2,j), V(j)]") == close_to(2 * (62 + 64 * 14)));
}

TEST_CASE("cost: (T) is the sum for exponent 1 and the maximum for a large one") {
  CHECK(overlap_times(3, {1, 2}, 1) == close_to(6));
  CHECK(overlap_times(3, {4}, 2) == close_to(5));
  CHECK(overlap_times(3, {1, 2}, 1000) == close_to(3));
  CHECK(overlap_times(1e-300, {1e-300}, 4) == close_to(1e-300 * std::pow(2, 0.25)));
  CHECK(overlap_times(0, {}, 4) == 0);
}

TEST_CASE("cost: packing the input is not hidden behind computation") {
  Machine any = machine({cache("L1", 1 << 20, 16, 1e9)});
  any.rates.overlap_exponent = 1e3;  // With a large exponent, all other terms overlap completely.
  const Computation conv = pointwise(64, 28);
  const std::string loops = "[T(2,w), R(c), U(14,w), U(2,k), V(k)] in=nhwc out=nhwc";
  const double direct = predict(conv, schedule(loops), any).seconds;
  const double packed = predict(conv, schedule(loops + " pack=in@0"), any).seconds;
  // The source is read, and the destination is written at half the rate.
  const double copied = 4.0 * 64 * 28;
  CHECK(packed - direct == close_to(copied * (1 / 1e9 + 1 / 0.5e9)).epsilon(1e-3));
}

TEST_CASE(
    "cost: a tenth of computing or of what comes from beyond L2 is not hidden, unless prefetched") {
  const Computation conv = pointwise(64, 28);
  // The last cache has room for two blocks of 14 input pixels, as a prefetch requires. Predictions
  // take the mean over 0.75, 1 and 1.25 of its capacity. Even the largest cannot hold all tensors.
  Machine any = machine({cache("L1", 4096, 8, 64e9), cache("L2", 15000, 8, 32e9)});
  any.rates.overlap_exponent = 1e3;  // With a large exponent, all other terms overlap.
  const std::string loops = "[R(w), R(c), U(14,w), U(2,k), V(k)] in=nhwc out=nhwc";
  const Prediction plain = predict(conv, schedule(loops), any);
  CHECK(plain.levels[1].seconds < plain.compute_seconds);
  CHECK(plain.seconds - plain.compute_seconds == close_to(0.1 * plain.levels[1].seconds));

  const Prediction ahead = predict(conv, schedule(loops + " ahead=0"), any);
  CHECK(plain.seconds - ahead.seconds == close_to(0.1 * 4 * 1792 / 32e9));

  // Loading now takes longer than computing, and a tenth of the computation is exposed.
  any.caches[1].fill_bytes_per_second = 1e9;
  const Prediction bound = predict(conv, schedule(loops), any);
  CHECK(bound.levels[1].seconds > bound.compute_seconds);
  CHECK(bound.seconds - bound.levels[1].seconds == close_to(0.1 * bound.compute_seconds));
}

TEST_CASE("cost: packing the input avoids the conflicts and costs three copies of it") {
  const Computation conv = pointwise(1024, 28);
  const Machine any = machine({cache("L1", 32768, 8, 64e9)});
  const std::string loops = "[R(w), R(c), U(14,w), U(2,k), V(k)] in=nhwc out=nhwc";
  const double direct = predict(conv, schedule(loops), any).levels[0].bytes;
  const double packed = predict(conv, schedule(loops + " pack=in@0"), any).levels[0].bytes;
  CHECK(direct - packed == close_to(64.0 * 2 * 6 * (1024 - 64) - 3 * 4 * 1024 * 28));
}

TEST_CASE("cost: parallel loops share calls and private links among the cores") {
  const Computation conv = toy::conv({.k = 32, .c = 64, .h = 3, .w = 14});
  Machine two = machine({cache("L1", 4096, 8, 64e9), cache("L2", 8192, 8, 32e9)});
  two.caches[1].shared_by_cores = 2;
  const std::string inner = " R(c), U(14,w), U(2,k), V(k)] in=nhwc out=nhwc";
  const Prediction alone = predict(conv, schedule("[T(3,h)," + inner), two);
  two.cores = 2;
  const Prediction shared = predict(conv, schedule("[P(3,h)," + inner), two);
  // One core computes 2 of the 3 rows.
  CHECK(shared.compute_seconds == close_to(alone.compute_seconds * 2 / 3));
  CHECK(shared.levels[0].seconds == close_to(alone.levels[0].seconds * 2 / 3));
  // One core loads the weights 3 times. Two cores load the weights together, once in each of 2
  // steps.
  const double weights = 4 * 64 * 32;
  CHECK(alone.levels[1].seconds - shared.levels[1].seconds == close_to(weights / 32e9));
  CHECK(shared.levels[0].bytes == alone.levels[0].bytes);
}

TEST_CASE("cost: cores fill a shared last cache at their joint rate, at most that of each alone") {
  const Computation conv = toy::conv({.k = 32, .c = 64, .h = 3, .w = 14});
  Machine two = machine({cache("L1", 4096, 8, 64e9), cache("L2", 8192, 8, 32e9)});
  two.caches[1].shared_by_cores = two.cores = 2;
  const auto seconds = [&](double joint) {
    two.rates.joint_bytes_per_second = joint;
    return predict(conv, schedule("[P(3,h), R(c), U(14,w), U(2,k), V(k)] in=nhwc out=nhwc"), two)
        .levels[1]
        .seconds;
  };
  const double unknown = seconds(0);
  CHECK(seconds(16e9) == unknown);
  CHECK(seconds(48e9) == close_to(unknown * 32 / 48));
  CHECK(seconds(640e9) == close_to(unknown / 2));
}

TEST_CASE("cost: the slowest part is the bottleneck, the bound is of the last level") {
  const Computation conv = pointwise(64, 28);
  const Schedule text = schedule("[R(w), R(c), U(14,w), U(2,k), V(k)] in=nhwc out=nhwc");
  const Prediction slow =
      predict(conv, text, machine({cache("L1", 4096, 8, 64e9), cache("L2", 8192, 8, 1e9)}));
  CHECK(slow.bottleneck == "L2");
  CHECK(slow.seconds >= slow.levels[1].seconds);
  CHECK(slow.bound_bytes >= 4 * (1792 + 2048 + 896));
  CHECK(slow.bound_bytes <= slow.levels[1].bytes);
}

TEST_CASE("cost: private last caches are bounded at their joint size") {
  const Computation product = computation_of(parse_problem("m256n256k256"));
  Machine four = machine({cache("L1", 16384, 8, 64e9)});
  const double one = bound_bytes(product, four);
  four.cores = 4;
  const double usable = usable_units(four.caches[0], 4);
  CHECK(one == close_to(4 * lower_bound(product, usable).bound));
  CHECK(bound_bytes(product, four) == close_to(4 * lower_bound(product, 4 * usable).bound));
  CHECK(bound_bytes(product, four) < one);
  four.caches[0].shared_by_cores = 4;
  CHECK(bound_bytes(product, four) == one);
}

TEST_CASE("cost: blocks of two sizes take as long as two problems that have one of them each") {
  // The first level keeps the weights of one vector, but loads those of three vectors again for
  // each tile. The rate of the link is so low that this traffic prolongs the execution.
  Machine any = machine({cache("L1", 16384, 8, 16e9)});
  any.rates.overlap_exponent = 2;
  const auto seconds = [&](const std::string& problem, const std::string& text) {
    const Prediction prediction =
        predict(computation_of(parse_problem(problem)), schedule(text), any);
    return prediction.seconds - prediction.unhidden.sum();
  };
  const std::string inside = "R(i), R(k), U(4,i), ";
  const double apart = seconds("m64n16k128", "[" + inside + "V(j)]") +
                       seconds("m64n48k128", "[" + inside + "U(3,j), V(j)]");
  const double joined = seconds("m64n64k128", "[L(j,[1*1,1*3]), " + inside + "U(j), V(j)]");
  CHECK(std::abs(joined / apart - 1) < 0.01);
}

TEST_CASE("cost: a schedule that does not cover the problem is refused") {
  CHECK_THROWS(predict(pointwise(64, 28), schedule("[R(c), U(14,w), U(2,k), V(k)]"), machine({})));
}

namespace {

/// Returns the predicted cycles without those of computation, on a machine whose links take no
/// time.
double cycles_of_packing(const Computation& conv, const std::string& text) {
  const Prediction all = predict(conv, schedule(text), machine({cache("L1", 1 << 20, 8, 1e15)}));
  return kHertz * (all.seconds - all.compute_seconds);
}

}  // namespace

TEST_CASE(
    "cost: vectors of pixels pack rows of 64 at 50 cycles, from nhwc at 1 per pixel if more") {
  const Computation conv = computation_of(parse_problem("mb1ic4ih8oc1oh8kh1ph0iw64ow64kw3pw1"));
  const std::string loops = "[T(8,h), T(3,s), T(4,c), U(4,w), V(w)] pack=in@0 out=nchw in=";
  // A row has 66 pixels, of which 64 are inside the array. Packing takes 20 cycles per row and 30
  // more per 64 pixels.
  const double rows = 8 * 4, elements = rows * 66;
  CHECK(cycles_of_packing(conv, loops + "nchw") ==
        close_to((20 + 30 * 66 / 64.0) * rows * 64 / 66));
  CHECK(cycles_of_packing(conv, loops + "nhwc") == close_to(elements * 64 / 66));
}

TEST_CASE("cost: vectors of channels pack pixels at 50 cycles, from nchw at 3 per channel") {
  const Computation conv = computation_of(parse_problem("mb1ic64ih8iw16oc16oh8ow16kh1"));
  const std::string loops = "[T(8,h), T(64,c), U(16,w), V(k)] pack=in@0 out=nhwc in=";
  const double pixels = 8 * 16, elements = pixels * 64;
  CHECK(cycles_of_packing(conv, loops + "nhwc") == close_to(50 * pixels));
  CHECK(cycles_of_packing(conv, loops + "nchw") == close_to(3 * elements));
}

TEST_CASE("cost: plain weights pack rows of a register tile, and single weights at 3 cycles") {
  const Computation product = computation_of(parse_problem("m8n64k32"));
  const std::string gemm = "[T(2,j), T(32,k), U(8,i), U(2,j), V(j)] pack=weights@0";
  // A row of 32 columns takes 20 cycles, and 30 more per 64 columns.
  CHECK(cycles_of_packing(product, gemm) == close_to(35 * 32 * 2));
  // The register tiles have 16 and 48 columns, and each step has one row of each.
  const std::string uneven = "[T(1,i), L(j,[1*1,1*3]), T(32,k), U(8,i), U(j), V(j)]";
  CHECK(cycles_of_packing(product, uneven + " pack=weights@0") == close_to((27.5 + 42.5) * 32));
  const Computation conv = computation_of(parse_problem("mb1ic32ih1iw8oc64oh1ow8kh1"));
  const std::string loops = "[T(2,k), T(32,c), U(8,w), U(2,k), V(k)] in=nhwc out=nhwc ";
  CHECK(cycles_of_packing(conv, loops + "pack=weights@0") == close_to(3 * 2048));
}

TEST_CASE("cost: boxes that a cache cannot hold are packed at the rate of its link") {
  const Computation product = computation_of(parse_problem("m8n64k512"));
  const std::string loops = "T(2,j), T(512,k), U(8,i), U(2,j), V(j)] pack=weights@0";
  const auto packing = [&](const std::string& text, std::int64_t second) {
    const Machine any = machine(
        {cache("L1", 4096, 8, 1e15), cache("L2", second, 8, 1e9), cache("L3", 1 << 20, 8, 1e9)});
    return predict(product, schedule(text), any).unhidden.packing;
  };
  // The copy reads 128 KiB of weights, and writes as many bytes at half the rate, which includes
  // the read for ownership.
  CHECK(packing("[T(1,i), " + loops, 1 << 16) == close_to(3 * 131072 / 1e9));
  CHECK(packing("[T(1,i), " + loops, 1 << 18) == close_to(35 * 512 * 2 / kHertz));
  CHECK(packing("[" + loops, 1 << 17) == close_to(35 * 512 * 2 / kHertz));
}

TEST_CASE("cost: computing does not overlap with the traffic of copies into boxes") {
  const Computation product = computation_of(parse_problem("m8n64k512"));
  const Machine any = machine(
      {cache("L1", 4096, 8, 1e15), cache("L2", 100 << 10, 8, 16e9), cache("L3", 1 << 20, 8, 1e15)});
  const auto predicted = [&](const std::string& marks) {
    return predict(product, schedule("[T(2,j), T(512,k), U(8,i), U(2,j), V(j)] " + marks), any);
  };
  // The weights occupy the link for the same time whether they are packed or read in place.
  const Prediction packed = predicted("pack=weights@0"), plain = predicted("weights=plain");
  CHECK(packed.levels[1].seconds == close_to(plain.levels[1].seconds));
  CHECK(packed.seconds - packed.unhidden.sum() >= packed.compute_seconds + 131072 / 16e9);
  CHECK(plain.seconds - plain.unhidden.sum() < plain.compute_seconds + 131072 / 16e9);
}

TEST_CASE("cost: packed outputs take 50 cycles per row of vectors, in and out") {
  const Computation product = computation_of(parse_problem("m8n64k32"));
  CHECK(cycles_of_packing(product, "[T(2,j), T(32,k), U(8,i), U(2,j), V(j)] pack=out@0") ==
        close_to(50 * 8 * 2));
  CHECK(cycles_of_packing(product, "[T(2,k), T(2,j), T(16,k), U(8,i), U(2,j), V(j)] pack=out@1") ==
        close_to(3 * 50 * 8 * 2));
}

TEST_CASE("cost: a row of weights in place takes whole lines, a packed one does not") {
  const Computation product = computation_of(parse_problem("m64n24k4096"));
  const Machine any = machine({cache("L1", 4096, 8, 64e9)});
  const std::string loops = "[T(2,j), T(64,i), T(4096,k), U(1,i), V(j)]";
  const double packed = predict(product, schedule(loops), any).levels[0].bytes;
  const double in_place = predict(product, schedule(loops + " weights=plain"), any).levels[0].bytes;
  CHECK(in_place > packed);
}

TEST_CASE("cost: `ahead` beside a link that is busy all the time costs half a cycle per line") {
  const Machine three = machine(
      {cache("L1", 4096, 8, 64e9), cache("L2", 1 << 18, 8, 1e9), cache("L3", 16 << 20, 8, 1e9)});
  const auto prefetching = [&](const std::string& problem, const std::string& text) {
    return predict(computation_of(parse_problem(problem)), schedule(text), three)
        .unhidden.prefetching;
  };
  const std::string row = "[T(16,j), T(1024,k), U(2,j), V(j)]";
  const Prediction bare =
      predict(computation_of(parse_problem("m1n512k1024")), schedule(row), three);
  const double lines = 512.0 * 1024 * 4 / 64, half_cycle = 0.5 / three.clock.hertz;
  CHECK(bare.unhidden.prefetching == 0);
  CHECK(prefetching("m1n512k1024", row + " prefetch=16") == 0);
  CHECK(prefetching("m1n512k1024", row + " prefetch=16 ahead=0") == close_to(lines * half_cycle));
  // A prefetch costs less when the link takes less time than computing.
  const double fast = 1.5 * lines * 64 / bare.compute_seconds;
  Machine quick = machine(
      {cache("L1", 4096, 8, 64e9), cache("L2", 1 << 18, 8, fast), cache("L3", 16 << 20, 8, 1e9)});
  const Prediction next =
      predict(computation_of(parse_problem("m1n512k1024")), schedule(row + " ahead=0"), quick);
  const auto exposed = [&](const std::string& text) {
    return predict(computation_of(parse_problem("m1n512k1024")), schedule(text), quick)
        .unhidden.exposed;
  };
  // Calls that prefetch their own weights do not wait for them, if a calibration found a distance
  // that helps.
  CHECK(exposed(row + " prefetch=16") == exposed(row));
  quick.rates.prefetch_steps = 16;
  CHECK(exposed(row + " prefetch=16") < 0.2 * exposed(row));
  const double ratio = next.compute_seconds / next.levels[1].seconds;
  CHECK(ratio > 1.25);
  CHECK(ratio < 1.75);
  CHECK(next.unhidden.prefetching == close_to((2 - ratio) * lines * half_cycle));
  // Prefetches are free when the link loads more than a quarter of the third-level cache (4 MiB).
  // The first problem has an A of 16 MiB, and the second a B of 4 MiB beside its A and C.
  CHECK(prefetching("m4096n512k1024",
                    "[T(16,j), T(512,i), T(1024,k), U(8,i), U(2,j), V(j)] prefetch=16 ahead=0") ==
        0);
  CHECK(prefetching("m1n1024k1024", "[T(32,j), T(1024,k), U(2,j), V(j)] prefetch=16 ahead=0") == 0);
}

TEST_CASE("cost: a prediction is the sum of its parts, and the largest is the bottleneck") {
  const Computation conv = computation_of(parse_problem("mb1ic64ih30oc128oh30kh3ph1"));
  Machine two = machine({cache("L1", 4096, 8, 64e9), cache("L2", 65536, 8, 32e9)});
  two.cores = 2;
  const auto check = [&](const std::string& text, const std::string& bottleneck) {
    const Prediction all = predict(conv, schedule(text), two);
    std::vector<double> links;
    for (const LevelPrediction& level : all.levels) links.push_back(level.burst_seconds);
    CHECK(all.seconds ==
          close_to(overlap_times(all.compute_seconds, links, two.rates.overlap_exponent) +
                   all.unhidden.exposed + all.unhidden.packing + all.unhidden.repack +
                   all.unhidden.fork + all.unhidden.prefetching));
    CHECK(all.bottleneck == bottleneck);
    return all.unhidden;
  };
  const std::string inner = " T(3,r), T(3,s), T(64,c), U(15,w), V(k)] ";
  const Unhidden direct =
      check("[T(8,k), T(30,h), T(2,w)," + inner + "in=nhwc out=nhwc", "compute");
  CHECK(direct.exposed > 0);
  CHECK(direct.packing + direct.repack + direct.fork == 0);
  const Unhidden packed =
      check("[P(2,k), T(4,k), T(30,h), T(2,w)," + inner + "in=nchw out=nchw pack=in@3", "packing");
  CHECK(packed.packing > 0);
  CHECK(packed.repack > 0);
  CHECK(packed.fork == close_to(0.9e-6));
  two.rates.overheads.start_cycles = 340;
  CHECK(start_seconds(two, 1) == close_to(340 / kHertz));
  CHECK(start_seconds(two, 2) == close_to(340 / kHertz + 0.9e-6));
}

TEST_CASE("cost: outputs in nchw of vectors of channels cost their transposition and no more") {
  // The loops write nhwc in both cases, and nchw takes a transposition after them.
  const Computation conv = computation_of(parse_problem("mb1ic64ih30oc1024oh30kh1"));
  const Machine any = machine({cache("L1", 32768, 8, 64e9), cache("L2", 262144, 8, 32e9)});
  const std::string loops =
      "[T(30,h), T(2,w), T(32,k), T(64,c), U(15,w), U(2,k), V(k)] in=nhwc out=";
  const Prediction nhwc = predict(conv, schedule(loops + "nhwc"), any);
  const Prediction nchw = predict(conv, schedule(loops + "nchw"), any);
  CHECK(nchw.levels == nhwc.levels);
  CHECK(nchw.unhidden.repack > 0);
  CHECK(nchw.seconds - nchw.unhidden.repack == close_to(nhwc.seconds));
}

TEST_CASE("cost: a predictor that was used before predicts as a new one does") {
  const Machine three = machine(
      {cache("L1", 4096, 8, 64e9), cache("L2", 1 << 18, 8, 16e9), cache("L3", 1 << 20, 8, 8e9)});
  const std::string loops = "[T(4,j), T(64,i), R(k), U(4,i), U(8,j), V(j)]";
  for (const char* problem : {"m256n512k256", "--dt=f16 m256n512k256"})
    for (const char* first : {"", " nt"})
      for (const Regime regime : {Regime(), Regime{.kind = Regime::Kind::all_cold}}) {
        const Computation product = computation_of(parse_problem(problem));
        const Schedule used = schedule(loops + first);
        const Nest nest = resolve(used, product, 16);
        const PredictionRules rules{.regime = regime};
        NestPredictor predictor(product, nest, used, three, rules);
        double least = 1, most = 0;
        for (const char* marks : {" nt", " prefetch=4", " ahead=0", " ahead=0 nt", ""}) {
          const Schedule variant = schedule(loops + marks);
          const Prediction again = predictor.with(variant),
                           alone = predict(product, variant, three, rules);
          CHECK(again.seconds == alone.seconds);
          CHECK(again.unhidden.sum() == alone.unhidden.sum());
          CHECK(again.levels[2].bytes == alone.levels[2].bytes);
          CHECK(again.bottleneck == alone.bottleneck);
          least = std::min(least, again.seconds);
          most = std::max(most, again.seconds);
        }
        CHECK(least < most);
      }
}
