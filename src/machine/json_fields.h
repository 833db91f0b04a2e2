// SPDX-License-Identifier: Apache-2.0
// Strict reading of data files in JSON: unknown, missing and ill-typed fields are errors that name
// the file, the field and the rule.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tileplan {

using Json = nlohmann::ordered_json;

/// The text as JSON. Throws Error: `origin` and the line and column where it stops being JSON.
Json parse_json(const std::string& text, const std::string& origin);

/// The fields of one JSON object. Every reader throws Error "ORIGIN: FIELD is VALUE; must be RULE".
/// Keeps references: the Json and its text live longer.
class Fields {
 public:
  /// The top-level object of `origin`. Throws Error unless it is an object whose names are all
  /// `known`.
  Fields(const Json& json, const std::string& origin, std::initializer_list<const char*> known);

  bool has(const char* name) const;  ///< for the few fields that may be left out
  std::string text(const char* name) const;
  /// A text that is exactly `expected`, e.g. the name and version of the format.
  void require(const char* name, const std::string& expected) const;
  bool flag(const char* name) const;
  int whole(const char* name) const;            ///< 0 .. 2^31 - 1
  int count(const char* name) const;            ///< 1 .. 2^31 - 1
  std::int64_t bytes(const char* name) const;   ///< 1 .. 2^63 - 1
  std::int64_t size(const char* name) const;    ///< 0 .. 2^63 - 1
  double positive(const char* name) const;      ///< > 0
  double non_negative(const char* name) const;  ///< >= 0
  double at_least_one(const char* name) const;  ///< >= 1
  std::vector<std::string> texts(const char* name) const;
  std::vector<double> non_negatives(const char* name) const;  ///< each >= 0
  /// A list of pairs of whole numbers, each first <= last.
  std::vector<std::pair<int, int>> ranges(const char* name) const;
  Fields object(const char* name, std::initializer_list<const char*> known) const;
  std::vector<Fields> list(const char* name, std::initializer_list<const char*> known) const;

  /// Throws Error "ORIGIN: NAME is VALUE; must be RULE", for rules that span several fields.
  [[noreturn]] void fail(const std::string& name, const std::string& rule) const;

 private:
  Fields(const Json& json, std::string origin, std::string path,
         std::initializer_list<const char*> known);
  const Json& field(const char* name, const char* rule) const;
  std::int64_t integer(const char* name, std::int64_t least, std::int64_t most) const;
  double number(const char* name, const char* rule) const;

  const Json* json_;
  std::string origin_;
  std::string path_;  ///< "" or "detected.caches[1]."
};

}  // namespace tileplan
