#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# This script kills `plan --verify --save` and `study distribution` by SIGKILL at random moments.
# After each kill it checks that the database is intact and has lost no finished measurement, and
# that the saved plan and the table of the study are not half-written.
# Usage: run.sh [KILLS (200)] [SEED (1)] [BUILD_FOLDER]
set -euo pipefail

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
readonly kills=${1:-200} program=$(readlink -f "${3:-$here/../../build}")/tileplan
RANDOM=${2:-1}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
readonly here folder database=$folder/records.db
readonly most_milliseconds=1500

fail() {
  printf 'kill %d: %s\n' "$number" "$*" >&2
  exit 1
}

# A child of a killed study may still hold the lock of the database until it ends.
query() { sqlite3 -cmd '.timeout 10000' "$database" "$1"; }

count() { query 'SELECT count(*) FROM measurements' 2>/dev/null || echo 0; }

check() {
  if [[ -e $database ]]; then
    [[ $(query 'PRAGMA integrity_check') == ok ]] || fail "the database is damaged"
  fi
  local -r now=$(count)
  ((now >= before)) || fail "$before measurements before, $now after"
  if [[ -e $folder/saved.plan ]]; then
    python3 -m json.tool "$folder/saved.plan" >/dev/null || fail "saved.plan is half-written"
  fi
  local table=$folder/study/distribution.csv
  [[ ! -e $table || $(tail -c 1 "$table" | od -An -tx1) == ' 0a' ]] || fail "$table is half-written"
}

[[ -x $program ]] || { printf '%s is no program; must be that of a build folder\n' "$program" >&2; exit 2; }
before=0
for ((number = 1; number <= kills; ++number)); do
  if ((number % 2)); then
    "$program" plan m96n96k$((16 * number)) --verify 4 --budget 1 --records "$database" --save "$folder/saved.plan" \
      >/dev/null 2>&1 &
  else
    "$program" study distribution --layers m64n64k64 --measurements 1000 --resume --out "$folder/study" \
      --records "$database" >/dev/null 2>&1 &
  fi
  child=$!
  sleep "$(printf '0.%03d' $((RANDOM % 1000)))" "$((RANDOM % (most_milliseconds / 1000 + 1)))"
  kill -9 "$child" 2>/dev/null || true
  wait "$child" 2>/dev/null || true
  check
  before=$(count)
done
((before > 0 || kills < 20)) || fail 'nothing was measured before any kill'
printf '%d kills, %d measurements kept, nothing was lost or damaged\n' "$kills" "$before"
