#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# This script compares predicted cache lines with the misses that valgrind's cachegrind counts. Emitted C of every case runs once
# with cold caches that are fully associative, and once with cold caches of 8 ways. The script installs nothing and takes minutes.
# Usage: run.sh [-o FILE.csv] [-j JOBS] [-c CASES] [BUILD_FOLDER]
set -euo pipefail

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
readonly here
readonly kLine=64 kWays=8
# The caches are so small that every layer exceeds both of them, and that cachegrind's linear search
# through all lines of a set stays fast.
readonly kD1=${TILEPLAN_D1_BYTES:-4096} kLL=${TILEPLAN_LL_BYTES:-32768}
# This cache for code is so large that code always fits. Its misses are not compared.
readonly kI1=65536,8,$kLine

usage() { sed -n '5p' "${BASH_SOURCE[0]}" | cut -c3- >&2; exit 2; }

csv=/dev/stdout jobs=$(nproc) cases=$here/cases.txt
while getopts o:j:c:h flag; do
  case $flag in
    o) csv=$OPTARG ;;
    j) jobs=$OPTARG ;;
    c) cases=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
build=$(readlink -f "${1:-$here/../../build}")
readonly csv jobs cases build tool=$build/tests/cachegrind/cachegrind_case

for program in valgrind gcc; do
  command -v "$program" >/dev/null || { echo "run.sh: $program is not installed; it must be" >&2; exit 2; }
done
[[ -x $tool ]] || { echo "run.sh: $tool is not there; build the target cachegrind_case" >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# This function counts the misses of reads and writes in D1 and in LL that happen inside the kernel.
# Each miss loads a cache line. GCC clones functions for constant arguments, and gives the clones
# names such as transform_input.constprop.0.
kernel_misses() {
  awk '/^fn=/ { kernel = /^fn=(tileplan_run|transform_input|transform_output)([.].*)?$/ }
       /^[0-9]/ && kernel { d1 += $6 + $9; ll += $7 + $10 }
       END { print d1 ";" ll }' "$1"
}

compile_case() {
  local number flags
  IFS=';' read -r number _ _ _ flags _ <<<"$1"
  # The flags are several words, so they are not quoted.
  # shellcheck disable=SC2086
  gcc -std=c11 -O2 -g $flags "$work/$number.c" "$here/driver.c" -o "$work/$number"
}

# simulate NAME D1_WAYS LL_WAYS LINE simulates the case that LINE describes, and writes one line of
# the table per cache to a file of the case.
simulate() {
  local -r name=$1 d1_ways=$2 ll_ways=$3
  local number layer problem schedule d1_class d1_lines ll_class ll_lines d1_misses ll_misses out
  IFS=';' read -r number layer problem schedule _ d1_class d1_lines ll_class ll_lines <<<"$4"
  out=$work/$number.$name
  valgrind --tool=cachegrind --cache-sim=yes --I1=$kI1 --D1="$kD1,$d1_ways,$kLine" --LL="$kLL,$ll_ways,$kLine" \
    --cachegrind-out-file="$out.cg" "$work/$number" >"$out.log" 2>&1 || { cat "$out.log" >&2; return 1; }
  IFS=';' read -r d1_misses ll_misses <<<"$(kernel_misses "$out.cg")"
  {
    echo "$name;D1;$layer;$problem;$schedule;$d1_class;$d1_lines;$d1_misses"
    echo "$name;LL;$layer;$problem;$schedule;$ll_class;$ll_lines;$ll_misses"
  } | awk -F';' -v OFS=';' '{ print $0, sprintf("%.3f", $7 / $8) }' >"$out.row"
}
export -f kernel_misses compile_case simulate
export work here kD1 kLL kI1 kLine

# run_all NAME D1_WAYS LL_WAYS compiles and simulates all cases for caches of this associativity.
run_all() {
  "$tool" write "$cases" "$work" "$kD1" "$2" "$kLL" "$3" >"$work/cases"
  # shellcheck disable=SC2016
  tr '\n' '\0' <"$work/cases" | xargs -0 -P "$jobs" -I{} bash -c 'compile_case "$1"' _ {}
  # shellcheck disable=SC2016
  tr '\n' '\0' <"$work/cases" | xargs -0 -P "$jobs" -I{} bash -c 'simulate "$@"' _ "$1" "$2" "$3" {}
  local number
  while IFS=';' read -r number _; do cat "$work/$number.$1.row"; done <"$work/cases" >>"$work/rows"
}

# summary [COLUMN] prints the median and the largest |predicted / misses - 1| by associativity and
# cache, and by the value of a column.
summary() {
  awk -F';' -v column="${1:-0}" '
    { error = $9 - 1; if (error < 0) error = -error
      print $1 " " $2 (column ? " " $column : "") ";" error }' "$work/rows" |
    sort -t';' -k1,1 -k2,2g |
    awk -F';' '
      function flush() {
        if (n) printf "%-28s %3d cases, median %6.1f %%, largest %6.1f %%\n", last, n,
          50 * (e[int((n + 1) / 2)] + e[int(n / 2) + 1]), 100 * e[n] }
      $1 != last { flush(); n = 0; last = $1 }
      { e[++n] = $2 }
      END { flush() }'
}

run_all full $((kD1 / kLine)) $((kLL / kLine))
run_all 8-way $kWays $kWays
{
  echo "# Lines that enter two caches while emitted C runs once, cold: predicted (models/flat.h, cost.h; usable 1) and counted."
  echo "# $(date -u +%F), $(valgrind --version), $(gcc --version | head -1), $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1)"
  echo "# tests/cachegrind/run.sh: D1 $kD1 bytes, LL $kLL bytes, lines of $kLine; full = fully associative, 8-way = $kWays ways"
  echo "# misses: D1mr + D1mw, DLmr + DLmw of the kernel function; class: of the loops outside what the cache holds"
  echo "caches;cache;layer;problem;schedule;class;predicted;misses;ratio"
  cat "$work/rows"
} >"$csv"
{
  summary
  summary 3
  echo "classes at D1: $(awk -F';' '$1 == "full" && $2 == "D1" { n[$6]++ } END { for (c in n) print c ":" n[c] }' "$work/rows" | sort | tr '\n' ' ')"
} >&2
