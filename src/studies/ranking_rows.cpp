// SPDX-License-Identifier: Apache-2.0
// Turns rows into fields, and back.
#include "ranking_rows.h"

namespace tileplan {

namespace {

LevelPrediction level_named(const Prediction& prediction, const std::string& name) {
  for (const LevelPrediction& level : prediction.levels)
    if (level.name == name) return level;
  return {.name = name};
}

void append_times(const std::optional<Measurement>& measured, CsvFields& fields) {
  if (!measured)
    fields.insert(fields.end(), {"", "", "", "0", "0"});
  else
    fields.insert(fields.end(),
                  {csv_number(measured->median_seconds), csv_number(measured->low_seconds),
                   csv_number(measured->high_seconds), std::to_string(measured->kept),
                   std::to_string(measured->samples)});
}

std::optional<Measurement> read_times(CsvRow& reader) {
  Measurement measured;
  measured.median_seconds = reader.number();
  measured.low_seconds = reader.number();
  measured.high_seconds = reader.number();
  measured.kept = static_cast<int>(reader.whole());
  measured.samples = static_cast<int>(reader.whole());
  return measured.samples > 0 ? std::optional(measured) : std::nullopt;
}

}  // namespace

std::string ranking_columns(const std::vector<std::string>& levels) {
  std::string names = "layer,origin,rank,predicted_s,compute_s,bottleneck";
  for (const std::string& level : levels)
    names.append(",").append(level).append("_s,").append(level).append("_bytes");
  return names +
         ",median_s,low_s,high_s,kept,samples,again_s,again_low_s,again_high_s,again_kept,"
         "again_samples,note,schedule";
}

CsvFields to_fields(const RankingRow& row, const std::vector<std::string>& levels) {
  const Prediction& predicted = row.candidate.prediction;
  CsvFields fields{row.layer,
                   row.rank > 0 ? "model" : "random",
                   row.rank > 0 ? std::to_string(row.rank) : "",
                   csv_number(predicted.seconds),
                   csv_number(predicted.compute_seconds),
                   predicted.bottleneck};
  for (const std::string& name : levels) {
    const LevelPrediction level = level_named(predicted, name);
    fields.insert(fields.end(), {csv_number(level.seconds), csv_number(level.bytes)});
  }
  append_times(row.candidate.measurement, fields);
  append_times(row.again, fields);
  fields.insert(fields.end(), {row.note, to_string(row.candidate.schedule)});
  return fields;
}

RankingRow read_ranking_row(const CsvFields& fields, const std::vector<std::string>& levels) {
  CsvRow reader(fields);
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
  row.candidate.measurement = read_times(reader);
  row.again = read_times(reader);
  row.note = reader.text();
  row.candidate.schedule = parse_schedule(reader.text());
  return row;
}

}  // namespace tileplan
