// SPDX-License-Identifier: Apache-2.0
// All studies. Each writes its tables, its plots and summary.txt into `options.folder`, layer by
// layer; shows its summary through `print`; measures nothing again that the folder (with
// `options.resume`) or the records hold; and ends early, with what is complete, when request_stop()
// was called. Where a study measures, `machine` must be this host. All throw Error when an option
// makes no sense, and when a table is there that they are not to go on with.
#pragma once

#include <string>
#include <vector>

#include "gemm_peers.h"
#include "study.h"
#include "throughput.h"

namespace tileplan {

/// Measures the 200 candidates of `tileplan candidates` for each layer, beside the best that the
/// records know from other measurements, the first ten of the plan and `options.schedules` random
/// schedules, each checked and then measured three times; the most promising sixteen of the list
/// and of the others once more, interleaved, and of these the fastest four of each with 41 samples.
/// `options.budget_seconds` are per layer, compiling included: a quarter for the others, 15 % each
/// for the last two at most.
void study_candidates(const Machine& machine, const StudyOptions& options, const Print& print);

/// Splits `options.measurements` draws of each layer (random_sample.h) into schedules with one
/// microkernel and schedules that combine two, and measures the fastest of each once more. Plots
/// the share of each that reaches a share of peak. `options.budget_seconds` are per layer.
void study_combinations(const Machine& machine, const StudyOptions& options, const Print& print);

/// Runs all strategies on each layer: the model's, and each other one with `options.measurements`
/// measurements at most; then measures the best that each found again, side by side.
/// `options.budget_seconds` are for the whole study, in even parts for the layers that are left;
/// within a layer in even parts for the searches of a seed, the first seed first; what searches
/// leave that end by themselves goes to those that were cut. A schedule that takes more than twice
/// the best of its search has one sample, all others three, because a second measurement and the
/// t-test of droplet search decide between fast ones only. Layers whose searches are all complete
/// keep their rows; those that were cut go on where they were.
void study_convergence(const Machine& machine, const StudyOptions& options, const Print& print);

/// Measures `options.measurements` random schedules of each layer, drawn as "Autotuning
/// Convolutions is Easier Than You Think" does, and the model's first ten.
void study_distribution(const Machine& machine, const StudyOptions& options, const Print& print);

/// Does as study_combinations for the model's first ten schedules whose tiles all divide, its first
/// ten with an uneven loop, and `options.measurements` draws for the time that is left.
void study_divisibility(const Machine& machine, const StudyOptions& options, const Print& print);

/// Measures all tile sizes of the two cases of expectation.h, five samples each,
/// `options.budget_seconds` for the whole study, and says whether a falling chain leads from the
/// untiled kernel to the fastest one.
void study_expectation(const Machine& machine, const StudyOptions& options, const Print& print);

/// Writes growth.csv: milliseconds of a complete plan for operators of 3 (gemm) to 8 (grouped
/// convolution) loops on the first 2, 3 and 4 levels of `machine`, which may be any, a fourth cache
/// being added where it has only three: four times the last one, at half its bandwidth; and
/// plan_time.csv: the same for each layer. A problem is planned `options.measurements` times; the
/// median counts. Throws Error when the machine has fewer than three caches.
void study_growth(const Machine& machine, const StudyOptions& options, const Print& print);

/// Measures each of `tiles`, by default all that fit the register file, as `calibrate` does: its
/// loop over 8 unrolled steps, weights and pixels in the first-level cache, two lengths fitted by a
/// line, two visits of `options.measurements` samples that agree. The share of peak is that of a
/// call of 512 steps (the TTile paper's T(512,c)), once measured and once by the throughput bound.
/// Tiles that were never undisturbed are counted.
void study_microkernels(const Machine& machine, const StudyOptions& options, const Print& print,
                        std::vector<RegisterTile> tiles = {});

/// Runs droplet search at five levels of significance, without and with speculation, on each layer
/// from the naive schedule of the model's microkernel, and measures the winners again.
/// `options.budget_seconds` are for the whole study, in even parts for the layers and searches that
/// are left.
void study_p_value(const Machine& machine, const StudyOptions& options, const Print& print);
void study_speculation(const Machine& machine, const StudyOptions& options, const Print& print);

/// Takes the model's first ten schedules and `options.schedules` random ones of each layer
/// (random_sample.h, layouts drawn uniformly), checks each, times all interleaved in
/// `options.budget_seconds`, and times the fastest three of both origins once more, more often.
/// Compiling and checking come on top: seconds for large weights.
void study_ranking(const Machine& machine, const StudyOptions& options, const Print& print);

/// Compares four kinds of kernels on each product in `options.layers`: our plan (combinations of
/// register tiles that cover m exactly), the one register tile that is fastest on `machine` with a
/// smaller tile for the rows left over, the same padded to whole tiles (padding is no work and
/// copying into it is not timed), and `peers`. All are checked; schedules are chosen by
/// measurement; then each is measured in `options.measurements` adjacent pairs with our plan. Ours
/// read B packed before; what peers pack is in their time. `options.budget_seconds` are per
/// product.
void study_smallgemm(const Machine& machine, const StudyOptions& options,
                     const std::vector<GemmPeer>& peers, const Print& print);

/// Returns the products of TACO's figure: m = 8 ... 50, n = k = 128.
std::vector<Problem> small_products();

/// Computes the costs of surfaces.h and where descent ends. No machine takes part.
void study_surfaces(const StudyOptions& options, const Print& print);

/// Draws the plots of a table again. `origin` is its path, for errors and titles.
void draw_convergence(const std::string& text, const std::string& origin,
                      const StudyFolder& folder);
void draw_microkernels(const std::string& text, const std::string& origin,
                       const StudyFolder& folder);
void draw_ranking(const std::string& text, const std::string& origin, const StudyFolder& folder);

}  // namespace tileplan
