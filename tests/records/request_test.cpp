// SPDX-License-Identifier: Apache-2.0
// This test checks that requests and results are equal after they were written as text and read
// again. It also checks what a host answers when it cannot measure.
#include "tileplan/request.h"

#include <doctest/doctest.h>

#include "temporary_folder.h"
#include "tileplan/error.h"
#include "tileplan/version.h"

using namespace tileplan;

namespace {

constexpr const char* kSchedule = "[R(i), R(j), T(64,k), U(4,i), U(2,j), V(j)]";

MeasureRequest product(const std::string& machine) {
  MeasureRequest request{.problem = parse_problem("m64n64k64"),
                         .schedule = parse_schedule(kSchedule),
                         .machine = machine};
  request.options.budget_seconds = 1;
  request.options.epilogue = parse_epilogue("bias,relu");
  request.options.seed = 18446744073709551615U;
  return request;
}

std::string line_of(const std::string& fields) {
  return std::string(R"({"problem":"m8n8k8","schedule":"[V(j)]","machine":"toy")") + fields + "}";
}

std::string refusal(const std::string& line) {
  try {
    parse_requests(line, "file");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string refusal(const std::string& line, const MeasureRequest& request) {
  try {
    parse_result(line, request);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("request: a line holds everything that a worker needs") {
  MeasureRequest request = product("toy, avx2");
  request.options.threads = 2;
  request.options.regime = Regime::network(4096);
  const std::vector<MeasureRequest> both{request, product("other")};
  CHECK(parse_requests(to_json_lines(both), "file") == both);
}

TEST_CASE("request: missing options have their defaults") {
  const std::vector<MeasureRequest> parsed = parse_requests("\n" + line_of("") + "\n", "file");
  REQUIRE(parsed.size() == 1);
  CHECK(parsed.front().options == Options{});
}

TEST_CASE("request: a malformed line is refused with its number, the field and the rule") {
  CHECK(refusal("\nnonsense").starts_with("file: line 2: request: not JSON"));
  CHECK(refusal(line_of(R"(,"thread":2)")).find("thread") != std::string::npos);
  CHECK(refusal(line_of(R"(,"threads":0)")).find("threads is 0") != std::string::npos);
  CHECK(refusal(line_of(R"(,"seed":7)")).find("seed") != std::string::npos);
  CHECK(refusal(line_of(R"(,"seed":"99999999999999999999")")).find("2^64") != std::string::npos);
  CHECK(refusal(line_of(R"(,"budget_seconds":-1)")).find("budget_seconds") != std::string::npos);
  CHECK(refusal(R"({"problem":"m8n8k8"})").find("schedule") != std::string::npos);
}

TEST_CASE("request: a host of another type says so, and another one may answer") {
  const MeasureRequest request = product("toy, family 1 model 2 stepping 3, avx2");
  const MeasureResult result = measure(request);
  CHECK(result.record.failure.starts_with("worker: this machine is "));
  CHECK(result.record.failure.ends_with("must be " + request.machine));
  CHECK_FALSE(is_lasting(result.record));
  CHECK(parse_result(to_json_line(result), request) == result);
}

TEST_CASE("request: a schedule that does not fit the problem fails for good") {
  MeasureRequest request = product(machine_type(detect_machine()));
  request.problem = parse_problem("m64n64k63");
  const MeasureResult result = measure(request);
  CHECK_FALSE(result.record.failure.empty());
  CHECK(is_lasting(result.record));
}

TEST_CASE("request: this host measures a schedule, unless it is never quiet") {
  Machine renamed = detect_machine();
  renamed.name = "renamed";
  const MeasureRequest request = product(machine_type(renamed));
  const MeasureResult result = measure(request);
  CHECK(result.record.problem == "m64n64k64 bias,relu");
  CHECK(result.record.machine == request.machine);
  CHECK(result.record.version == version());
  CHECK(result.seconds >= result.waiting_seconds);
  if (result.record.samples.empty())
    CHECK(result.record.failure.starts_with("worker: never quiet"));
  else
    CHECK(result.record.failure.empty());
  CHECK(parse_result(to_json_line(result), request) == result);
}

TEST_CASE("request: nonsense and results of other requests are refused") {
  const MeasureRequest request = product("toy, avx2");
  const MeasureResult result{.record = lost_record(request, "killed")};
  const std::string line = to_json_line(result);
  CHECK(refusal(line, request).empty());
  CHECK(refusal("42", request) == "42; must be an object");
  CHECK(refusal(line.substr(0, line.size() / 2), request).starts_with("not JSON"));
  CHECK(refusal(line, product("other")).find("machine is toy, avx2; must be other") !=
        std::string::npos);
  MeasureRequest threads = request;
  threads.options.threads = 2;
  CHECK(refusal(line, threads).find("2 threads") != std::string::npos);
}

TEST_CASE("request: records answer it unless the failure was one of a host") {
  const TemporaryFolder folder;
  Records records(folder / "records.db");
  const MeasureRequest request = product("toy, avx2");
  records.add(std::vector<Record>{lost_record(request, "killed")});
  CHECK_FALSE(find_record(records, request).has_value());
  Record measured = lost_record(request, "");
  measured.failure.clear();
  measured.samples = {1e-6};
  records.add(std::vector<Record>{measured, lost_record(request, "killed again")});
  REQUIRE(find_record(records, request).has_value());
  CHECK(find_record(records, request) == measured);
  CHECK_FALSE(find_record(records, product("other")).has_value());
}

TEST_CASE("request: a plan asks for its first candidates") {
  Plan plan = plan_of(parse_problem("m64n64k64"), load_machine("xeon-gold-6130"),
                      parse_schedule(kSchedule));
  plan.candidates.push_back(plan.candidates.front());
  CHECK(requests_of(plan).size() == 2);
  plan.options.verify = 1;
  REQUIRE(requests_of(plan).size() == 1);
  CHECK(requests_of(plan).front().machine.starts_with("xeon-gold-6130, family 6"));
}
