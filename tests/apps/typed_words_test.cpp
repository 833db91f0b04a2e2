// SPDX-License-Identifier: Apache-2.0
// This test runs the program with arguments that new users type: words with typos, other names, and
// output files without a folder.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "program.h"

using tileplan::test::Outcome;
using tileplan::test::run_program;

TEST_CASE("the first wrong word is named, with the word that was probably meant") {
  const auto message = [](const std::string& arguments) {
    const Outcome outcome = run_program(arguments);
    CHECK(outcome.status == 2);
    return outcome.err;
  };
  CHECK(message("paln resnet18-9") == "tileplan: unknown verb 'paln'; did you mean plan?\n");
  CHECK(message("plan resnet18-9 --verfy 3") ==
        "tileplan: unknown option of plan '--verfy'; did you mean --verify?\n");
  CHECK(message("layers resnt18") == "tileplan: unknown table 'resnt18'; did you mean resnet18?\n");
  CHECK(message("plan resnt18-9") ==
        "tileplan: problem \"resnt18-9\": not a layer of the tables; did you mean resnet18-9?\n");
  CHECK(message("help paln") == "tileplan: unknown verb 'paln'; did you mean plan?\n");
  CHECK(message("records lst") == "tileplan: unknown verb 'lst'; did you mean list?\n");
  CHECK(message("study growth --otu x") ==
        "tileplan: unknown option of study '--otu'; did you mean --out?\n");
  CHECK(message("study growth --out=x --sed=3") ==
        "tileplan: unknown option of study '--sed'; did you mean --seed?\n");
  CHECK(message("xyzzy") == "tileplan: unknown verb 'xyzzy'; see --help\n");
}

TEST_CASE("a layer or table whose name was shortened is suggested with its whole name") {
  const auto message = [](const std::string& arguments) {
    const Outcome outcome = run_program(arguments);
    CHECK(outcome.status == 2);
    return outcome.err;
  };
  CHECK(message("layers resnet50") ==
        "tileplan: unknown table 'resnet50'; did you mean resnet50_gemm?\n");
  CHECK(message("plan resnet50-9") ==
        "tileplan: problem \"resnet50-9\": not a layer of the tables; did you mean "
        "resnet50-gemm-9?\n");
}

TEST_CASE("what is missing or has a wrong unit is named as users type it") {
  CHECK(run_program("report resnet18-9").err == "tileplan: -o or --out is required (see --help)\n");
  CHECK(run_program("bound resnet18-9 --capacity 32KB").err ==
        "tileplan: --capacity is '32KB'; must be a whole number of elements\n");
  CHECK(run_program("plan missing.onnx").err ==
        "tileplan: missing.onnx: cannot be read (No such file or directory); must be an ONNX "
        "model\n");
}

TEST_CASE("options in wrong places and values that are no numbers are named with the rule") {
  const auto message = [](const std::string& arguments) {
    const Outcome outcome = run_program(arguments);
    CHECK(outcome.status == 2);
    return outcome.err;
  };
  for (const char* option : {"--threads", "-threads"})
    CHECK(message(std::string(option) + " 2 run m8n8k8") ==
          "tileplan: '--threads' before the verb; must follow it, as in tileplan run --threads\n");
  CHECK(message("plan -top 3 m8n8k8") ==
        "tileplan: unknown option of plan '-top'; did you mean --top?\n");
  CHECK(message("plan m8n8k8 --top abc") ==
        "tileplan: --top: 'abc'; must be a whole number of at most 32 bits (see --help)\n");
  CHECK(message("run m8n8k8 --budget abc") ==
        "tileplan: --budget: 'abc'; must be a number (see --help)\n");
  CHECK(message("--version plan") == "tileplan: --version with 'plan'; must stand alone\n");
  CHECK(message("plan missing.onnx --dt=f32") ==
        "tileplan: --dt=f32 with missing.onnx, to which flags of a problem do not apply; must be "
        "left out\n");
  CHECK(message("plan /").find("names of models must end in .onnx") != std::string::npos);
  // The model is no second shape.
  CHECK(message("plan --shape image=1x3x8x8 missing.onnx").find("missing.onnx: cannot be read") !=
        std::string::npos);
}

TEST_CASE("each verb names the option that was probably meant") {
  for (const char* verb : {"bench", "bound", "calibrate", "candidates", "classes", "emit",
                           "explain", "measure", "movement", "plan", "report", "run", "study"}) {
    const Outcome outcome = run_program(std::string(verb) + " --hlep");
    CHECK(outcome.status == 2);
    CHECK(outcome.err ==
          "tileplan: unknown option of " + std::string(verb) + " '--hlep'; did you mean --help?\n");
  }
}

TEST_CASE("the algorithm of benchdnn's Winograd convolution is pointed to --algorithm") {
  for (const char* spelling : {"WINO", "wino", "convolution_winograd"}) {
    const Outcome outcome = run_program(std::string("plan resnet18-9 --alg ") + spelling);
    CHECK(outcome.status == 2);
    CHECK((outcome.err.find("--algorithm winograd or any") != std::string::npos));
  }
}

TEST_CASE("messages about the error bound name the flag") {
  CHECK(
      (run_program("plan resnet18-9 --algorithm winograd --max-error 0.1 --machine xeon-gold-6130")
           .err.find("--max-error") != std::string::npos));
  CHECK(run_program("plan resnet18-9 --algorithm winograd --max-error -1")
            .err.starts_with("tileplan: --max-error: -1"));
}

TEST_CASE("a machine that is not calibrated gets one line, and explain has the details") {
  const tileplan::TemporaryFolder folder;
  const auto notes_of = [&](const std::string& arguments) {
    const std::string command = "XDG_CACHE_HOME=" + folder.path().string() + " " +
                                TILEPLAN_PROGRAM " " + arguments + " >" + (folder / "out") + " 2>" +
                                (folder / "err");
    CHECK(std::system(command.c_str()) == 0);
    return tileplan::content_of(folder / "err");
  };
  const std::string notes = notes_of("plan m8n16k8");
  CHECK(std::count(notes.begin(), notes.end(), '\n') == 1);
  CHECK(notes.find("`tileplan calibrate`") != std::string::npos);
  CHECK(notes_of("explain m8n16k8").find("there is no " + (folder / "tileplan/machine.json")) !=
        std::string::npos);
}

TEST_CASE("only the field of a machine file says that a calibration is not used") {
  const tileplan::TemporaryFolder folder;
  const auto notes_with = [&](const std::string& field, const tileplan::test::Json& value) {
    using tileplan::test::Json;
    Json machine = Json::parse(tileplan::content_of(TILEPLAN_MACHINES "/xeon-gold-6130.json"));
    machine[field] = value;
    return run_program("plan m8n16k8 --machine " + folder.write("machine.json", machine.dump()))
        .err;
  };
  CHECK(notes_with("notes", {"calibration of the clock"}).find("the clock") == std::string::npos);
  CHECK(notes_with("refusal", "it is too old")
            .starts_with("note: it is too old\nnote: xeon-gold-6130 is not calibrated"));
}

TEST_CASE("outputs with bare names are written in the current folder") {
  const tileplan::TemporaryFolder folder;
  const auto is_written = [&](const std::string& arguments, const std::string& name) {
    const std::string command = "cd " + folder.path().string() + " && XDG_CACHE_HOME=. " +
                                TILEPLAN_PROGRAM " " + arguments + " 2>err >out";
    CAPTURE(arguments);
    CHECK(std::system(command.c_str()) == 0);
    CHECK(!tileplan::content_of(folder / name).empty());
  };
  is_written("emit m8n16k8 --isa scalar -o x.c", "x.c");
  is_written("report m8n16k8 -o page.html", "page.html");
  is_written("candidates m8n16k8 -o c.jsonl", "c.jsonl");
  is_written("plan m8n16k8 --save p.plan", "p.plan");
}

TEST_CASE("an output file may have any name, but reports need an ending that they know or none") {
  const tileplan::TemporaryFolder folder;
  CHECK(run_program("plan m8n16k8 --save " + (folder / "out")).status == 0);
  CHECK(run_program("emit m8n16k8 --isa scalar -o " + (folder / "layer")).status == 0);
  CHECK(tileplan::content_of(folder / "layer.h").find("#pragma once") != std::string::npos);
  CHECK(run_program("report m8n16k8 -o " + (folder / "page")).status == 0);
  CHECK(tileplan::content_of(folder / "page").starts_with("<!DOCTYPE html>"));
  CHECK(run_program("report m8n16k8 --format md -o " + (folder / "text")).status == 0);
  CHECK(tileplan::content_of(folder / "text").starts_with("# "));
  const Outcome refused = run_program("report m8n16k8 -o " + (folder / "page.txt"));
  CHECK(refused.status == 2);
  CHECK(refused.err.find(".html, .md, .json or .csv") != std::string::npos);
}

TEST_CASE("a value with a typo is answered with all values and the one that was probably meant") {
  const auto ends_with = [](const std::string& arguments, const std::string& end) {
    const Outcome outcome = run_program(arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.ends_with(end + "\n"));
  };
  ends_with("candidates m8n16k8 --format mlri", "xtc or zigzag; did you mean mlir?");
  ends_with("candidates m8n16k8 --format none", "xtc or zigzag");
  ends_with("plan m8n16k8 --layout nhcw", "nchw or blocked; did you mean nhwc?");
  ends_with("emit m8n16k8 --isa avx9", "avx512vl or neon; did you mean avx2?");
  ends_with("plan m8n16k8 --machine xeon-gold-613", "xeon-gold-6130; did you mean xeon-gold-6130?");
}

TEST_CASE("candidates --format tvm is another name of metaschedule") {
  const Outcome tvm = run_program("candidates m96n64k200 --top 2 --format tvm");
  CHECK(tvm.status == 0);
  CHECK(!tvm.out.empty());
  CHECK(tvm.out == run_program("candidates m96n64k200 --top 2 --format metaschedule").out);
}

TEST_CASE("help, version and layers say what the program knows itself") {
  CHECK(run_program("help plan").out == run_program("plan --help").out);
  CHECK(run_program("help").out == run_program("--help").out);
  CHECK(run_program("version").out == run_program("--version").out);
  CHECK(run_program("layers opevo")
            .out.starts_with("name,problem\n# opevo\nopevo-mm1,m512n1024k1024\n"));
}
