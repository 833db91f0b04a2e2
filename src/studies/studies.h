// SPDX-License-Identifier: Apache-2.0
// This file declares the studies. They write their results into `options.folder`, most of them
// layer by layer. Most studies throw Error for options that are out of range, and when their table
// exists and `options.resume` is false.
#pragma once

#include "gemm_peers.h"
#include "study.h"
#include "throughput.h"
#include "tileplan/bench.h"

namespace tileplan {

/// Measures the first 200 candidates of candidates(), the best recorded schedules, the plan's
/// first ten and `options.schedules` random schedules. Then measures the most promising of these
/// schedules again, and the fastest of them a third time.
void study_candidates(const Machine& machine, const StudyOptions& options, const Print& print);

/// Draws up to `options.measurements` random schedules of each layer. Compares the schedules that
/// use one microkernel with those that use two, and plots the share of each kind that reaches each
/// percentage of peak.
void study_combinations(const Machine& machine, const StudyOptions& options, const Print& print);

/// Measures up to `options.measurements` random schedules and the model's first ten on each layer.
void study_distribution(const Machine& machine, const StudyOptions& options, const Print& print);

/// Compares schedules with equal tiles and schedules with uneven tiles: the model's first ten of
/// each kind, and random draws.
void study_divisibility(const Machine& machine, const StudyOptions& options, const Print& print);

/// Measures all tile sizes of expectation.h, and tests whether a chain of falling times leads from
/// the untiled kernel to the fastest kernel.
void study_expectation(const Machine& machine, const StudyOptions& options, const Print& print);

/// Writes planning times in ms: growth.csv for operators of 3 to 8 loops on 2, 3 and 4 caches, and
/// plan_time.csv for each layer. Throws Error when `machine` has fewer than three caches.
void study_growth(const Machine& machine, const StudyOptions& options, const Print& print);

/// Measures the model's first schedules of each variant, packing and parallel loop of each product
/// (gemm_settings.h). Then measures the model's choice in up to `options.measurements` pairs with
/// each of the fastest rivals and with each of `peers` that is not left out. Small squares are also
/// measured in steps from plain loops (gemm_ladder.h) to the choice. `peers` are those of
/// find_peers().
void study_gemm_family(const Machine& machine, const StudyOptions& options,
                       const std::vector<Peer>& peers, const Print& print);

/// Measures `tiles`, or all tiles that fit the register file if the list is empty, as `calibrate`
/// does. The share of peak is for calls of 512 reduction steps, as in the TTile paper (T(512,c)).
void study_microkernels(const Machine& machine, const StudyOptions& options, const Print& print,
                        std::vector<RegisterTile> tiles = {});

/// Writes overheads.csv. For each overhead of `machine` (rates.h) and the overlap exponent, halved
/// and doubled, it tells how many plans choose another first schedule, and how much slower these
/// choices are predicted to be with the unchanged overhead. Measures nothing.
void study_overheads(const Machine& machine, const StudyOptions& options, const Print& print);

/// These studies run droplet search on each layer and measure the winners again. The first study
/// compares four significance levels and search without a test. The second compares search without
/// speculation, with speculation, and with speculation while a second core checks schedules in
/// advance.
void study_p_value(const Machine& machine, const StudyOptions& options, const Print& print);
void study_speculation(const Machine& machine, const StudyOptions& options, const Print& print);

/// Times the model's first ten and `options.schedules` random schedules of each layer in turns,
/// then the fastest three of each kind again.
void study_ranking(const Machine& machine, const StudyOptions& options, const Print& print);

/// Compares our plan of each product with the fastest single register tile (remaining rows use a
/// smaller tile or padding) and with `peers`, in up to `options.measurements` adjacent pairs each.
/// The results name the work that each time includes. All packing is inside the measured time,
/// except that one of our kernels reads B that was packed before.
void study_smallgemm(const Machine& machine, const StudyOptions& options,
                     const std::vector<GemmPeer>& peers, const Print& print);

/// Returns the products that "Autotuning Convolutions is Easier Than You Think" plots: m = 8 ...
/// 50, n = k = 128.
std::vector<Problem> small_products();

/// Computes the costs of surfaces.h and the points at which descent ends. Measures nothing.
void study_surfaces(const StudyOptions& options, const Print& print);

/// These functions draw the plots of a table again. `origin` is the path of the table, for errors
/// and titles. The files that draw_convergence() writes begin with `study`, the name of a study
/// that compares strategies.
void draw_convergence(const std::string& study, const std::string& text, const std::string& origin,
                      const StudyFolder& folder);
void draw_microkernels(const std::string& text, const std::string& origin,
                       const StudyFolder& folder);
void draw_ranking(const std::string& text, const std::string& origin, const StudyFolder& folder);

}  // namespace tileplan
