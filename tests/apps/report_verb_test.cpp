// SPDX-License-Identifier: Apache-2.0
// This test compares the numbers in HTML and CSV reports with those in JSON reports. It also checks
// which inputs, measurements and peers reports can have.
#include <doctest/doctest.h>

#include <pugixml.hpp>
#include <sstream>
#include <vector>

#include "close_to.h"
#include "program.h"

using namespace tileplan;
using namespace tileplan::test;

namespace {

std::string written(const std::string& subject, const std::string& name) {
  const TemporaryFolder folder;
  const std::string file = folder / name;
  const Outcome outcome = run_program("report " + subject + " --machine xeon-gold-6130 -o " + file);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err.find("wrote " + file) != std::string::npos);
  const bool is_network = subject.ends_with(".csv") || subject.ends_with(".log");
  CHECK(outcome.out.empty() != is_network);
  CHECK((outcome.out.find("The plan covers") != std::string::npos) == is_network);
  return content_of(file);
}

/// Returns the numbers in a column of the table whose id is `table`. Columns count from 1.
std::vector<double> column_of(const std::string& page, const std::string& table, int column) {
  pugi::xml_document document;
  REQUIRE(document.load_string(page.c_str(), pugi::parse_default | pugi::parse_doctype));
  const std::string path =
      "//table[@id='" + table + "']/tbody/tr/td[" + std::to_string(column) + "]";
  std::vector<double> numbers;
  for (const pugi::xpath_node& each : document.select_nodes(path.c_str()))
    numbers.push_back(each.node().attribute("data-v").as_double());
  return numbers;
}

std::vector<double> numbers_at(const Json& rows, const char* key) {
  std::vector<double> numbers;
  for (const Json& row : rows) numbers.push_back(row.at(key));
  return numbers;
}

}  // namespace

TEST_CASE("report: a layer's page, JSON and CSV have the same numbers") {
  const Json document = Json::parse(written("resnet18-9", "a.json"));
  const std::string page = written("resnet18-9", "a.html");
  CHECK(column_of(page, "candidates", 2) == numbers_at(document.at("candidates"), "predicted_s"));
  CHECK(column_of(page, "bytes", 5) == numbers_at(document.at("levels"), "moved_bytes_sum"));
  CHECK(column_of(page, "bytes", 6) == numbers_at(document.at("levels"), "bound_bytes"));
  CHECK(column_of(page, "sensitivity", 2) == numbers_at(document.at("sensitivity"), "predicted_s"));
  const std::string csv = written("resnet18-9", "a.csv");
  for (const Json& level : document.at("levels"))
    for (const char* tensor : {"In", "Ker", "Out"})
      CHECK(csv.find(level.at("name").get<std::string>() + ',' + tensor + ',' +
                     level.at("footprints").at(tensor).dump() + ',' +
                     level.at("moved_bytes").at(tensor).dump() + '\n') != std::string::npos);
  CHECK(written("resnet18-9", "a.md").starts_with("# resnet18-9 on "));
}

TEST_CASE("report: a table of layers is a network, its page and JSON have the same numbers") {
  const TemporaryFolder folder;
  const std::string table = folder / "two.csv";
  std::ofstream(table) << "name,problem\nfirst,m64n64k64\nsecond,resnet18-9\n";
  const Json document = Json::parse(written(table, "b.json"));
  REQUIRE(document.at("layers").size() == 2);
  CHECK(document.at("layers").at(0).at("name") == "first");
  const std::vector<double> seconds = numbers_at(document.at("layers"), "seconds");
  CHECK(column_of(written(table, "b.html"), "layers", 3) == seconds);
  CHECK(document.at("seconds").get<double>() == close_to(seconds[0] + seconds[1]));
}

TEST_CASE("report: a verbose log of oneDNN is a network, layers that repeat count") {
  const TemporaryFolder folder;
  const auto run = [](const std::string& shape) {
    return "onednn_verbose,exec,cpu,convolution,jit:avx512_core,forward_training,"
           "src_f32::blocked:acdb:f0 dst_f32::blocked:acdb:f0,,alg:convolution_direct," +
           shape + ",0.08\n";
  };
  const std::string twice = run("mb1_ic16oc32_ih14oh14kh3sh1dh0ph1_iw14ow14kw3sw1dw0pw1");
  const std::string once = run("mb1_ic32oc32_ih14oh14kh1sh1dh0ph0_iw14ow14kw1sw1dw0pw0");
  const Json document = Json::parse(written(
      folder.write("net.log", "onednn_verbose,info,cpu\n" + twice + once + twice), "n.json"));
  REQUIRE(document.at("layers").size() == 2);
  CHECK(document.at("layers").at(0).at("problem") == "mb1ic16ih14oc32oh14kh3ph1");
  CHECK(document.at("layers").at(0).at("executions") == 2);
  CHECK(document.at("layers").at(1).at("executions") == 1);
}

TEST_CASE("report: candidates in the format of benchdnn are layers") {
  const TemporaryFolder folder;
  for (const std::string problem : {"mb1ic16ih14oc32oh14kh3ph1", "m16n32k64"}) {
    const std::string log = folder / (problem + ".log");
    std::string arguments = "candidates " + problem;
    arguments.append(" --format benchdnn -o ").append(log);
    REQUIRE(run_program(arguments).status == 0);
    const Json document = Json::parse(written(log, "n.json"));
    REQUIRE(document.at("layers").size() == 1);
    CHECK(document.at("layers").at(0).at("problem") == problem);
  }
}

TEST_CASE("report: what is measured is shown as measured") {
  const TemporaryFolder folder;
  const std::string file = folder / "a.json";
  // Measuring takes about 0.1 s. On a busy machine, a budget of 0.2 s may leave no time for a
  // sample.
  const Outcome outcome =
      run_program("report m64n64k64 --verify 2 --budget 2 --no-records --top 3 -o " + file);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const Json document = Json::parse(content_of(file));
  const Json& first = document.at("candidates").at(0);
  CHECK(document.at("seconds") == first.at("measured_s"));
  CHECK(document.at("candidates").at(2).at("measured_s").is_null());
}

TEST_CASE("report: a peer is measured beside the plan only when it is asked for") {
  const TemporaryFolder folder;
  CHECK(Json::parse(written("m64n64k64", "a.json")).at("peer").is_null());
  CHECK(written("m64n64k64", "a.html").find("Nothing was measured;") != std::string::npos);
  const std::string file = folder / "peer.json";
  const Outcome outcome = run_program("report m64n64k64 --peer onednn --budget 1 -o " + file);
  if (outcome.err.find("built without oneDNN") != std::string::npos) return;
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const Json document = Json::parse(content_of(file));
  const Json& peer = document.at("peer");
  CHECK(peer.at("name").get<std::string>().starts_with("oneDNN "));
  CHECK(peer.at("ours_s").get<double>() > 0);
  CHECK(peer.at("peer_s").get<double>() > 0);
  CHECK(peer.at("ratio").is_null() != peer.at("disturbed").get<std::string>().empty());
  CHECK(document.at("regime") == "hot");
}

TEST_CASE("report: each layer of a network has the time of the peer beside ours, in all formats") {
  const TemporaryFolder folder;
  const std::string table = folder / "two.csv", file = folder / "peer.json";
  std::ofstream(table)
      << "name,problem\nfirst,m64n64k64\nhuge,mb1000ic4096ih1024oc64oh1024kh3ph1\n";
  const std::string command =
      "report " + table + " --peer onednn --budget 1 -o " + folder.path().string();
  const Outcome outcome = run_program(command + "/peer.json");
  if (outcome.err.find("built without oneDNN") != std::string::npos) return;
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out.find("ratio = peer time / our time") != std::string::npos);
  const Json document = Json::parse(content_of(file));
  const Json& first = document.at("layers").at(0).at("peer");
  const Json& huge = document.at("layers").at(1).at("peer");
  CHECK(first.at("ours_s").get<double>() > 0);
  CHECK(first.at("peer_s").get<double>() > 0);
  CHECK(huge.at("peer_s").is_null());
  CHECK(huge.at("disturbed").get<std::string>().starts_with("memory: "));
  const bool has_ratio = !first.at("ratio").is_null();
  CHECK(document.at("peer").at("layers") == (has_ratio ? 1 : 0));
  if (has_ratio) CHECK(document.at("peer").at("peer_s") == first.at("peer_s"));
}

TEST_CASE("report: refused with the value and the rule") {
  check_refused("report resnet18-9 --machine xeon-gold-6130 -o x.html --format pdf",
                "'pdf'; must be html, md, json or csv");
  check_refused("report resnet18-9 -o x.html --peer mkl", "'mkl'; must be onednn");
  check_refused("report /no/such.csv --machine xeon-gold-6130 -o x.html", "/no/such.csv");
}
