// SPDX-License-Identifier: Apache-2.0
// This test runs batch jobs. Several runs (shards) divide the requests among them, and a killed job
// continues where it ended.
#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "program.h"
#include "temporary_folder.h"
#include "tileplan/file.h"

using namespace tileplan;
using namespace tileplan::test;

namespace {

/// Writes requests for four candidates of one product to a file, each with a budget of 0.3 s.
struct Job {
  TemporaryFolder folder;
  std::string requests = folder / "requests.jsonl";
  Job() {
    REQUIRE(run_program("plan m64n64k64 --top 4 --requests " + requests).status == 0);
    std::string text = read_file(requests, "requests");
    for (const std::string budget = "\"budget_seconds\":3.0";;) {
      const std::size_t place = text.find(budget);
      if (place == std::string::npos) break;
      text.replace(place, budget.size(), "\"budget_seconds\":0.3");
    }
    write_file(requests, text);
  }

  /// Measures the requests of `shard`, and writes the records to `out`. The status of the program
  /// is 1 if other programs disturbed all samples of a request.
  void measure(const std::string& shard, const std::string& out) const {
    CHECK(run_program("measure " + requests + " --shard " + shard + " -o " + out).status <= 1);
  }
  std::vector<std::string> schedules(const std::string& file) const {
    std::vector<std::string> all;
    std::istringstream lines(read_file(file, "records"));
    for (std::string line; std::getline(lines, line);)
      all.push_back(Json::parse(line).at("schedule"));
    std::ranges::sort(all);
    return all;
  }
};

}  // namespace

TEST_CASE("measure: two shards answer every request once, and records merge both") {
  const Job job;
  const std::string all = job.folder / "all", one = job.folder / "one", two = job.folder / "two";
  job.measure("1/1", all);
  job.measure("1/2", one);
  job.measure("2/2", two);
  std::vector<std::string> parts = job.schedules(one);
  std::ranges::copy(job.schedules(two), std::back_inserter(parts));
  std::ranges::sort(parts);
  CHECK(parts.size() == 4);
  CHECK(parts == job.schedules(all));
  const std::string flag = " --records " + (job.folder / "records.db");
  CHECK(run_program("records merge " + one + " " + two + flag).out == "4 measurements were new\n");
  CHECK(run_program("records merge " + two + flag).out == "0 measurements were new\n");
}

TEST_CASE("measure: a job that was killed in the middle of a line goes on") {
  const Job job;
  const std::string out = job.folder / "out";
  job.measure("1/1", out);
  const std::string text = read_file(out, "records");
  const std::size_t second = text.find('\n') + 1;
  write_file(out, text.substr(0, second + 20));
  job.measure("1/1", out);
  const std::string now = read_file(out, "records");
  CHECK(now.starts_with(text.substr(0, second)));
  CHECK(job.schedules(out).size() >= 4);
}

TEST_CASE("measure: requests for other machines are answered with the reason and status 1") {
  const TemporaryFolder folder;
  const std::string requests = folder / "requests.jsonl";
  REQUIRE(run_program("plan m64n64k64 --top 1 --machine epyc-7282 --requests " + requests).status ==
          0);
  const std::string text = read_file(requests, "requests");
  const std::size_t family = text.find("family ");
  REQUIRE(family != std::string::npos);
  write_file(requests, std::string(text).replace(family, 9, "family 99"));
  const Outcome outcome = run_program("measure " + requests);
  CHECK(outcome.status == 1);
  CHECK(outcome.out.find("worker: this machine is ") != std::string::npos);
  CHECK(outcome.err.find("0 measured, 1 failed") != std::string::npos);
}

TEST_CASE("measure: wrong shards and files are refused") {
  const Job job;
  for (const char* shard : {"0/2", "3/2", "1/0", "1", "1/2x", "a/b", "-1/2"}) {
    CAPTURE(shard);
    const Outcome outcome = run_program("measure " + job.requests + " --shard=" + shard);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find("must be I/N with I from 1 to N") != std::string::npos);
  }
  CHECK(run_program("measure " + job.requests + " -o " + job.requests).status == 2);
  CHECK(run_program("measure /nowhere/requests").status == 2);
}
