// SPDX-License-Identifier: Apache-2.0
// This test compares the bytes and seconds of each link with values computed by hand.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "close_to.h"
#include "cost.h"
#include "cost_machine.h"
#include "dispatch.h"
#include "link.h"
#include "reduction.h"
#include "repack.h"
#include "short_rows.h"

using namespace tileplan;

namespace {

const double kByteTolerance = 1e-9;

}  // namespace

TEST_CASE("links: stores that are faster than reads save time, but only beside their own reads") {
  CacheLevel level = cache("L1", 16384, 8, 30e9);
  level.write_bytes_per_second = 40e9;
  CHECK(link_seconds(level, 120, 120) == close_to(120 / 40e9));
  CHECK(link_seconds(level, 240, 120) == close_to(120 / 30e9 + 120 / 40e9));
  CHECK(link_seconds(level, 60, 120) == close_to(60 / 40e9));
  // All bytes that are read may belong to stores.
  CHECK(least_link_seconds(level, 240, 120) == close_to(240 / 40e9));
  level.write_bytes_per_second = 15e9;
  CHECK(link_seconds(level, 240, 120) == close_to(120 / 30e9 + 120 / 15e9));
  CHECK(least_link_seconds(level, 240, 120) == link_seconds(level, 240, 120));
}

TEST_CASE("links: hot caches fill from nowhere below the level that holds the problem") {
  const Computation conv = pointwise(64, 28);  // All tensors take 18944 bytes.
  const Schedule text = schedule("[R(w), R(c), U(14,w), U(2,k), V(k)] in=nhwc out=nhwc");
  // Predictions take the mean over 0.75, 1 and 1.25 of the capacity of the last cache. Even the
  // smallest of these holds all tensors here.
  const std::vector<CacheLevel> caches = {cache("L1", 16384, 8, 64e9), cache("L2", 25260, 8, 32e9)};
  const Prediction hot = predict(conv, text, machine(caches));
  CHECK(hot.levels[0].bytes > 0);
  CHECK(hot.levels[1].bytes == 0);
  CHECK(hot.levels[1].seconds == 0);
  CHECK(hot.bottleneck == "compute");

  std::vector<CacheLevel> smaller = caches;
  smaller[1].capacity_bytes = 25250;
  const double third = predict(conv, text, machine(smaller)).levels[1].bytes;
  CHECK(third > 0);
  smaller[1].capacity_bytes = 18940;
  const double two_thirds = predict(conv, text, machine(smaller)).levels[1].bytes;
  CHECK(two_thirds == close_to(2 * third));
  smaller[1].capacity_bytes = 15000;
  CHECK(predict(conv, text, machine(smaller)).levels[1].bytes == close_to(3 * third));
}

TEST_CASE("links: bytes are reads of all tensors and write-backs of the output, in whole lines") {
  const Computation conv = pointwise(64, 28);
  // The cache is smaller than the weights (2048 elements), so each of the two blocks of pixels
  // loads all of them. The other tensors are loaded once.
  const Machine small = machine({cache("L1", 4096, 8, 64e9)});
  const std::string loops = "[R(w), R(c), U(14,w), U(2,k), V(k)] in=nhwc out=nhwc";
  const Prediction normal = predict(conv, schedule(loops), small);
  const double reads = 4 * (1792 + 2 * 2048 + 896), writes = 4 * 896;
  CHECK(std::abs(normal.levels[0].bytes - (reads + writes)) < kByteTolerance);
  // Writing takes twice the time of reading, because its rate is half. The read for ownership is
  // part of the time of a store.
  CHECK(normal.levels[0].seconds == close_to((reads - writes) / 64e9 + writes / 32e9));

  // Here the output is not read for ownership, and it is written to memory once.
  Machine fast = small;
  fast.rates.streamed_bytes_per_second = 128e9;
  const Prediction streamed = predict(conv, schedule(loops + " nt"), fast);
  CHECK(std::abs(streamed.levels[0].bytes - (reads - writes + writes)) < kByteTolerance);

  // With non-temporal stores, each half of a split sum writes the output to memory, and the second
  // half reads it from there.
  const std::string halves = "[T(2,c), R(w), R(c), U(14,w), U(2,k), V(k)] in=nhwc out=nhwc";
  const Prediction split = predict(conv, schedule(halves), small);
  const Prediction split_streamed = predict(conv, schedule(halves + " nt"), small);
  CHECK(std::abs(split.levels[0].bytes - split_streamed.levels[0].bytes - writes) < kByteTolerance);

  CHECK(streamed.levels[0].seconds == close_to((reads - writes) / 64e9 + writes / 128e9));
  fast.rates.streamed_bytes_per_second = 0;
  CHECK(predict(conv, schedule(loops + " nt"), fast).levels[0].seconds ==
        close_to((reads - writes) / 64e9 + writes / 32e9));
}

TEST_CASE("links: non-temporal stores of half lines are slow if calls scatter them") {
  // Ordinary stores have a rate of 32e9 bytes per second, and calibrated non-temporal ones a rate
  // of 128e9.
  const auto slowness = [](int lanes, std::int64_t columns) {
    Machine any = machine({cache("L1", 4096, 8, 64e9)});
    any.vector.lanes = lanes;
    any.rates.streamed_bytes_per_second = 128e9;
    const Computation gemm = toy::gemm({.i = 8, .j = columns, .k = 2});
    const std::string loops = "[R(i), R(j), R(k), U(4,i), U(2,j), V(j)]";
    const double bytes = 4 * 8 * static_cast<double>(columns);
    const double plain = predict(gemm, schedule(loops), any).levels[0].seconds;
    const double streamed = predict(gemm, schedule(loops + " nt"), any).levels[0].seconds;
    return (streamed - plain + bytes / 32e9) * 128e9 / bytes;
  };
  CHECK(slowness(8, 1024) == close_to(6));
  CHECK(slowness(8, 1040) == close_to(1));
  CHECK(slowness(16, 1024) == close_to(1));
}

TEST_CASE("links: doubles take twice the vectors and twice the bytes of as many floats") {
  const Computation conv = computation_of(parse_problem("--dt=f64 mb1ic64iw28oc32kw1"));
  // The cache holds 1024 elements, which are doubles here. Each of the 4 calls takes as long as a
  // call with floats, but loads its own 16 channels of weights and 14 pixels.
  Machine small = machine({cache("L1", 8192, 8, 64e9)});
  small.vector.lanes = 8;
  small.vector.element = ElementType::f64;
  const Prediction all = predict(
      conv, schedule("[T(2,k), R(w), R(c), U(14,w), U(2,k), V(k)] in=nhwc out=nhwc"), small);
  const double calls = 4 * (62 + 64 * 14), dispatch = 180;
  CHECK(all.compute_seconds == close_to((calls + dispatch) / kHertz));
  const double reads = 8 * (2 * 1792 + 2 * 2048 + 896), writes = 8 * 896;
  CHECK(std::abs(all.levels[0].bytes - (reads + writes)) < kByteTolerance);
}

TEST_CASE("links: rows of a few pixels in nchw bring lines that are used in part") {
  const Computation conv = toy::conv({.k = 32, .c = 64, .h = 28, .w = 28});
  const Machine small = machine({cache("L1", 4096, 8, 64e9)});
  const std::string loops = "[R(h), R(w), R(c), U(14,w), U(2,k), V(k)]";
  const double nhwc = predict(conv, schedule(loops + " in=nhwc out=nhwc"), small).levels[0].bytes;
  const double nchw = predict(conv, schedule(loops + " in=nchw out=nhwc"), small).levels[0].bytes;
  // The input has 64 x 784 elements in runs of 14. A run that starts anywhere in a cache line takes
  // (14 + 15) / 16 cache lines on average.
  CHECK(nchw - nhwc == close_to(4 * 64 * 784 * (29.0 / 14 - 1)));
}

TEST_CASE("links: short rows of a packed box bring lines that are used in part") {
  const Computation conv = toy::conv({.k = 4, .c = 64, .w = 64, .s = 3});
  const Schedule packed =
      schedule("[T(1,n), R(w), R(s), R(c), U(4,k), V(w)] in=nchw out=nchw pack=in@0");
  const double bytes = predict(conv, packed, machine({cache("L1", 4096, 8, 64e9)})).levels[0].bytes;
  // Each of 4 vectors and 3 taps reads 16 elements of each of 64 rows. The 16 elements lie in
  // (16 + 15) / 16 cache lines on average. Each vector loads the weights, the output is read and
  // written, and packing accesses 64 rows of 66 elements three times.
  const double input = 64 * 4 * 3 * 64 * 31.0 / 16, weights = 4 * 4 * 4 * 64 * 3;
  CHECK(bytes == close_to(input + weights + 2 * 4 * 4 * 64 + 3 * 4 * 64 * 66));
}

TEST_CASE("links: boxes packed inside a lambda are as large as its largest part needs") {
  const Computation conv = pointwise(64, 60);
  const Schedule packed =
      schedule("[L(w,[1*28,1*32]), R(w), R(c), U(4,w), U(2,k), V(k)] in=nhwc out=nhwc pack=in@0");
  const Machine any = machine({cache("L1", 4096, 8, 64e9)});
  CHECK(read_layout(conv, packed, resolve(packed, conv, 16)).elements >= 64 * 32);
  CHECK(std::isfinite(predict(conv, packed, any).seconds));
}

TEST_CASE("links: lines that come one by one from beyond L2 are slower, unless prefetched") {
  const Computation conv = pointwise(64, 280);
  const Machine any = machine(
      {cache("L1", 2048, 8, 64e9), cache("L2", 8192, 8, 32e9), cache("L3", 32768, 8, 16e9)});
  const std::string loops = "[T(4,c), R(w), T(16,c), U(14,w), U(2,k), V(k)] out=nhwc in=";
  const auto levels = [&](const std::string& input) {
    return predict(conv, schedule(loops + input), any).levels;
  };
  const auto rows = levels("nChw16c"), lines = levels("nhwc"), ahead = levels("nhwc ahead=1");
  const double bytes = 4 * 64 * 280;
  for (std::size_t l = 1; l < 3; ++l) CHECK(lines[l].bytes == close_to(rows[l].bytes));
  CHECK(lines[1].seconds - rows[1].seconds == close_to(1.5 * bytes / 32e9));
  CHECK(lines[2].seconds - rows[2].seconds == close_to(3 * bytes / 16e9));
  CHECK(ahead[2].seconds == close_to(rows[2].seconds));
}

TEST_CASE("links: a slice of the channels of all pixels comes line by line from memory") {
  const Computation conv = pointwise(64, 280);
  const Machine any = machine({cache("L1", 2048, 8, 64e9), cache("L2", 65536, 8, 16e9)});
  const std::string loops = "[T(4,c), R(w), T(16,c), U(14,w), U(2,k), V(k)] out=nhwc in=";
  const auto seconds = [&](const std::string& input) {
    return predict(conv, schedule(loops + input), any).levels[1].seconds;
  };
  CHECK(seconds("nhwc") - seconds("nChw16c") == close_to(3 * 4.0 * 64 * 280 / 16e9));
}

TEST_CASE("links: padding of the input is not loaded") {
  const Machine small = machine({cache("L1", 4096, 8, 64e9)});
  const std::string loops =
      "[T(7,h), T(3,r), T(3,s), T(64,c), U(7,w), U(2,k), V(k)] in=nhwc out=nhwc";
  const auto bytes = [&](const char* problem) {
    return predict(computation_of(parse_problem(problem)), schedule(loops), small).levels[0].bytes;
  };
  // Both problems run the same loops, but the second problem stores its border of zeros.
  const double padded = bytes("mb1ic64ih7oc32oh7kh3ph1"), stored = bytes("mb1ic64ih9oc32oh7kh3ph0");
  const double walked = 4.0 * 64 * 9 * 9;
  CHECK(stored - padded >= walked * (1 - 49.0 / 81));
  CHECK(padded > 4 * (64 * 49 + 7 * 9 * 64 * 32));
}

TEST_CASE("links: stores whose rows share a set take the time of conflicts") {
  Machine any = machine({cache("L1", 32768, 8, 64e9), cache("L2", 1 << 22, 8, 32e9)});
  // On this machine, stores that conflict in a set have a quarter of the rate of other stores.
  any.caches[0].conflict_bytes_per_second = 8e9;
  const auto link = [&](const std::string& problem, const std::string& loops) {
    return predict(computation_of(parse_problem(problem)), schedule(loops), any).levels[0].seconds;
  };
  const std::string columns_inside = "[R(i), R(j), R(k), U(4,i), V(j)]";
  const std::string rows_inside = "[R(j), R(i), R(k), U(4,i), V(j)]";
  const double across = link("m256n1024k2", rows_inside);
  const double outputs = 4.0 * 256 * 1024;
  CHECK(across - link("m256n1040k2", rows_inside) * 1024 / 1040 ==
        close_to(outputs * (1 / 8e9 - 1 / 32e9)).epsilon(0.02));
  CHECK(across > 3 * link("m256n1024k2", columns_inside));
}

TEST_CASE("links: more than 64 short rows of outputs at a time are slow to read for ownership") {
  // L2 is smaller than the output, and L3 holds everything.
  const Machine any = machine(
      {cache("L1", 4096, 8, 64e9), cache("L2", 1 << 16, 8, 32e9), cache("L3", 1 << 24, 8, 16e9)});
  const Computation product = computation_of(parse_problem("m256n1040k2"));
  // Returns the additional time, as a multiple of the time that reading all outputs takes.
  const auto slower = [&](const std::string& loops) {
    const LevelPrediction link = predict(product, schedule(loops), any).levels[1];
    return (link.seconds - link.bytes / 32e9) / (4.0 * 256 * 1040 / 32e9);
  };
  // Register tiles of one vector write rows of one cache line, whose reads for ownership take 2.5
  // times as long. In rows of 5 cache lines, two lines are slow.
  CHECK(slower("[R(j), R(i), R(k), U(4,i), V(j)]") == close_to(1.5));
  CHECK(slower("[R(j), R(i), R(k), U(4,i), U(5,j), V(j)]") == close_to(1.5 * 2 / 5));
  // Whole rows lie behind each other and form one row of 256 x 65 cache lines.
  CHECK(slower("[R(i), R(j), R(k), U(4,i), V(j)]") == close_to(1.5 * 2 / (256 * 65)));
  // 64 rows at a time are fast, and 128 rows are slow.
  CHECK(slower("[R(i), R(j), T(16,i), R(k), U(4,i), V(j)]") < 0.001);
  CHECK(slower("[R(i), R(j), T(32,i), R(k), U(4,i), V(j)]") == close_to(1.5));
}

TEST_CASE("links: regimes load what they make cold, even into caches that hold everything") {
  const Computation conv = pointwise(64, 28);
  const Schedule text = schedule("[R(w), R(c), U(14,w), U(2,k), V(k)] in=nhwc out=nhwc");
  const Machine large = machine({cache("L1", 1 << 20, 8, 64e9), cache("L2", 1 << 22, 8, 32e9)});
  const auto link = [&](Regime regime) {
    return predict(conv, text, large, {.regime = regime}).levels[1];
  };
  const double input = 4 * 1792, weights = 4 * 2048, output = 4 * 896;
  CHECK(link(Regime::hot).bytes == 0);
  CHECK(link(Regime::cold_weights).bytes == close_to(weights));
  CHECK(link(Regime::cold_weights).seconds == close_to(weights / 32e9));
  // Outputs are read for ownership and stay in the cache.
  CHECK(link(Regime::all_cold).bytes == close_to(input + weights + output));
  // In a network, the cache keeps all tensors if the data of other layers fit beside them, and none
  // otherwise.
  CHECK(link(Regime::network(1 << 20)).bytes == 0);
  CHECK(link(Regime::network(1 << 23)).bytes == close_to(input + weights + 2 * output));
  CHECK(predict(conv, text, large, {.regime = Regime::all_cold}).seconds >
        predict(conv, text, large).seconds);
}

TEST_CASE("links: a block and the next one must fit for a prefetch to help") {
  const Machine any = machine(
      {cache("L1", 4096, 8, 64e9), cache("L2", 65536, 8, 16e9), cache("L3", 1 << 24, 8, 8e9)});
  const Computation gemm = computation_of(parse_problem("m4n512k1024"));
  const auto exposed = [&](const std::string& marks) {
    return predict(gemm, schedule("[T(4,j), T(4,j), R(k), U(4,i), U(2,j), V(j)]" + marks), any)
        .unhidden.exposed;
  };
  // One iteration of the outer loop reads 512 KiB of weights, and one of the inner loop 128 KiB.
  // Both are more than the second cache holds.
  CHECK(exposed(" ahead=0") == close_to(exposed("")));
  CHECK(exposed(" ahead=1") == close_to(exposed("")));
  Machine larger = any;
  larger.caches[1].capacity_bytes = 1 << 18;
  const Prediction ahead =
      predict(gemm, schedule("[T(4,j), T(4,j), R(k), U(4,i), U(2,j), V(j)] ahead=1"), larger);
  CHECK(ahead.unhidden.exposed < exposed(""));
}

TEST_CASE(
    "links: weights in place take a tenth longer each time that a call's pages double from 128") {
  const Computation product = computation_of(parse_problem("m1n1024k1024"));
  const TensorLayout rows = layout_of(product, Operand::weights, Layout::plain);
  Tile call;
  call[product.dim("i")] = 1, call[product.dim("j")] = 128, call[product.dim("k")] = 64;
  CHECK(pages_of_weights(product, rows, call) == 63.125);  // Rows are 4096 bytes apart.
  call[product.dim("j")] = 1024, call[product.dim("k")] = 1024;
  CHECK(pages_of_weights(product, rows, call) == 1024);

  const std::vector<CacheLevel> caches = {cache("L1", 32768, 8, 64e9),
                                          cache("L2", 1 << 20, 16, 32e9)};
  std::vector<CacheLevel> three = caches;
  three.push_back(cache("L3", 64 << 20, 16, 16e9));
  CHECK(many_pages_penalty(512, machine(three), 0) == 1);
  CHECK(many_pages_penalty(128, machine(three), 1) == 1);
  CHECK(many_pages_penalty(512, machine(three), 1) == close_to(1.2));
  CHECK(many_pages_penalty(512, machine(three), 2) == 1);

  // Nearly all bytes are weights. The rows are a page apart, and pages_of_weights() counts from the
  // first to the last element: about 127 pages for calls of 128 rows, and 255 for 256 rows.
  const std::string few = "[T(8,k), T(16,j), T(128,k), U(4,j), V(j)] weights=plain";
  const std::string many = "[T(4,k), T(16,j), T(256,k), U(4,j), V(j)] weights=plain";
  const auto seconds = [&](const std::string& text, const std::vector<CacheLevel>& levels) {
    return predict(product, schedule(text), machine(levels)).levels[1].seconds;
  };
  const double ratio = seconds(many, three) / seconds(few, three);
  CHECK(ratio > 1.085);
  CHECK(ratio < 1.1);
  CHECK(seconds(many, caches) < 1.01 * seconds(few, caches));
}
