// SPDX-License-Identifier: Apache-2.0
// This test types what new users type: words with typos, other names, and new files without a
// folder.
#include <doctest/doctest.h>

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
  CHECK(message("xyzzy") == "tileplan: unknown verb 'xyzzy'; see --help\n");
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
