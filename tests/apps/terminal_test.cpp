// SPDX-License-Identifier: Apache-2.0
// These tests check that tables fit a terminal of 80 columns, that bench takes several problems,
// and what studies and calibrate print.
#include <algorithm>
#include <fstream>
#include <regex>
#include <vector>

#include "program.h"

using namespace tileplan::test;

namespace {

/// Returns the lines that the program prints on a terminal, without colours, progress and notes.
std::vector<std::string> terminal_lines(const std::string& environment,
                                        const std::string& arguments) {
  const tileplan::TemporaryFolder folder;
  const std::string out = folder / "out";
  const std::string command = "XDG_CACHE_HOME=" + folder.path().string() + " " + environment +
                              " script -qec '" TILEPLAN_PROGRAM " " + arguments + "' /dev/null >" +
                              out + " </dev/null";
  REQUIRE(std::system(command.c_str()) == 0);
  std::string text = tileplan::content_of(out);
  std::erase(text, '\r');
  text = std::regex_replace(text, std::regex("[^\n]*\x1b\\[K"), "");
  text = std::regex_replace(text, std::regex("\x1b\\[[0-9;]*m"), "");
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (!line.starts_with("note: ")) lines.push_back(line);
  return lines;
}

std::size_t widest(const std::vector<std::string>& lines) {
  std::size_t most = 0;
  for (const std::string& line : lines) most = std::max(most, line.size());
  return most;
}

}  // namespace

TEST_CASE("bench takes several problem texts, in the order given") {
  if (built_without_peer()) return;
  const Json layers =
      document_of("bench mb1ic16ih8oc16oh8kh1ph0 m8n16k8 resnet18-12 --budget 0.2").at("layers");
  REQUIRE(layers.size() == 3);
  CHECK(layers[0].at("problem") == "mb1ic16ih8oc16oh8kh1ph0");
  CHECK(layers[1].at("problem") == "m8n16k8");
  CHECK(layers[2].at("name") == "resnet18-12");
}

TEST_CASE("bench fits 80 columns, and each number is there") {
  if (built_without_peer()) return;
  const std::vector<std::string> lines =
      terminal_lines("COLUMNS=80", "bench mb1ic64ih56oc64oh56kh3ph1 m8n16k8 --budget 0.3");
  CHECK(widest(lines) <= 80);
  const auto name = std::ranges::find(lines, "mb1ic64ih56oc64oh56kh3ph1");
  REQUIRE(lines.end() - name > 1);
  for (const char* const part : {"s ", "%"}) CHECK((name[1].find(part) != std::string::npos));
  const auto is_schedule = [](const std::string& line) { return line.starts_with("      ["); };
  CHECK(std::ranges::count_if(lines, is_schedule) == 2);
}

TEST_CASE("plan fits 80 columns too") {
  CHECK(widest(terminal_lines("COLUMNS=80", "plan resnet18-9 --machine xeon-gold-6130")) <= 80);
}

TEST_CASE("a study that does not exist is named, with the one that was probably meant") {
  const tileplan::TemporaryFolder folder;
  check_refused("study rankng --out " + (folder / "out"),
                "unknown study 'rankng'; did you mean ranking?");
}

TEST_CASE("a study says which files it wrote") {
  const tileplan::TemporaryFolder folder;
  const Outcome outcome = run_program("study surfaces --out " + (folder / "out"));
  CHECK(outcome.status == 0);
  CHECK((outcome.err.find("wrote " + (folder / "out") + "/summary.txt and ") != std::string::npos));
}

TEST_CASE("calibrate refuses a cache folder that it cannot write before it measures") {
  const tileplan::TemporaryFolder folder;
  const std::string blocked = folder / "file", err = folder / "err";
  std::ofstream(blocked) << "no folder";
  const std::string command = "XDG_CACHE_HOME=" + blocked +
                              "/cache timeout 2 " TILEPLAN_PROGRAM " calibrate --quick >" +
                              (folder / "out") + " 2>" + err;
  CHECK(WEXITSTATUS(std::system(command.c_str())) == 2);
  CHECK((tileplan::content_of(err).find("machine.json: cannot be written") != std::string::npos));
}
