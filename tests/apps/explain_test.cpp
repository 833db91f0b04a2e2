// SPDX-License-Identifier: Apache-2.0
// This test compares the numbers that `tileplan explain` prints with numbers computed by hand, and
// checks its texts and its errors.
#include <doctest/doctest.h>

#include <sstream>

#include "close_to.h"
#include "program.h"

using namespace tileplan;
using namespace tileplan::test;

namespace {

/// Writes into `folder` a machine file whose L1 cache has `bytes` bytes, and returns its path.
std::string machine_with_l1(const TemporaryFolder& folder, std::int64_t bytes) {
  Json machine = Json::parse(content_of(TILEPLAN_MACHINES "/cascade-lake-vm.json"));
  machine.at("detected").at("caches").at(0).at("capacity_bytes") = bytes;
  return folder.write("machine.json", machine.dump());
}

}  // namespace

TEST_CASE("explain: one candidate of plan, with what each level holds and moves") {
  // The L1 cache has room for 1024 elements. It holds one step of k of an 8 x 16 tile of C (152
  // elements), but not all 32 steps of two neighbouring tiles (256 of A, 1024 of B, 256 of C).
  const TemporaryFolder folder;
  const Json document =
      document_of("explain m64n64k32 '[T(8,i), T(4,j), T(32,k), U(8,i), V(j)]' --machine " +
                  machine_with_l1(folder, 4096));
  for (const char* key : {"rank", "schedule", "layout", "predicted_s", "bottleneck", "bound_bytes"})
    CHECK_MESSAGE(document.contains(key), key);
  CHECK(document.at("measured_s").is_null());
  CHECK(document.at("rejected").empty());
  const Json& l1 = document.at("levels").at(0);
  CHECK(l1.at("footprint") == 8 + 16 + 8 * 16);
  // Each of the 8 elements of A takes a whole cache line of 16 elements.
  CHECK(l1.at("required") == 8 * 16 + 16 + 8 * 16);
  CHECK(l1.at("limit").get<std::string>().starts_with("with T(32,k) it needs 1536 elements"));
  // The iterations of loop k load A and B, and the iterations of loop j load C.
  const Numbers moved = numbers_of(l1.at("volumes"), {"A", "B", "C"});
  CHECK(moved == Numbers{8 * 32 * 4 * 8, 16 * 32 * 4 * 8, 64 * 64});
  CHECK(l1.at("volume_bytes").at("C") == 2 * 4 * 64 * 64);
  const double distance = static_cast<double>(moved[0] + moved[1] + 2 * moved[2]) /
                          (l1.at("bound").get<double>() + 64 * 64);
  CHECK(l1.at("distance").get<double>() == close_to(distance));
  // Each element of C is loaded and stored.
  CHECK(l1.at("moved_bytes_sum") == 4 * (moved[0] + moved[1] + 2 * moved[2]));
  CHECK(l1.at("bound_bytes").get<double>() ==
        close_to(4 * (l1.at("bound").get<double>() + 64 * 64)));
  const Json& l2 = document.at("levels").at(1);
  CHECK(l2.at("distance") == 1);
  CHECK(l2.at("limit").is_null());
  CHECK(l2.at("holds_problem") == true);
}

TEST_CASE("explain: counts the weights that a kernel packs, and whole lines of those in place") {
  const std::string loops = "explain m64n64k64 '[T(4,j), T(8,i), T(64,k), U(8,i), V(j)] ";
  const std::string at = "' --machine xeon-gold-6130";
  const Json packed = document_of(loops + "pack=B@0" + at);
  REQUIRE(packed.at("packed").size() == 1);
  CHECK(packed.at("packed").at(0).at("tensor") == "B");
  CHECK(packed.at("packed").at(0).at("loop") == "T(4,j)");
  CHECK(packed.at("packed").at(0).at("elements") == 64 * 64);
  CHECK(packed.at("packed").at(0).at("bytes_in_l1") == 3 * 4 * 64 * 64);
  CHECK(packed.at("unhidden").at("packing") > 0);
  CHECK(packed.at("rejected") == Json::array());
  const Json in_place = document_of(loops + "weights=plain" + at);
  CHECK(in_place.at("packed") == Json::array());
  CHECK(in_place.at("predicted_s") < packed.at("predicted_s"));
}

TEST_CASE("explain: says what run refuses") {
  const std::string loops =
      "explain mb1ic16ih8oc40oh8kh1ph0 '[T(8,h), L(k,[1*2,1*1]), T(16,c), U(8,w), U(k), V(k)]";
  const auto check = [](const std::string& schedule, const Json& expected) {
    CHECK(document_of(schedule + "' --machine xeon-gold-6130").at("rejected") == expected);
  };
  check(loops, {"layout: vectors of 16 along k are not contiguous in the output; they must be for "
                "avx512"});
  check(loops + " in=nhwc out=nhwc prefetch=1025",
        {"schedule: prefetch=1025; must be at most 1024"});
  check(loops + " in=nhwc out=nhwc prefetch=1024", Json::array());
  check(loops + " in=nhwc out=nhwc nt", {"schedule: nt, but neighbours along w are 40 elements "
                                         "apart in the output; must be multiples of 16"});
  check(
      "explain mb1ic16ih8oc16oh8kh1ph0 '[T(8,h), L(c,[1*7,1*9]), R(c), U(8,w), V(k)] "
      "in=nhwc out=nhwc",
      {"schedule: L of c, which is summed over; kernels have L of dims of the output"});
}

TEST_CASE("explain: plans for machines whose kernels are C are not rejected") {
  const std::string at = " --machine carmel";
  const Outcome planned = run_program("plan resnet18-9 --top 1 --json" + at);
  const std::string best = Json::parse(planned.out).at("candidates").at(0).at("schedule");
  CHECK(document_of("explain resnet18-9 '" + best + "'" + at).at("rejected") == Json::array());
}

TEST_CASE("explain: doubles are half as many per vector and per byte of cache") {
  const TemporaryFolder folder;
  const Json document = document_of(
      "explain --dt=f64 m64n64k32 '[T(8,i), T(8,j), T(32,k), U(8,i), V(j)]' --machine " +
      machine_with_l1(folder, 4096));
  const Json& l1 = document.at("levels").at(0);
  CHECK(l1.at("footprint") == 8 + 8 + 8 * 8);
  CHECK(numbers_of(l1.at("volumes"), {"A", "B", "C"}) ==
        Numbers{8 * 32 * 8 * 8, 8 * 32 * 8 * 8, 64 * 64});
  CHECK(l1.at("volume_bytes").at("C") == 2 * 8 * 64 * 64);
}

TEST_CASE("explain: a level or a register file that is too small is a reason, not an error") {
  const TemporaryFolder folder;
  const std::string tiny = machine_with_l1(folder, 512);
  const Json document = document_of(
      "explain m64n64k32 '[T(2,i), T(2,j), T(32,k), U(32,i), U(2,j), V(j)]' --machine " + tiny);
  CHECK(document.at("levels").at(0).at("holds_tile") == false);
  REQUIRE(document.at("rejected").size() == 2);
  CHECK(document.at("rejected")
            .at(0)
            .get<std::string>()
            .starts_with("L1: the register tile needs 1152 elements; "));
  CHECK(document.at("rejected").at(1) == "registers: 32 x 2 vectors need 67; 32 exist");
}

TEST_CASE("explain: says where lines crowd and where they come one by one, and rejects neither") {
  const Json document = document_of(
      "explain g512mb1ic512ih14oc512oh14kh3ph1 '[T(7,w), T(32,g), T(3,s), T(3,r), U(14,h), U(2,w), "
      "V(g)] in=nhwc out=nhwc' --machine xeon-gold-6130");
  CHECK(document.at("rejected").empty());
  CHECK(document.at("levels").at(0).at("limit") ==
        "the register tile needs 14 lines of the input in one set; 8 ways are there");
  const Json scattered = document_of(
      "explain g960mb1ic960ih112oc960oh112kh3ph1 '[T(60,g), T(112,h), T(8,w), T(3,s), T(3,r), "
      "U(14,w), V(g)] in=nhwc out=nhwc' --machine xeon-gold-6130");
  CHECK(scattered.at("levels").at(0).at("slowness") == 2);
  CHECK(scattered.at("levels").at(1).at("slowness") == 2.5);
  CHECK(scattered.at("levels").at(2).at("slowness") == 4);
}

TEST_CASE("explain: each part of a lambda has its microkernel") {
  const Json document = document_of(
      "explain mb1ic64ih17oc64oh17kh3ph1 '[T(17,h), T(2,k), L(w,[1*8,1*9]), T(3,r), T(3,s), "
      "T(64,c), U(w), U(2,k), V(k)] in=nhwc out=nhwc' --machine cascade-lake-vm");
  const Json& compute = document.at("compute");
  REQUIRE(compute.size() == 2);
  CHECK(compute.at(0).at("pixels") == 8);
  CHECK(compute.at(1).at("pixels") == 9);
  for (const Json& branch : compute) {
    CHECK(branch.at("calls") == 34);
    CHECK(branch.at("steps") == 576);
  }
  for (const Json& level : document.at("levels")) CHECK(level.at("distance").get<double>() >= 1);
}

TEST_CASE("explain: threads share P loops as in the plan, and the peak is that of their cores") {
  const std::string problem = " mb1ic128ih28oc128oh28kh1ph0 --machine xeon-gold-6130 --threads 2";
  const Json best = document_of("plan" + problem).at("candidates").at(0);
  const std::string schedule = " '" + best.at("schedule").get<std::string>() + "'";
  const Json two = document_of("explain" + problem + schedule);
  CHECK(two.at("predicted_s").get<double>() == close_to(best.at("predicted_s").get<double>()));
  CHECK(two.at("peak_s").get<double>() <= two.at("predicted_s").get<double>());
  const Json one =
      document_of("explain mb1ic128ih28oc128oh28kh1ph0 --machine xeon-gold-6130" + schedule);
  CHECK(one.at("peak_s").get<double>() == close_to(2 * two.at("peak_s").get<double>()));
  CHECK(one.at("predicted_s").get<double>() > two.at("predicted_s").get<double>());
  check_refused("explain" + problem + "99" + schedule, "--threads: 299; must be between 1 and");
}

TEST_CASE("explain: volumes and bounds are of all threads together, as in the prediction") {
  // Each core computes half of the rows, and its second-level cache holds a copy of B.
  const std::string two =
      "explain m64n64k32 '[P(2,i), T(4,i), T(4,j), T(32,k), U(8,i), V(j)]' "
      "--machine xeon-gold-6130 --threads 2";
  const Json levels = document_of(two).at("levels");
  const Numbers moved = numbers_of(levels.at(1).at("volumes"), {"A", "B", "C"});
  CHECK(moved == Numbers{64 * 32, 2 * 32 * 64, 64 * 64});
  CHECK(numbers_of(levels.at(1).at("footprints"), {"A", "B", "C"}) ==
        Numbers{32 * 32, 32 * 64, 32 * 64});
  CHECK(levels.at(1).at("bound") == 64 * 32 + 32 * 64 + 64 * 64);
  CHECK(numbers_of(levels.at(2).at("volumes"), {"A", "B", "C"}) ==
        Numbers{64 * 32, 32 * 64, 64 * 64});
  CHECK(levels.at(2).at("distance") == 1);
  CHECK((run_program(two).out.find("Movement, bounds, links and times are those") !=
         std::string::npos));
}

TEST_CASE("explain: what the text says is the document, with units") {
  const Outcome outcome = run_program(
      "explain m64n64k32 '[T(8,i), T(4,j), T(32,k), U(8,i), V(j)]' --machine cascade-lake-vm");
  REQUIRE(outcome.status == 0);
  for (const char* part : {"L1 holds ", "capacity,", "movement,", "measured -"})
    CHECK_MESSAGE((outcome.out.find(part) != std::string::npos), part);
}

TEST_CASE("explain: without a schedule it plans, and explains the candidate of the rank") {
  const std::string problem = " resnet18-9 --machine xeon-gold-6130";
  const Json candidates = document_of("plan" + problem).at("candidates");
  CHECK(document_of("explain" + problem).at("schedule") == candidates.at(0).at("schedule"));
  const Json second = document_of("explain" + problem + " --rank 2");
  CHECK(second.at("schedule") == candidates.at(1).at("schedule"));
  CHECK(second.at("predicted_s").get<double>() ==
        close_to(candidates.at(1).at("predicted_s").get<double>()));
  CHECK(second.at("rejected").empty());
  const Json twelve = document_of("plan" + problem + " --top 12").at("candidates");
  CHECK(document_of("explain" + problem + " --rank 12").at("schedule") ==
        twelve.at(11).at("schedule"));
}

TEST_CASE("explain: names the order class as candidates does, a rival and the memory") {
  const std::string problem = " resnet18-9 --machine xeon-gold-6130";
  const Json listed = Json::parse(run_program("candidates --top 1" + problem).out);
  const Json explained = document_of("explain" + problem);
  REQUIRE(explained.at("schedule") == listed.at("schedule"));
  CHECK(explained.at("order_class") == listed.at("order_class"));
  CHECK(explained.at("rival").at("order_class") != listed.at("order_class"));
  // The weights have 256 x 256 x 3 x 3 floats, and all of their vectors are full.
  CHECK(explained.at("memory").at("packed_weights_bytes") == 4 * 256 * 256 * 9);
  const Json planned = document_of("plan --top 1" + problem).at("candidates").at(0);
  CHECK(planned.at("memory") == explained.at("memory"));
}

TEST_CASE("explain: what is no terminal gets bars and no colours, in 100 columns") {
  const Outcome outcome = run_program("explain m64n64k32 --machine cascade-lake-vm");
  CHECK(outcome.out.find("###") != std::string::npos);
  CHECK(outcome.out.find('\x1b') == std::string::npos);
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 100);
}

TEST_CASE("explain: the marks of a schedule have a legend, and others have none") {
  const std::string two = "explain m64n64k64 '[T(8,i), T(4,j), T(64,k), U(8,i), V(j)]";
  const std::string at = "' --machine cascade-lake-vm";
  CHECK(run_program(two + at).out.find("prefetch= tells") == std::string::npos);
  CHECK(run_program(two + " prefetch=8" + at).out.find("prefetch= tells") != std::string::npos);
}

TEST_CASE("explain: says what the next loop outside a tile reuses") {
  // L1 has room for 1024 elements, but not for all steps of k of two neighbouring tiles. C[i][j]
  // does not depend on k, and a tile of C has 8 x 16 floats.
  const TemporaryFolder folder;
  const Outcome outcome =
      run_program("explain m64n64k32 '[T(8,i), T(4,j), T(32,k), U(8,i), V(j)]' --machine " +
                  machine_with_l1(folder, 4096));
  CHECK(
      outcome.out.find("T(32,k) is next outside the tile of L1 and reuses C (512 B), which k does "
                       "not index") != std::string::npos);
}

TEST_CASE("explain: a list of blocks is explained by its own sizes") {
  const Outcome outcome = run_program(
      "explain m7n16k8 '[L(i,[2*2,1*3]), T(8,k), U(i), V(j)]' --machine cascade-lake-vm");
  CHECK(outcome.out.find("L(i,[2*2,1*3]) has 2 blocks of 2, then 1 of 3\n") != std::string::npos);
}

TEST_CASE("explain: a rejection comes first, with the layouts that were not given") {
  const Outcome outcome = run_program(
      "explain mb1ic16ih8oc32oh8kh1ph0 '[T(8,h), T(2,k), T(16,c), U(8,w), V(k)]' "
      "--machine xeon-gold-6130");
  const std::size_t rejected = outcome.out.find("rejected: layout: ");
  CHECK(rejected < outcome.out.find("L1 holds "));
  CHECK(outcome.out.find("does not say in=, so that in=plain is assumed") != std::string::npos);
  CHECK(outcome.out.find("rejected: ", rejected + 1) == std::string::npos);
}

TEST_CASE("bound explains its symbols, and help fits 100 columns") {
  CHECK(run_program("bound m64n64k64 --capacity 512").out.find("tau the number of") !=
        std::string::npos);
  std::istringstream lines(run_program("run --help").out);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 100);
}

TEST_CASE("explain refuses in one line") {
  check_refused("explain m8n16k8 --rank 0 --machine cascade-lake-vm",
                "--rank: 0; must be at least 1 and at most ");
  check_refused("explain m8n16k8 '[V(j)]' --rank 2 --machine cascade-lake-vm",
                "schedule excludes --rank");
  const std::string at = " --machine cascade-lake-vm";
  check_refused("explain m64n64k32 '[T(8,i)'" + at, "character 8: must be ',' or ']'");
  check_refused("explain m64n64k32 '[T(8,i), T(4,j), U(8,i), V(j)]'" + at, "dimension k");
  const std::string of_unrolled =
      "explain m64n64k64 '[T(8,i), T(4,j), T(64,k), U(8,i), V(j)] ahead=";
  for (const char* position : {"3", "4"})
    check_refused(std::string(of_unrolled).append(position).append("'").append(at),
                  std::string("ahead=") + position + ", which is no loop around microkernel calls");
}

TEST_CASE("explain: plans with the flags that plan takes, which a given schedule excludes") {
  const std::string problem = "resnet18-9", at = " --machine xeon-gold-6130 --layout nchw";
  for (const std::string top : {" --top 2", ""}) {
    const Json planned = document_of("plan " + problem + top + at).at("candidates").at(1);
    const Json explained = document_of("explain " + problem + " --rank 2" + top + at);
    CHECK(explained.at("schedule") == planned.at("schedule"));
    CHECK(explained.at("layout").at("in") == "nchw");
  }
  check_refused("explain m8n8k8 '[V(j)]' --layout nchw", "--schedule excludes --layout");
}
