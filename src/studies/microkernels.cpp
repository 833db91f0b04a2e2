// SPDX-License-Identifier: Apache-2.0
// This file measures the register tiles that are missing in the table, then plots and counts all
// tiles.
#include "microkernels.h"

#include <algorithm>

#include "buffers.h"
#include "calibrate_kernels.h"
#include "heat_map.h"
#include "microkernel.h"
#include "studies.h"
#include "text_table.h"
#include "tileplan/error.h"
#include "tileplan/verify.h"

namespace tileplan {

namespace {

// The TTile paper measures microkernels inside T(512,c), a loop of this many reduction steps.
constexpr int kSteps = 512;
// The TTile paper calls tiles fast that reach this share of the best rate.
constexpr double kFast = 0.85;
constexpr const char* kColumns =
    "tile,pixels,vectors,cycles per step,cycles per call,share of peak,bound";
constexpr std::size_t kPixels = 1, kVectors = 2, kShare = 5, kBound = 6;

std::string name_of(RegisterTile tile) { return joined(tile.pixels, 'x', tile.vectors); }

StudyRow row_of(const KernelRate& rate, const VectorUnit& unit) {
  const RegisterTile tile{.pixels = rate.pixels, .vectors = rate.vectors};
  return fields_of(name_of(tile), rate.pixels, rate.vectors, rate.cycles_per_step,
                   rate.cycles_per_call, share_of_peak(rate, unit, kSteps),
                   generated_step(tile, unit).efficiency);
}

StudyHead head_of(const Machine& machine, const StudyOptions& options) {
  const std::string conditions =
      joined("# 1 thread, operands in the first-level cache, two agreeing medians of ",
             options.measurements, " gated samples; share of peak: in a call of ", kSteps,
             " reduction steps; bound: of the throughput model, in the loop\n");
  return study_head("microkernels", machine, options, conditions, kColumns);
}

/// Adds the rates of `tiles` to `table`. Tiles without valid measurements are left out.
void measure(const std::vector<RegisterTile>& tiles, const Machine& machine,
             const StudyOptions& options, const StudyFolder& folder, StudyTable& table) {
  const PinnedThread pinned;
  const Clock clock = steady_clock();
  const VectorUnit& unit = machine.vector;
  GatedTimer timer(clock, make_probe(unit.isa), 2.0 * unit.lanes * unit.fma_units);
  Buffer memory(kKernelBytes / sizeof(float));
  const double end = clock() + options.budget_seconds;
  std::size_t done = 0;
  folder.show(done, tiles.size());
  measure_tiles(tiles,
                {.unit = unit,
                 .timer = timer,
                 .samples = options.measurements,
                 .memory = reinterpret_cast<char*>(memory.data()),
                 .time_left = [&] { return clock() < end && !stop_requested(); }},
                [&](const KernelRate& rate) {
                  table.add({row_of(rate, unit)});
                  folder.show(++done, tiles.size());
                });
}

double share_in(const StudyRow& row) { return std::stod(row[kShare]); }

std::string vectors_line(int vectors, const std::vector<StudyRow>& rows, double best) {
  const auto top = std::ranges::max_element(rows, {}, share_in);
  std::string fast;
  for (const StudyRow& row : rows)
    if (share_in(row) >= kFast * best) fast += (fast.empty() ? "" : " ") + row[kPixels];
  return joined(vectors, " vectors: best ", (*top)[kPixels], " pixels, ",
                decimals(share_in(*top), 1, kPercent), " % of peak (bound ",
                decimals(std::stod((*top)[kBound]), 1, kPercent),
                " %); fast pixels: ", fast.empty() ? "none" : fast, '\n');
}

std::string summary_of(const std::vector<StudyRow>& rows, std::size_t tiles) {
  double best = 0;
  std::map<int, std::vector<StudyRow>> by_vectors;
  for (const StudyRow& row : rows) {
    best = std::max(best, share_in(row));
    by_vectors[std::stoi(row[kVectors])].push_back(row);
  }
  std::string text = joined(rows.size(), " of ", tiles,
                            " tiles measured undisturbed\n"
                            "fast: at least 85 % of the best tile's share of peak\n");
  for (const auto& [vectors, own] : by_vectors) text += vectors_line(vectors, own, best);
  return text;
}

}  // namespace

double share_of_peak(const KernelRate& rate, const VectorUnit& unit, int steps) {
  const double least = static_cast<double>(steps) * rate.pixels * rate.vectors / unit.fma_units;
  return least / CallCycles(rate).of(steps);
}

std::string microkernels_svg(const std::vector<StudyRow>& rows, const std::string& title) {
  int pixels = 0, vectors = 0;
  for (const StudyRow& row : rows) {
    pixels = std::max(pixels, std::stoi(row[kPixels]));
    vectors = std::max(vectors, std::stoi(row[kVectors]));
  }
  HeatMap map{.titles = {.title = title,
                         .x = "pixels of the register tile",
                         .y = "vectors of output channels of the register tile"},
              .value_title = "share of peak [%]"};
  for (int i = 1; i <= pixels; ++i) map.x_labels.push_back(std::to_string(i));
  for (int i = 1; i <= vectors; ++i) map.y_labels.push_back(std::to_string(i));
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  map.values.assign(map.y_labels.size(), std::vector<double>(map.x_labels.size(), unknown));
  for (const StudyRow& row : rows)
    map.values[std::stoul(row[kVectors]) - 1][std::stoul(row[kPixels]) - 1] = 100 * share_in(row);
  return heat_map_svg(map);
}

void study_microkernels(const Machine& machine, const StudyOptions& options, const Print& print,
                        std::vector<RegisterTile> tiles) {
  require_sense(options);
  const StudyHead head = head_of(machine, options);
  StudyFolder folder(options, print);
  StudyTable table(folder.path("microkernels.csv"), head, options.resume);
  folder.say(head.facts + head.date);
  if (tiles.empty()) tiles = register_tiles(machine.vector);
  std::vector<RegisterTile> missing;
  for (const RegisterTile& tile : tiles)
    if (table.rows(name_of(tile)).empty()) missing.push_back(tile);
  measure(missing, machine, options, folder, table);
  std::vector<StudyRow> rows;
  for (const RegisterTile& tile : tiles)
    for (StudyRow& row : table.rows(name_of(tile))) rows.push_back(std::move(row));
  if (!rows.empty())
    folder.write("microkernels.svg", microkernels_svg(rows, machine.name + ", calls of 512 steps"));
  folder.say(summary_of(rows, tiles.size()));
}

void draw_microkernels(const std::string& text, const std::string& origin,
                       const StudyFolder& folder) {
  const CsvTable table = parse_csv(text, origin);
  if (table.columns != csv_fields(kColumns) || table.rows.empty())
    throw Error(origin + ": must be a table of the columns " + kColumns);
  folder.write("microkernels.svg", microkernels_svg(table.rows, origin));
}

}  // namespace tileplan
