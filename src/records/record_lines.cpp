// SPDX-License-Identifier: Apache-2.0
// A JSON line becomes a record only if all fields have the right types, the problem, the regime and
// the samples are valid, and the record has either samples or a failure.
#include "record_lines.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "json_limits.h"
#include "shortened.h"
#include "tileplan/error.h"
#include "tileplan/plan.h"

namespace tileplan {

using Json = nlohmann::ordered_json;

namespace {

std::string text_field(const Json& document, const char* name) {
  const auto found = document.find(name);
  if (found == document.end()) throw Error(std::string(name) + ": missing; must be a text");
  if (!found->is_string())
    throw Error(std::string(name) + ": " + found->dump() + "; must be a text");
  std::string text = found->get<std::string>();
  if (printable(text) != text)
    throw Error(std::string(name) + ": has control characters; must be text without any");
  return text;
}

std::vector<double> samples_of(const Json& list) {
  if (!list.is_array()) throw Error("samples: " + list.dump() + "; must be a list of seconds");
  std::vector<double> samples;
  for (const Json& one : list) {
    const double seconds = one.is_number() ? one.get<double>() : 0;
    if (!(seconds > 0) || !std::isfinite(seconds))
      throw Error("samples: " + one.dump() + "; must be seconds above 0");
    samples.push_back(seconds);
  }
  return samples;
}

/// Throws Error unless `text` is a problem, optionally followed by a blank and an epilogue.
void check_problem(const std::string& text) {
  const std::size_t blank = text.rfind(' ');
  const auto is_epilogue = [](const std::string& word) {
    try {
      parse_epilogue(word);
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  const bool has = blank != std::string::npos && is_epilogue(text.substr(blank + 1));
  parse_problem(has ? text.substr(0, blank) : text);
}

Record record_of(const Json& document) {
  if (!document.is_object()) throw Error(document.dump() + "; must be an object");
  Record record;
  for (const auto& [name, field] : kRecordKeys) record.*field = text_field(document, name);
  record.samples = samples_of(document.value("samples", Json()));
  record.failure = text_field(document, "failure");
  check_problem(record.problem);
  parse_regime(record.regime);
  if (record.samples.empty() == record.failure.empty())
    throw Error("failure: '" + record.failure + "' beside " +
                std::to_string(record.samples.size()) + " samples; must be one or the other");
  return record;
}

}  // namespace

Json record_document(const Record& record) {
  Json document;
  for (const auto& [name, field] : kRecordKeys) document[name] = record.*field;
  document["samples"] = record.samples;
  document["failure"] = record.failure;
  return document;
}

std::string to_json_lines(const std::vector<Record>& records) {
  std::string lines;
  for (const Record& record : records) lines += record_document(record).dump() + '\n';
  return lines;
}

void for_each_line(const std::string& text, const std::string& origin,
                   const std::function<void(const std::string&)>& take) {
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty()) continue;
    try {
      take(line);
    } catch (const Error& error) {
      throw Error(origin + ": line " + std::to_string(number) + ": " + error.what());
    }
  }
}

Record parse_record(const std::string& line) {
  if (!is_utf8(line)) throw Error("is no UTF-8; must be a line of records export");
  try {
    check_json_limits(line);
    return record_of(Json::parse(line));
  } catch (const Json::exception&) {
    throw Error("not JSON; must be a line of records export");
  }
}

std::vector<Record> parse_json_lines(const std::string& text, const std::string& origin) {
  std::vector<Record> records;
  for_each_line(text, origin,
                [&](const std::string& line) { records.push_back(parse_record(line)); });
  return records;
}

std::string samples_text(const std::vector<double>& samples) { return Json(samples).dump(); }

std::vector<double> parse_samples(const std::string& text) {
  try {
    check_json_limits(text);
    return samples_of(Json::parse(text));
  } catch (const Json::exception&) {
    throw Error("samples '" + shortened(text) + "'; must be a list of seconds");
  }
}

}  // namespace tileplan
