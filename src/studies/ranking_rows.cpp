// SPDX-License-Identifier: Apache-2.0
// Rows <-> CSV. Schedules hold commas, so texts are quoted.
#include "ranking_rows.h"

#include <sstream>

#include "csv.h"
#include "tileplan/error.h"

namespace tileplan {

namespace {

constexpr const char* kTitle =
    "# tileplan study ranking: predicted and measured time of schedules drawn at random and of the "
    "model's best";

std::string column_names(const std::vector<std::string>& levels) {
  std::ostringstream names;
  names << "layer,origin,rank,predicted_s,compute_s,bottleneck";
  for (const std::string& level : levels) names << ',' << level << "_s," << level << "_bytes";
  names << ",median_s,low_s,high_s,kept,samples,again_s,again_low_s,again_high_s,again_kept,"
           "again_samples,note,schedule";
  return names.str();
}

LevelPrediction level_named(const Prediction& prediction, const std::string& name) {
  for (const LevelPrediction& level : prediction.levels)
    if (level.name == name) return level;
  return {.name = name};
}

std::string times_of(const std::optional<Measurement>& measured) {
  if (!measured) return ",,,0,0";
  return csv_number(measured->median_seconds) + ',' + csv_number(measured->low_seconds) + ',' +
         csv_number(measured->high_seconds) + ',' + std::to_string(measured->kept) + ',' +
         std::to_string(measured->samples);
}

std::string line_of(const RankingRow& row, const std::vector<std::string>& levels) {
  const Prediction& predicted = row.candidate.prediction;
  std::ostringstream line;
  line << csv_quoted(row.layer) << ',' << (row.rank > 0 ? "model" : "random") << ',';
  if (row.rank > 0) line << row.rank;
  line << ',' << csv_number(predicted.seconds) << ',' << csv_number(predicted.compute_seconds)
       << ',' << predicted.bottleneck;
  for (const std::string& name : levels) {
    const LevelPrediction level = level_named(predicted, name);
    line << ',' << csv_number(level.seconds) << ',' << csv_number(level.bytes);
  }
  line << ',' << times_of(row.candidate.measurement) << ',' << times_of(row.again) << ','
       << csv_quoted(row.note) << ',' << csv_quoted(to_string(row.candidate.schedule)) << '\n';
  return line.str();
}

std::optional<Measurement> times_of(CsvRow& reader) {
  Measurement measured;
  measured.median_seconds = reader.number();
  measured.low_seconds = reader.number();
  measured.high_seconds = reader.number();
  measured.kept = static_cast<int>(reader.whole());
  measured.samples = static_cast<int>(reader.whole());
  return measured.samples > 0 ? std::optional(measured) : std::nullopt;
}

RankingRow row_of(CsvRow reader, const std::vector<std::string>& levels) {
  RankingRow row;
  row.layer = reader.text();
  reader.text();  // the origin says no more than the rank
  row.rank = static_cast<int>(reader.whole());
  Prediction& predicted = row.candidate.prediction;
  predicted.seconds = reader.number();
  predicted.compute_seconds = reader.number();
  predicted.bottleneck = reader.text();
  for (const std::string& name : levels) {
    const double seconds = reader.number();
    predicted.levels.push_back({.name = name, .bytes = reader.number(), .seconds = seconds});
  }
  row.candidate.measurement = times_of(reader);
  row.again = times_of(reader);
  row.note = reader.text();
  row.candidate.schedule = parse_schedule(reader.text());
  return row;
}

/// The levels that a line of column names has. Throws Error when it is not that of this table.
std::vector<std::string> levels_of(const std::string& line) {
  constexpr std::string_view kEnd = "_bytes";
  std::vector<std::string> levels;
  for (const std::string& name : csv_fields(line))
    if (name.ends_with(kEnd)) levels.push_back(name.substr(0, name.size() - kEnd.size()));
  if (line != column_names(levels))
    throw Error("'" + line + "'; must be the column names " + column_names(levels));
  return levels;
}

/// Puts a table together from its lines.
class TableReader {
 public:
  void add(const std::string& line) {
    if (line.starts_with("# ")) return add_fact(line);
    if (named_) return add_row(line);
    table_.levels = levels_of(line);
    named_ = true;
  }

  /// Whether the column names have been seen.
  bool named() const { return named_; }
  RankingTable take() { return std::move(table_); }

 private:
  void add_fact(const std::string& line) {
    const std::size_t colon = line.find(": ");
    if (line == kTitle || colon == std::string::npos) return;
    table_.facts.emplace_back(line.substr(2, colon - 2), line.substr(colon + 2));
  }

  void add_row(const std::string& line) {
    std::vector<std::string> fields = csv_fields(line);
    const std::size_t columns = csv_fields(column_names(table_.levels)).size();
    if (fields.size() != columns)
      throw Error(std::to_string(fields.size()) + " columns; must be " + std::to_string(columns));
    table_.rows.push_back(row_of(CsvRow(std::move(fields)), table_.levels));
  }

  RankingTable table_;
  bool named_ = false;
};

}  // namespace

std::string to_csv(const RankingTable& table) {
  std::ostringstream text;
  text << kTitle << '\n';
  for (const auto& [name, value] : table.facts) text << "# " << name << ": " << value << '\n';
  text << column_names(table.levels) << '\n';
  for (const RankingRow& row : table.rows) text << line_of(row, table.levels);
  return text.str();
}

RankingTable parse_ranking_csv(const std::string& text, const std::string& origin) {
  TableReader reader;
  std::istringstream lines(text);
  int number = 0;
  try {
    for (std::string line; std::getline(lines, line);) {
      ++number;
      reader.add(line);
    }
  } catch (const Error& error) {
    throw Error(origin + ":" + std::to_string(number) + ": " + error.what());
  }
  if (!reader.named())
    throw Error(origin + ": has no column names; must be a table of the ranking study");
  return reader.take();
}

}  // namespace tileplan
