// SPDX-License-Identifier: Apache-2.0
// This file prints explanations as tables and as JSON.
#include <algorithm>
#include <cmath>

#include "explain_gemm.h"
#include "explain_winograd.h"
#include "json_members.h"
#include "kernel_memory.h"
#include "legend.h"
#include "order_class.h"
#include "peak.h"
#include "plan_json.h"
#include "strips.h"
#include "tileplan/explain.h"
#include "tileplan/text.h"

namespace tileplan {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kManyThreads =
    "Tiles, footprints and capacities are those of one cache. Movement, bounds, links and times "
    "are those of all threads together. The microkernels are those of one core that makes all "
    "calls.\n\n";

constexpr const char* kPadding =
    "Footprints, movement and bounds count padding and the weights that are multiplied by it. The "
    "columns about the link count neither."
    "\n\n";

std::string tile_text(const std::vector<LoopExtent>& tile) {
  std::string text;
  for (const LoopExtent& loop : tile)
    if (loop.extent != 1)
      text.append(text.empty() ? "" : " ").append(loop.name).append(std::to_string(loop.extent));
  return text.empty() ? "one iteration" : text;
}

std::string holding_text(const LevelExplanation& level) {
  std::string text = level.cache + (level.holds_tile ? " holds " : " cannot hold ") +
                     tile_text(level.tile) + (level.limit.empty() ? "" : "; ") + level.limit;
  if (level.holds_problem)
    text += "; all tensors fit, so that only tensors that are cold before a run use the link";
  else if (level.slowness > 1)
    text += "; input lines arrive one by one, which takes the link " + fixed(level.slowness, 1) +
            " times as long";
  return text + '\n';
}

std::string level_table(const Explanation& explanation, TextStyle style) {
  std::vector<std::vector<std::string>> rows{{"level", "footprint, elements", "required, elements",
                                              "capacity, elements", "lower bound, elements"}};
  for (const LevelExplanation& level : explanation.levels)
    rows.push_back({level.cache, std::to_string(level.footprint()), std::to_string(level.required),
                    std::to_string(level.capacity), fixed(level.least_loads.bound, 0)});
  return table_text(rows, style);
}

/// Compares the bytes that each level moves with the least that every schedule moves, and with
/// those on the link of the prediction.
std::string bytes_table(const Explanation& explanation, TextStyle style) {
  std::vector<std::vector<std::string>> rows{
      {"level", "moved, bytes", "lower bound, bytes", "distance", "link, bytes", "link, time"}};
  for (std::size_t i = 0; i < explanation.levels.size(); ++i) {
    const LevelExplanation& level = explanation.levels[i];
    const LevelPrediction& link = explanation.candidate.prediction.levels[i];
    rows.push_back({level.cache, std::to_string(level.moved_bytes()), fixed(level.bound_bytes, 0),
                    fixed(level.distance(), 2), fixed(link.bytes, 0),
                    format_seconds(link.seconds)});
  }
  return table_text(rows, style);
}

/// Returns a text such as "12.3 kB". A kB has 1000 bytes.
std::string bytes_text(double bytes) {
  constexpr const char* kUnits[] = {" B", " kB", " MB", " GB", " TB"};
  constexpr double kThousand = 1000;
  std::size_t unit = 0;
  for (; bytes >= kThousand && unit + 1 < std::size(kUnits); ++unit) bytes /= kThousand;
  return fixed(bytes, unit == 0 ? 0 : 1) + kUnits[unit];
}

/// Returns `cells` characters, in which `#` marks the share of the lower bound and `+` the rest.
std::string bar_text(const LevelExplanation& level, std::size_t cells) {
  const double share = 1 / std::max(1.0, level.distance());
  const auto least = static_cast<std::size_t>(std::lround(static_cast<double>(cells) * share));
  return std::string(least, '#') + std::string(cells - least, '+');
}

/// Returns one bar per level. All bars have equal length. Returns nothing if `width` is too small.
std::string level_bars(const Explanation& explanation, int width) {
  constexpr std::size_t kShortest = 10, kGap = 2;  // Columns of a table are kGap apart.
  std::vector<std::vector<std::string>> rows;
  for (const LevelExplanation& level : explanation.levels)
    rows.push_back({level.cache, bytes_text(static_cast<double>(level.moved_bytes())) + ",",
                    fixed(level.distance(), 2) + " times the bound"});
  const std::size_t facts = aligned(rows).find('\n') + kGap;
  if (static_cast<std::size_t>(width) < facts + kShortest) return "";
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i].insert(rows[i].begin() + 1,
                   bar_text(explanation.levels[i], static_cast<std::size_t>(width) - facts));
  return "# lower bound on the bytes that every schedule moves\n"
         "+ bytes that this one moves beyond the bound\n" +
         aligned(rows);
}

/// Returns the tensors of `level` that the loop `outside` reuses, such as "Out (1.0 kB)": those
/// without an index that depends on the loop.
std::string reused_text(const Computation& computation, const LevelExplanation& level,
                        const Specifier& outside) {
  std::string text;
  for (std::size_t t = 0; t < level.tensors.size(); ++t) {
    const TensorAccess& tensor = computation.tensors[t];
    if (is_present(tensor, computation.dim(outside.dim))) continue;
    const std::int64_t bytes = tensor.element_bytes() * level.tensors[t].movement.footprint;
    text += (text.empty() ? "" : " and ") + tensor.name + " (" +
            bytes_text(static_cast<double>(bytes)) + ")";
  }
  return text;
}

/// Returns a line for each cache that cannot hold all tensors of a direct schedule, unless no loop
/// is outside its tile or the outermost loop of the tile is a list of blocks. The line says which
/// tensors the next loop outside the tile of the cache reuses, so that they do not cross the link
/// in each of its steps.
std::string order_text(const Explanation& explanation) {
  const Schedule& schedule = explanation.candidate.schedule;
  if (schedule.winograd) return "";
  const Computation computation =
      loop_computation(explanation.problem, schedule, explanation.machine.vector);
  std::string text;
  for (const LevelExplanation& level : explanation.levels) {
    const std::size_t at = level.holds_problem ? 0 : level.loops_outside;
    // If the outermost loop of the tile is a list of blocks (L), the tile may hold blocks of only
    // one size. The others then evict its data before the next loop outside comes to it again.
    if (at == 0 || schedule.loops[at].is_lambda()) continue;
    const Specifier& outside = schedule.loops[at - 1];
    const std::string reused = reused_text(computation, level, outside);
    text += to_string(outside) + " is next outside the tile of " + level.cache;
    text += reused.empty() ? ", and every tensor depends on " + outside.dim
                           : " and reuses " + reused + ", which " + outside.dim + " does not index";
    text += '\n';
  }
  return text;
}

std::string movement_table(const Explanation& explanation, TextStyle style) {
  std::vector<std::vector<std::string>> rows{
      {"level", "tensor", "footprint, elements", "movement, elements", "movement, bytes"}};
  for (const LevelExplanation& level : explanation.levels)
    for (const auto& [movement, bytes] : level.tensors)
      rows.push_back({level.cache, movement.tensor, std::to_string(movement.footprint),
                      std::to_string(movement.volume), std::to_string(bytes)});
  return table_text(rows, style);
}

std::string compute_table(const Explanation& explanation, TextStyle style) {
  std::vector<std::vector<std::string>> rows{
      {"microkernel, pixels x vectors", "calls", "steps per call", "cycles per step",
       "cycles per call", "all calls", "between stretches", "dispatches", "cycles"}};
  for (const MicrokernelCalls& one : explanation.compute)
    rows.push_back({std::to_string(one.pixels) + " x " + std::to_string(one.vectors),
                    fixed(one.calls, 0), fixed(one.steps, 0), fixed(one.cycles_per_step, 2),
                    fixed(one.cycles_per_call, 1), fixed(one.call_cycles, 0),
                    fixed(one.run_cycles, 0), fixed(one.dispatch_cycles, 0),
                    fixed(one.cycles(), 0)});
  return table_text(rows, style);
}

/// Writes the prediction as a sum: first the times that overlap or, for Winograd schedules, those
/// of the stages, and then the times that nothing hides (eq. (T) of models/README.md).
std::string sum_text(const Prediction& prediction) {
  const Unhidden& unhidden = prediction.unhidden;
  std::string text = "predicted " + format_seconds(prediction.seconds) + " = ";
  if (prediction.stages.empty())
    text += format_seconds(prediction.seconds - unhidden.sum()) + " (" +
            format_seconds(prediction.compute_seconds) +
            " of computing, overlapped with the links)";
  for (const StagePrediction& stage : prediction.stages)
    text += (&stage == &prediction.stages.front() ? "" : " + ") + format_seconds(stage.seconds) +
            " of " + stage.name;
  const auto add = [&](double seconds, const char* what) {
    if (seconds > 0) text += " + " + format_seconds(seconds) + " of " + what;
  };
  add(unhidden.exposed, "traffic that computing does not hide");
  add(unhidden.packing, "packing");
  add(unhidden.repack, "repacking");
  add(unhidden.fork, "starting");
  add(unhidden.prefetching, "issuing prefetches while a link is busy");
  return text;
}

/// Returns the memory of the kernel, or nothing if the schedule is rejected, is for NEON or cannot
/// be lowered.
std::optional<KernelMemory> memory_of(const Explanation& explanation) {
  if (!explanation.rejected.empty()) return std::nullopt;
  const Plan plan{.problem = explanation.problem,
                  .machine = explanation.machine,
                  .options = {.threads = explanation.machine.cores},
                  .candidates = {explanation.candidate}};
  return memory_of(plan, 0, ComputationVariants(explanation.problem));
}

std::string outcome_text(const Explanation& explanation) {
  const auto& [schedule, prediction, measured] = explanation.candidate;
  const double seconds = measured ? measured->median_seconds : prediction.seconds;
  const double share = explanation.peak_seconds * peak_flops(explanation.machine) /
                       peak_beside(explanation.machine, measured) / seconds;
  std::string text = "bottleneck " + prediction.bottleneck + ", measured " +
                     (measured ? format_seconds(measured->median_seconds) : "-") + ", " +
                     fixed(100 * share, 1) + " % of peak\n";
  if (share > 1)
    text += schedule.winograd ? winograd_peak_text() : above_peak_text(explanation.problem);
  const std::string memory = memory_text(memory_of(explanation));
  if (!memory.empty()) text += "memory: " + memory + '\n';
  for (const PackedOperand& each : explanation.packed)
    text += "packs " + each.tensor + " inside " + each.loop + ": " + fixed(each.elements, 0) +
            " elements, " + fixed(each.bytes_in_l1, 0) +
            " bytes over the link into the first cache\n";
  return text + repack_text(explanation.repack);
}

/// Returns a line for each reason of rejection. For each of the marks in= and out= that a rejected
/// schedule of a convolution lacks, another line names the layout that is assumed.
std::string rejection_text(const Explanation& explanation) {
  std::string text;
  for (const std::string& reason : explanation.rejected) text += "rejected: " + reason + '\n';
  const auto& [in, out] =
      std::pair{explanation.candidate.schedule.in, explanation.candidate.schedule.out};
  if (text.empty() || !std::holds_alternative<ConvShape>(explanation.problem)) return text;
  for (const auto& [mark, layout] : {std::pair{"in=", in}, {"out=", out}})
    if (layout == Layout::plain)
      text += std::string("the schedule does not say ") + mark + ", so that " + mark +
              to_string(layout) + " is assumed, which is the order of nchw\n";
  return text + '\n';
}

void add_level(Json& document, const LevelExplanation& level) {
  Json tile = Json::object();
  for (const LoopExtent& loop : level.tile) tile[loop.name] = loop.extent;
  document["tile"] = tile;
  document["footprint"] = level.footprint();
  document["footprints"] =
      per_tensor(level, [](const auto& one) { return one.movement.footprint; });
  document["required"] = level.required;
  document["capacity"] = level.capacity;
  document["holds_tile"] = level.holds_tile;
  document["holds_problem"] = level.holds_problem;
  document["slowness"] = level.slowness;
  document["limit"] = level.limit.empty() ? Json() : Json(level.limit);
  document["volumes"] = per_tensor(level, [](const auto& one) { return one.movement.volume; });
  document["volume_bytes"] = per_tensor(level, [](const auto& one) { return one.bytes; });
  document["moved_bytes_sum"] = level.moved_bytes();
  document["bound"] = level.least_loads.bound;
  document["bound_bytes"] = level.bound_bytes;
  document["distance"] = level.distance();
}

constexpr std::tuple kCallMembers{
    JsonMember{"pixels", &MicrokernelCalls::pixels},
    JsonMember{"vectors", &MicrokernelCalls::vectors},
    JsonMember{"calls", &MicrokernelCalls::calls},
    JsonMember{"steps", &MicrokernelCalls::steps},
    JsonMember{"cycles_per_step", &MicrokernelCalls::cycles_per_step},
    JsonMember{"cycles_per_call", &MicrokernelCalls::cycles_per_call},
    JsonMember{"call_cycles", &MicrokernelCalls::call_cycles},
    JsonMember{"run_cycles", &MicrokernelCalls::run_cycles},
    JsonMember{"dispatch_cycles", &MicrokernelCalls::dispatch_cycles}};

constexpr std::tuple kPackedMembers{JsonMember{"tensor", &PackedOperand::tensor},
                                    JsonMember{"loop", &PackedOperand::loop},
                                    JsonMember{"elements", &PackedOperand::elements},
                                    JsonMember{"bytes_in_l1", &PackedOperand::bytes_in_l1}};

constexpr std::tuple kBoxMembers{JsonMember{"name", &WinogradBox::name},
                                 JsonMember{"tiles", &WinogradBox::tiles},
                                 JsonMember{"channels", &WinogradBox::channels},
                                 JsonMember{"bytes", &WinogradBox::bytes},
                                 JsonMember{"padding_bytes", &WinogradBox::padding_bytes},
                                 JsonMember{"transforms", &WinogradBox::transforms},
                                 JsonMember{"cycles", &WinogradBox::cycles},
                                 JsonMember{"caches", &WinogradBox::caches}};

constexpr std::tuple kBlockMembers{
    JsonMember{"mc", &GemmBlocks::mc}, JsonMember{"nc", &GemmBlocks::nc},
    JsonMember{"kc", &GemmBlocks::kc}, JsonMember{"mr", &GemmBlocks::mr},
    JsonMember{"nr", &GemmBlocks::nr}};

constexpr std::tuple kOccupancyMembers{JsonMember{"cache", &GemmOccupancy::cache},
                                       JsonMember{"operand", &GemmOccupancy::operand},
                                       JsonMember{"rows", &GemmOccupancy::rows},
                                       JsonMember{"columns", &GemmOccupancy::columns},
                                       JsonMember{"bytes", &GemmOccupancy::bytes},
                                       JsonMember{"share", &GemmOccupancy::share},
                                       JsonMember{"most_share", &GemmOccupancy::most_share}};

Json calls_json(const std::vector<MicrokernelCalls>& compute) {
  Json list = members_json(kCallMembers, compute);
  for (std::size_t i = 0; i < compute.size(); ++i) list[i]["cycles"] = compute[i].cycles();
  return list;
}

Json gemm_json(const GemmExplanation& gemm) {
  Json document{{"variant", gemm.variant ? Json(to_string(*gemm.variant)) : Json()},
                {"blocks", members_json(kBlockMembers, gemm.blocks)},
                {"occupancy", members_json(kOccupancyMembers, gemm.occupancy)}};
  if (!gemm.closed_form) return document;
  document["closed_form"] = members_json(kBlockMembers, *gemm.closed_form);
  document["closed_form_occupancy"] = members_json(kOccupancyMembers, gemm.closed_form_occupancy);
  return document;
}

}  // namespace

std::string repack_text(const RepackSeconds& repack) {
  std::string text;
  if (repack.input > 0)
    text += "copies the input before the loops: " + format_seconds(repack.input) + " predicted\n";
  if (repack.output > 0)
    text += "copies the output after the loops: " + format_seconds(repack.output) + " predicted\n";
  return text;
}

std::string above_peak_text(const Problem& problem) {
  const auto* conv = std::get_if<ConvShape>(&problem);
  const auto is_padded = [](const Axis& axis) { return axis.pad_before > 0 || axis.pad_after > 0; };
  const bool padded = conv != nullptr &&
                      (is_padded(conv->depth) || is_padded(conv->height) || is_padded(conv->width));
  const std::string clock = "the clock was faster than the one that peak stands for\n";
  if (!padded) return "peak above 100 %: " + clock;
  // Kernels for AMX tiles, and for two factors that are both u8 or both s8, multiply padding.
  const ElementType input = types_of(problem).input;
  const bool some_multiply_it =
      input == ElementType::bf16 || input == ElementType::u8 || input == ElementType::s8;
  return some_multiply_it
             ? "peak above 100 %: padding counts as work, which most kernels skip, or " + clock
             : "peak above 100 %: padding counts as work, and kernels skip it\n";
}

std::string to_text(const Explanation& explanation, TextStyle style) {
  const int threads = explanation.machine.cores;
  const std::string heading =
      name_of(explanation.problem) + " on " + explanation.machine.name + ", " +
      std::to_string(threads) + (threads == 1 ? " thread, " : " threads, ") +
      in_words(explanation.regime) + ": " + to_string(explanation.candidate.schedule) + "\n\n";
  const std::string legend = legend_text(to_string(explanation.candidate.schedule));
  std::string holding = rejection_text(explanation) + legend + (legend.empty() ? "" : "\n") +
                        (threads > 1 ? kManyThreads : "") +
                        (explanation.stored_share < 1 ? kPadding : "");
  for (const LevelExplanation& level : explanation.levels) holding += holding_text(level);
  holding += order_text(explanation) + class_text(explanation);
  std::string text = fitted(heading + holding, style);
  if (style.width > 0) text += '\n' + level_bars(explanation, style.width);
  if (const std::string stages = stages_text(explanation, style); !stages.empty())
    text += '\n' + stages;
  if (explanation.gemm) text += '\n' + gemm_text(*explanation.gemm, style);
  return text + '\n' + level_table(explanation, style) + '\n' + bytes_table(explanation, style) +
         '\n' + movement_table(explanation, style) + '\n' + compute_table(explanation, style) +
         '\n' +
         fitted(sum_text(explanation.candidate.prediction) + '\n' + outcome_text(explanation),
                style);
}

std::string to_json(const Explanation& explanation) {
  Json document = printed_candidate(explanation.candidate, 1);
  for (std::size_t i = 0; i < explanation.levels.size(); ++i)
    add_level(document["levels"][i], explanation.levels[i]);
  document["problem"] = to_string(explanation.problem);
  document["machine"] = explanation.machine.name;
  document["calibrated"] = !explanation.machine.provenance.calibrated.empty();
  document["threads"] = explanation.machine.cores;
  document["regime"] = to_string(explanation.regime);
  document["order_class"] =
      explanation.order.classes.empty() ? Json() : Json(explanation.order.classes);
  document["rival"] = rival_json(explanation.order.rival);
  document["compute"] = calls_json(explanation.compute);
  document["repack"] = {{"in_s", explanation.repack.input}, {"out_s", explanation.repack.output}};
  document["packed"] = members_json(kPackedMembers, explanation.packed);
  document["memory"] = memory_json(memory_of(explanation));
  document["peak_s"] = explanation.peak_seconds;
  document["rejected"] = explanation.rejected;
  if (explanation.gemm) document["gemm"] = gemm_json(*explanation.gemm);
  if (!explanation.boxes.empty()) document["boxes"] = members_json(kBoxMembers, explanation.boxes);
  return document.dump(2);
}

}  // namespace tileplan
