// SPDX-License-Identifier: Apache-2.0
// This file runs the command-line program as other tools would run it.
#pragma once

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "temporary_folder.h"

namespace tileplan::test {

struct Outcome {
  int status = -1;
  std::string out, err;
};

/// Runs the program with a temporary cache folder, so that it does not read a calibration of the
/// user.
inline Outcome run_program(const std::string& arguments) {
  const TemporaryFolder folder;
  const std::string out = folder / "out", err = folder / "err";
  const std::string command = "XDG_CACHE_HOME=" + folder.path().string() +
                              " " TILEPLAN_PROGRAM " " + arguments + " >" + out + " 2>" + err;
  const int status = std::system(command.c_str());
  REQUIRE(WIFEXITED(status));
  return {.status = WEXITSTATUS(status), .out = content_of(out), .err = content_of(err)};
}

using Json = nlohmann::json;
using Numbers = std::array<std::int64_t, 3>;  ///< Holds one number for each tensor.

inline Json document_of(const std::string& arguments) {
  const Outcome outcome = run_program(arguments + " --json");
  CAPTURE(arguments);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.out);
}

inline Numbers numbers_of(const Json& document, const std::array<const char*, 3>& names) {
  Numbers numbers{};
  for (std::size_t t = 0; t < names.size(); ++t) numbers[t] = document.at(names[t]);
  return numbers;
}

/// Returns the number of lines that are not notes.
inline std::ptrdiff_t error_lines(const std::string& text) {
  std::istringstream lines(text);
  std::ptrdiff_t count = 0;
  for (std::string line; std::getline(lines, line);) count += line.starts_with("note: ") ? 0 : 1;
  return count;
}

/// Returns true if the program was built without oneDNN, so that `bench` compares no layers.
inline bool built_without_peer() {
  return run_program("bench m8n16k8 --budget 0.1").err.find("without oneDNN") != std::string::npos;
}

/// Checks that the exit code is 2, that stdout is empty, and that stderr has one line besides notes
/// and contains `part`.
inline void check_refused(const std::string& arguments, const std::string& part) {
  const Outcome outcome = run_program(arguments);
  CAPTURE(arguments);
  CAPTURE(outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(error_lines(outcome.err) == 1);
  CHECK((outcome.err.find(part) != std::string::npos));
}

}  // namespace tileplan::test
