// SPDX-License-Identifier: Apache-2.0
// This test checks what other tools rely on: exit codes, one line per error, one JSON document on
// stdout, and saved plans and records that the program reads again.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "program.h"

using tileplan::test::check_refused;
using tileplan::test::Json;
using tileplan::test::Outcome;
using tileplan::test::run_program;

TEST_CASE("plan --json prints one document with every key of the contract") {
  const Outcome outcome = run_program("plan resnet18-9 --top 3 --json");
  REQUIRE(outcome.status == 0);
  const Json document = Json::parse(outcome.out);
  for (const char* key : {"problem", "machine", "calibrated", "threads", "regime", "plan_ms",
                          "measure_s", "waited_s", "candidates", "rejected", "certificate"})
    CHECK_MESSAGE(document.contains(key), key);
  CHECK(document.at("problem") == "mb1ic256ih14oc256oh14kh3ph1");
  CHECK(document.at("calibrated") == false);
  REQUIRE(document.at("candidates").size() == 3);
  const Json& best = document.at("candidates").at(0);
  CHECK(best.at("rank") == 1);
  CHECK(best.at("measured_s").is_null());
  CHECK(best.at("levels").size() >= 2);
  for (const Json& other : document.at("candidates"))
    CHECK(best.at("predicted_s").get<double>() <= 1.03 * other.at("predicted_s").get<double>());
  for (const char* key : {"space", "optimum", "bottleneck", "bound", "nodes", "gap"})
    CHECK_MESSAGE(document.at("certificate").contains(key), key);
}

TEST_CASE("without measuring, the same inputs give the same plan") {
  const auto schedules = [](const Outcome& outcome) {
    Json document = Json::parse(outcome.out);
    document.erase("plan_ms");
    return document.dump();
  };
  const std::string arguments = "plan yolo9000-13 --machine cascade-lake-vm --json";
  CHECK(schedules(run_program(arguments)) == schedules(run_program(arguments)));
}

TEST_CASE("a plan that was saved runs again, checked in every output") {
  const tileplan::TemporaryFolder folder;
  const std::string file = folder / "layer.plan";
  REQUIRE(run_program("plan mb1ic16ih14oc32oh14kh3ph1 --verify 2 --save " + file).status == 0);
  const Outcome outcome = run_program("run --plan " + file + " --json");
  REQUIRE(outcome.status == 0);
  const Json document = Json::parse(outcome.out);
  CHECK(document.at("check").at("passed") == true);
  CHECK(document.at("check").at("compared") == 32 * 14 * 14);
  CHECK(document.at("median_s") > 0);
}

TEST_CASE("a plan for another instruction set is refused with its machine, whatever its type") {
  const tileplan::TemporaryFolder folder;
  const std::string file = folder / "layer.plan";
  for (const char* problem : {"m8n64k8", "--dt=f64 m8n64k8"}) {
    REQUIRE(run_program(std::string("plan ") + problem + " --machine thunderx2 --save " + file)
                .status == 0);
    check_refused("run --plan " + file, "is for thunderx2, with neon; ");
  }
}

TEST_CASE("a plan that was saved runs on its threads in its regime, unless flags say others") {
  const tileplan::TemporaryFolder folder;
  const std::string file = folder / "layer.plan";
  const auto ran = [&](const std::string& flags) {
    return Json::parse(run_program("run --json --plan " + file + flags).out);
  };
  REQUIRE(run_program("plan m96n96k96 --regime all-cold --save " + file).status == 0);
  CHECK(ran("").at("regime") == "all-cold");
  CHECK(ran(" --regime hot").at("regime") == "hot");
  if (std::thread::hardware_concurrency() < 2) return;
  REQUIRE(run_program("plan m96n96k96 --threads 2 --save " + file).status == 0);
  CHECK(ran("").at("threads") == 2);
  CHECK(ran(" --threads 1").at("threads") == 1);
}

TEST_CASE("TILEPLAN_TRACE=run prints one line for each run of a kernel") {
  ::setenv("TILEPLAN_TRACE", "run", 1);
  const Outcome traced = run_program("run mb1ic16ih14oc32oh14kh3ph1 --layout nhwc --json");
  ::unsetenv("TILEPLAN_TRACE");
  REQUIRE(traced.status == 0);
  std::istringstream lines(traced.err);
  int runs = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("run  ")) continue;
    ++runs;
    CHECK(line.starts_with("run  implementation=jit:"));
    CHECK((line.find(" layout=nhwc/nhwc threads=1 seconds=") != std::string::npos));
    CHECK(line.ends_with(" problem=mb1ic16ih14oc32oh14kh3ph1"));
  }
  // The kernel runs once for the check, and at least once for each sample.
  CHECK(runs > Json::parse(traced.out).at("kept"));
  CHECK((run_program("run m8n16k8 --json").err.find("run  ") == std::string::npos));
}

TEST_CASE("run refuses a schedule of other extents, and products are checked too") {
  CHECK(run_program("run m64n64k32 --schedule '[T(8,i), T(64,j), T(32,k), U(8,i), V(j)]'").status ==
        2);
  const Outcome outcome = run_program("run m64n64k32 --json");
  REQUIRE(outcome.status == 0);
  CHECK(Json::parse(outcome.out).at("check").at("passed") == true);
}

TEST_CASE("run --against times schedules in pairs, each of them checked") {
  const Json planned = Json::parse(run_program("plan m64n64k64 --top 2 --json").out);
  const auto schedule = [&](std::size_t i) {
    return "'" + planned.at("candidates").at(i).at("schedule").get<std::string>() + "'";
  };
  const std::string arguments = "run m64n64k64 --schedule " + schedule(0) + " --against " +
                                schedule(1) + " --against " + schedule(0) + " --budget 0.5";
  const Outcome outcome = run_program(arguments + " --json");
  REQUIRE(outcome.status == 0);
  const Json document = Json::parse(outcome.out);
  REQUIRE(document.at("against").size() == 2);
  CHECK(document.at("against").at(1).at("schedule") == document.at("schedule"));
  for (const Json& other : document.at("against")) {
    CHECK(other.at("check").at("passed") == true);
    CHECK(other.at("pairs") >= other.at("kept"));
    CHECK(other.at("ratio").is_null() == other.contains("reason"));
    CHECK(other.at("median_s") > 0.0);
  }
  CHECK(run_program(arguments).out.find("against [") != std::string::npos);
  check_refused("run m64n64k64 --against nonsense", "nonsense");
}

TEST_CASE("plan --verify remembers what it measured, and records show, move and merge it") {
  const tileplan::TemporaryFolder folder;
  const std::string here = " --records " + (folder / "here.db");
  const std::string there = " --records " + (folder / "there.db");
  const std::string plan = "plan m64n64k64 --verify 2 --budget 1";
  REQUIRE(run_program(plan + here).status == 0);
  const Outcome listed = run_program("records list --json --problem m64n64k64" + here);
  REQUIRE(listed.status == 0);
  const Json records = Json::parse(listed.out);
  // Measurements whose samples were all disturbed are not stored, so there may be fewer records.
  CHECK(records.size() <= 2);
  for (const Json& one : records) CHECK(one.at("regime") == "hot");
  const std::string file = folder / "lines.jsonl";
  CHECK(run_program("records export -o " + file + here).status == 0);
  const std::string count = std::to_string(records.size());
  CHECK(run_program("records merge " + file + there).out == count + " measurements were new\n");
  CHECK(run_program("records merge " + (folder / "here.db") + there).out ==
        "0 measurements were new\n");
  CHECK(run_program("records export" + there).out == run_program("records export" + here).out);
  const Outcome again = run_program(plan + " --no-records --json");
  REQUIRE(again.status == 0);
  const Json measured = Json::parse(again.out);
  CHECK(measured.at("waited_s") >= 0.0);
  CHECK(measured.at("waited_s") < measured.at("measure_s"));
  CHECK(run_program("records export" + here).out == run_program("records export" + there).out);
  CHECK(run_program(plan + here).out.find("nothing measured") == std::string::npos);
}

TEST_CASE("records list --since takes a day, and times to the second or as listed") {
  const tileplan::TemporaryFolder folder;
  const std::string file = folder / "lines.jsonl", flag = " --records " + (folder / "here.db");
  std::ofstream(file) << R"({"problem":"m8n64k8 bias,relu","schedule":"[V(j)]","machine":"toy",)"
                      << R"("regime":"hot","version":"1","taken":"2026-11-21T13:05:00.500000Z",)"
                      << R"("samples":[1e-6],"failure":""})" << '\n';
  REQUIRE(run_program("records merge " + file + flag).status == 0);
  const auto count = [&](const std::string& since) {
    return Json::parse(run_program("records list --json --since " + since + flag).out).size();
  };
  CHECK(count("2026-11-21") == 1);
  CHECK(count("2026-11-21T13:05:00Z") == 1);
  CHECK(count("2026-11-21T13:05:00.500000Z") == 1);
  CHECK(count("2026-11-21T13:05:01Z") == 0);
  CHECK(count("2026-11-22") == 0);
}

TEST_CASE("emit plans for every target, the host's or not") {
  for (const std::string isa : {"scalar", "avx2", "avx512", "avx512vl", "neon"})
    for (const std::string type : {"f32", "f64", "bf16", "f16", "u8:s8:u8", "s8:s8:s32", "s16"}) {
      CAPTURE(isa);
      CAPTURE(type);
      std::string command = "emit mb1ic16ih8oc32kh3ph1 --isa ";
      command.append(isa).append(" --dt ").append(type);
      CHECK(run_program(command).status == 0);
    }
}

TEST_CASE("emit: the machine of a schedule over strips decides their size") {
  const std::string command = "emit --dt=u8:s8:s32 m4n16k8 --isa avx2 --machine xeon-gold-6130";
  CHECK(run_program(command + " --schedule '[T(2,j), T(4,i), T(4,k), V(j)]'").status == 0);
  const Outcome quads = run_program(command + " --schedule '[T(2,j), T(4,i), T(2,k), V(j)]'");
  CHECK(quads.status != 0);
  CHECK(quads.err.find("dimension k is covered 2 times; its extent is 4") != std::string::npos);
  const Outcome refused = run_program(
      "emit m4n16k8 --isa avx2 --machine xeon-gold-6130 --schedule '[T(2,j), T(4,i), T(8,k), "
      "V(j)]'");
  CHECK(refused.err.find("emit: --machine with a given schedule") != std::string::npos);
}

TEST_CASE("emit says that stores are ordinary, and writes the schedule that it emits") {
  const std::string loops = "[T(8,i), T(4,j), T(32,k), U(8,i), V(j)]";
  const Outcome outcome = run_program("emit m64n64k32 --isa avx512 --schedule '" + loops + " nt'");
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err.starts_with("note: the schedule has nt; the emitted C uses ordinary stores"));
  CHECK(outcome.out.find(" * schedule  " + loops + "\n") != std::string::npos);
}

TEST_CASE("every regime is measured and named") {
  for (const char* regime : {"hot", "cold-weights", "all-cold", "network:1000000"}) {
    const Outcome outcome =
        run_program("run mb1ic16ih14oc32oh14kh3ph1 --json --regime " + std::string(regime));
    REQUIRE(outcome.status == 0);
    CHECK(Json::parse(outcome.out).at("regime") == regime);
  }
}

TEST_CASE("--dt=f64 stands before the problem, as one argument or two") {
  const std::string text = "--dt=f64 mb1ic16ih14oc32oh14kh3ph1";
  for (const std::string& problem : {text, "'" + text + "'"}) {
    const Outcome planned = run_program("plan " + problem + " --json");
    REQUIRE(planned.status == 0);
    CHECK(Json::parse(planned.out).at("problem") == text);
  }
  const Outcome outcome = run_program("run " + text + " --json");
  REQUIRE(outcome.status == 0);
  const Json document = Json::parse(outcome.out);
  CHECK(document.at("check").at("passed") == true);
  CHECK(document.at("check").at("tolerance") < 1e-10);
  check_refused("plan --dt=u8:bf16:u8 resnet18-9",
                "u8:bf16:u8 (input:weights:output) have no kernel");
  check_refused("plan --dt=f64", "problem");
}

TEST_CASE("wrong input is one line on stderr and exit code 2") {
  check_refused("plan nonsense", "nonsense");
  check_refused("plan", "problem");
  check_refused("plan resnet18-9 --tops 3", "--tops");
  check_refused("plan resnet18-9 --top 0", "--top: 0; must be at least 1");
  check_refused("plan resnet18-9 --verify -1", "--verify: -1; must be at least 0");
  check_refused("plan resnet18-9 --budget -2", "--budget");
  check_refused("plan resnet18-9 --layout chwn", "'chwn'; must be any, nhwc, nchw or blocked");
  check_refused("plan resnet18-9 --regime warm", "'warm'; must be hot");
  check_refused("plan resnet18-9 --certify maybe", "'maybe'; must be best or full");
  check_refused("plan resnet18-9 --machine /nowhere/m.json", "/nowhere/m.json");
  check_refused("plan resnet18-9 --save /nowhere/plan", "/nowhere/plan");
  check_refused("plan mb1ic0ih56oc64kh3ph1", "ic");
  check_refused("plan m128n256k512 --layout nhwc", "only convolutions have nhwc");
  check_refused("plan resnet18-9 --machine thunderx2 --verify 2", "not this host");
  for (const char* budget : {"nan", "inf", "0"}) {
    check_refused(std::string("plan resnet18-9 --budget ") + budget, "must be positive and finite");
    check_refused(std::string("study growth --out x --budget ") + budget, "--budget: ");
  }
  check_refused("study luck --out x", "unknown study 'luck'; see --help");
  check_refused("study smallgemm --out x --layers m8n17k8", "whose n is a multiple of ");
  check_refused("study smallgemm --out x --layers m8n64k8 --measurements 5", "pairs: 5; must be");
  check_refused("plan m8n16k8 --save /dev/null", "/dev/null: is there and is no regular file");
  check_refused("run --plan x --schedule '[V(k)]'", "--plan x and --schedule; must be one of them");
  check_refused("run m8n16k8 --schedule '[V(j)]' --layout nhwc", "--layout nhwc with a given");
  check_refused("run --plan x --layout nchw", "--layout nchw with a given schedule");
  check_refused("bench resnet18-9 --threads 1000", "--threads: 1000; must be between 1 and the");
  check_refused("bench resnet18-9 --layout chwn", "'chwn'; must be any");
  check_refused("run", "a problem or --plan FILE");
  check_refused("run --plan /nowhere/plan", "/nowhere/plan");
  check_refused("run resnet18-9 --schedule '[T(3,h), V(k)] in=nhwc out=nhwc'", "its extent is");
  check_refused("bench", "nothing to compare; needs a problem, a model (.onnx)");
  check_refused("emit m8n16k8 --isa scalar --schedule '[V(j)]' --layout nhwc",
                "--layout with a given schedule");
  check_refused("emit m8n16k8 --isa scalar --schedule '[V(j)]' --threads 2",
                "--threads with a given schedule");
  check_refused("emit m8n16k8 --isa scalar --regime hot", "--regime");
  check_refused("emit m8n16k8 --isa scalar --shape a=1x3", "'m8n16k8' is no model");
  check_refused("emit x.onnx --isa scalar", "a model becomes several files; -o FOLDER must be");
  check_refused("emit x.onnx --isa scalar -o /dev/null", "'/dev/null' is no folder");
  check_refused("emit x.onnx --isa scalar -o c --epilogue relu", "--epilogue with a model");
  check_refused("explain m8n16k8 '[T(8,i), T(8,k), V(j)]' --machine xeon-gold-6130 --measure",
                "--measure: xeon-gold-6130 is not this host");
  check_refused("plan m3n3k3 --shape input=1x3", "'m3n3k3' is no model (.onnx); must be left out");
  check_refused("report m8n16k8 --shape a=1x3 -o x.html", "'m8n16k8' is no model");
  check_refused("report m8n16k8 -o /nowhere/r.foo", "'/nowhere/r.foo'; must end in .html, .md");
  check_refused("records list --records /nowhere/absent.db", "'/nowhere/absent.db' is not there");
  check_refused("records export --records /nowhere/absent.db", "is not there");
  check_refused("bench resnet18-9 --peer mkl", "'mkl'; must be onednn");
  check_refused(
      "bench --dt=f64 m4n8k4",
      "the tensors are f64, which oneDNN neither convolves nor multiplies; must be f32, bf16, "
      "f16, u8 or s8");
  for (const char* flag : {"--budget 5", "--records x.db", "--no-records"})
    for (const char* verb : {"plan m8n16k8 ", "report m8n16k8 -o x.html "})
      check_refused(std::string(verb) + flag, "without --verify, which measures; must be left out");
  check_refused("plan m8n16k8 --verify 1 --records x.db --no-records",
                "--records x.db and --no-records; must be one of them");
  check_refused("report m8n16k8 -o x.html --peer onednn --no-records",
                "--peer with --records or --no-records; measures all, they must be left out");
  check_refused("plan m8n16k8 --certify all", "--certify: 'all'; must be best or full");
  check_refused("plan x.onnx --certify all", "--certify: 'all'; must be best or full");
  check_refused("plan m8n16k8 --save /nowhere/x.plan", "/nowhere/x.plan: cannot be written");
  check_refused("candidates m8n16k8 -o /nowhere/x", "/nowhere/x: cannot be written");
  check_refused("study surfaces --out x --machine carmel",
                "--machine carmel with surfaces, which measures this host; must be left out");
  check_refused("run --plan x --dt f64", "--dt=f64 without a problem; must stand before one");
  check_refused("run m8n16k8 --epilogue clamp=-inf:1e40",
                "epilogue is clamp=-inf:1e+40; must be of numbers that f32 has");
  check_refused("emit m8n16k8 --isa scalar --epilogue clamp=1e40:inf",
                "must be of numbers that f32 has");
  check_refused("plan --dt=f64 --cfg=f32 m8n16k8",
                "--cfg=f32 after an option that asks for f64; they must agree");
  check_refused("bench m8n16k8 --at-least nan", "--at-least: nan; must be a ratio of times");
  check_refused("explain m8n16k8 '[T(4294967296,i), T(4294967296,i), T(8,k), V(j)]'",
                "covered at least 9223372036854775807 times");
  check_refused("run m8n16k8 --epilogue relu,bias",
                "accumulate or beta=Y, bias, scale, add, an activation, relu or clamp");
  for (const char* since : {"yesterday", "2026-13-01", "2026-11-2", "2026-11-21T13"})
    check_refused(std::string("records list --since ") + since, "must be a UTC time such as");
  check_refused("nosuchverb", "nosuchverb");
  check_refused("records", "subcommand");
  check_refused("records merge /nowhere/lines", "/nowhere/lines: cannot be read");
}

TEST_CASE("output that cannot be written is no success") {
  const tileplan::TemporaryFolder folder;
  const std::string err = folder / "err";
  for (const std::string arguments : {"--version", "bound m8n16k8 --capacity 100", "plan --help"}) {
    std::string command = TILEPLAN_PROGRAM " ";
    command.append(arguments).append(" >/dev/full 2>").append(err);
    const int status = std::system(command.c_str());
    CHECK(WEXITSTATUS(status) == 2);
    CHECK(tileplan::content_of(err) == "tileplan: stdout: cannot be written\n");
  }
}

TEST_CASE("a problem larger than memory is refused before anything is planned or allocated") {
  // The input of this problem alone takes 17 TB.
  const std::string huge = "mb1000ic4096ih1024oc64oh1024kh3ph1";
  const std::string part = "memory: the tensors of " + huge;
  check_refused("run " + huge, part);
  check_refused("plan --verify 1 " + huge, part);
  check_refused("bench " + huge, part);
  const tileplan::TemporaryFolder folder;
  for (const char* name : {"ranking", "convergence", "distribution"})
    check_refused(std::string("study ") + name + " --layers " + huge + " --out " + (folder / "out"),
                  part);
}

TEST_CASE("a layer that fails does not end the table of bench: its row says why, the status is 1") {
  const tileplan::TemporaryFolder folder;
  const std::string file = folder / "layers.csv";
  std::ofstream(file) << "name,problem\n"
                         "huge,mb1000ic4096ih1024oc64oh1024kh3ph1\nsmall,mb1ic16ih8oc16oh8kh1\n";
  const Outcome outcome = run_program("bench --json --budget 1 --layers " + file);
  if (outcome.status == 2) {  // The status is 2 if this build does not include oneDNN.
    CHECK((outcome.err.find("built without oneDNN") != std::string::npos));
    return;
  }
  CHECK(outcome.status == 1);
  const Json layers = Json::parse(outcome.out).at("layers");
  REQUIRE(layers.size() == 2);
  CHECK(layers[0].at("reason").get<std::string>().starts_with("memory: "));
  CHECK(layers[0].at("ours").at("schedule").is_null());
  CHECK(layers[1].at("ours").at("schedule").is_string());
}

TEST_CASE("run and explain say what nchw costs") {
  const std::string layer = "mb1ic16ih14oc32oh14kh3ph1";
  const std::string line = "copies the output after the loops: ";
  CHECK((run_program("run " + layer + " --layout nchw").out.find(line) != std::string::npos));
  CHECK(
      (run_program("run " + layer + " --layout nhwc").out.find("copies the") == std::string::npos));
  const std::string schedule =
      "'[T(2,k), T(14,h), R(r), R(s), R(c), U(14,w), V(k)] in=nchw out=nchw'";
  CHECK((run_program("explain --machine xeon-gold-6130 " + layer + " " + schedule).out.find(line) !=
         std::string::npos));
}

TEST_CASE("--version names the commit, the ISA and the libraries") {
  const Outcome version = run_program("--version");
  CHECK(version.status == 0);
  for (const char* part : {"tileplan ", "ISA", "isl-", "nlopt "})
    CHECK((version.out.find(part) != std::string::npos));
}
