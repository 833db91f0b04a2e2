// SPDX-License-Identifier: Apache-2.0
// This test runs `tileplan bench`, which compares layers with oneDNN on this host.
#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "program.h"

using namespace tileplan::test;

TEST_CASE("bench --at-least answers no when a judged ratio is below it") {
  if (built_without_peer()) return;
  const Outcome outcome =
      run_program("bench mb1ic64ih28oc64oh28kh1 --json --budget 2 --at-least 1000");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status != 2);
  const Json row = Json::parse(outcome.out).at("layers")[0];
  CHECK(outcome.status == (row.at("ratio").is_null() ? 0 : 1));
  CHECK(row.at("ceiling").get<double>() >= 0.5 * row.at("peer").at("median_s").get<double>() /
                                               row.at("ours").at("median_s").get<double>());
}

TEST_CASE("bench compares only direct kernels with the roofline of direct kernels") {
  if (built_without_peer()) return;
  const Json document =
      document_of("bench mb1ic32ih12oc32oh12kh3ph1 --budget 2 --algorithm winograd");
  const Json row = document.at("layers")[0];
  CHECK((row.at("ours").at("schedule").get<std::string>().find("winograd=") != std::string::npos));
  CHECK(document.at("geomean_roofline_share").is_null());
  const bool is_peer_direct = row.at("peer").at("algorithm") == "direct";
  CHECK((is_peer_direct || row.at("ceiling").is_null()));
}

TEST_CASE("bench of one impossible problem is a message without a table") {
  const Outcome outcome = run_program("bench m8n16k8 --algorithm winograd --budget 0.1");
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  if (outcome.err.find("without oneDNN") == std::string::npos)
    CHECK((outcome.err.find("winograd, but the problem is no convolution") != std::string::npos));
}

TEST_CASE("bench gives the types of --dt to all layers of tables, which must agree with it") {
  if (built_without_peer()) return;
  const tileplan::TemporaryFolder folder;
  const std::string file = folder / "layers.csv";
  std::ofstream(file) << "name,problem\nsmall,mb1ic16ih4oc16oh4kh1\n";
  for (const std::string& flags : {"--layers " + file, file}) {
    CAPTURE(flags);
    const Json layer = document_of("bench --dt=u8:s8:u8 --budget 0.1 " + flags).at("layers")[0];
    CHECK(layer.at("name") == "small");
    CHECK(layer.at("problem").get<std::string>().starts_with("--dt=u8:s8:u8 mb1"));
  }
  std::ofstream(file) << "name,problem\ntyped,--dt=bf16 mb1ic16ih4oc16oh4kh1\n";
  const Outcome outcome = run_program("bench --dt=u8:s8:u8 --layers " + file);
  CHECK(outcome.status == 2);
  CHECK((outcome.err.find("they must agree") != std::string::npos));
}
