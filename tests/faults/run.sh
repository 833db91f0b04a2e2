#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Lets one allocation or all writes after a point fail in each verb, and checks that the program ends with 0, 1 or 2 and, if
# not with 0, with one line that begins with "tileplan: ". A file that existed before is afterwards the old one or a whole new
# one. Standard output is also a full device, a closed one and a pipe that nobody reads.
# Usage: run.sh [RUNS PER VERB (50)] [SEED (1)] [BUILD_FOLDER]
set -euo pipefail

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
readonly runs=${1:-50} program=$(readlink -f "${3:-$here/../../build}")/tileplan
RANDOM=${2:-1}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
readonly here folder
readonly machine="--machine xeon-gold-6130" layer=m48n64k96
failures=0 cases=0 injected=0
export HOME=$folder XDG_CACHE_HOME=$folder/cache

cc -shared -fPIC -O1 -o "$folder/faults.so" "$here/faults.c" -ldl
printf 'name,problem\na,m48n64k96\nb,mb1ic16ih14oc32oh14kh3ph1\n' >"$folder/net.csv"
"$program" plan $layer $machine --save "$folder/saved.plan" >/dev/null
"$program" plan $layer --verify 1 --budget 0.5 --records "$folder/records.db" >/dev/null 2>&1 || true

# Each line holds a verb of the program with its arguments. OUT stands for a file that exists before
# the run.
verbs=(
  "plan $layer $machine"
  "plan $layer $machine --save OUT"
  "plan $layer --verify 1 --budget 0.3 --records $folder/records.db"
  "plan $folder/net.csv $machine"
  "run $layer --budget 0.2"
  "explain $layer $machine"
  "movement $layer --order i,j,k --tile i8,j8 --json"
  "classes conv"
  "bound $layer $machine"
  "emit $layer $machine -o OUT"
  "candidates $layer $machine -o OUT"
  "report $layer $machine -o OUT.html"
  "report $folder/net.csv $machine -o OUT.md"
  "records list --records $folder/records.db"
  "records export --records $folder/records.db -o OUT"
  "layers"
  "help plan"
)

fail() {
  printf 'FAILED: %s\n  %s\n' "$1" "$2" >&2
  sed 's/^/  stderr: /' "$folder/err" >&2
  failures=$((failures + 1))
}

# check STATUS DESCRIPTION judges the run that just ended.
check() {
  local -r status=$1 what=$2
  cases=$((cases + 1))
  if ((status > 2)); then
    fail "$what" "ended with $status"
  elif ((status == 2)) && (($(grep -c '^tileplan: ' "$folder/err") != 1)); then
    fail "$what" "not one line of error"
  fi
  local file
  for file in "$folder"/out/*; do
    [[ $file == *.tmp* ]] && fail "$what" "left $file"
    [[ -s $file ]] || fail "$what" "emptied $file"
  done
  if grep -q '^old$' "$folder"/out/* 2>/dev/null; then
    for file in "$folder"/out/*; do
      grep -q '^old$' "$file" && [[ $(wc -c <"$file") != 4 ]] && fail "$what" "$file is half new"
    done
  fi
  ((status == 0)) || injected=$((injected + 1))
}

prepare() {
  rm -rf "$folder/out"
  mkdir "$folder/out"
  local name
  for name in x.c x.h x.html x.md; do echo old >"$folder/out/$name"; done
}

run_verb() { # The arguments are a fault and a verb.
  prepare
  local arguments=${2//OUT.html/$folder/out/x.html}
  arguments=${arguments//OUT.md/$folder/out/x.md}
  arguments=${arguments//OUT/$folder/out/x.c}
  local status=0
  # shellcheck disable=SC2086
  FAULT=$1 LD_PRELOAD=$folder/faults.so timeout 60 "$program" $arguments >"$folder/stdout" 2>"$folder/err" </dev/null || status=$?
  check $status "FAULT=$1 tileplan $arguments"
}

run_outputs() { # The argument is a verb.
  local arguments=${1//OUT.html/$folder/out/x.html} status
  arguments=${arguments//OUT.md/$folder/out/x.md}
  arguments=${arguments//OUT/$folder/out/x.c}
  prepare
  status=0
  # shellcheck disable=SC2086
  timeout 60 "$program" $arguments >/dev/full 2>"$folder/err" </dev/null || status=$?
  check $status "tileplan $arguments >/dev/full"
  prepare
  status=0
  # shellcheck disable=SC2086
  timeout 60 "$program" $arguments >&- 2>"$folder/err" </dev/null || status=$?
  check $status "tileplan $arguments >&-"
  prepare
  status=0
  # shellcheck disable=SC2086
  { timeout 60 "$program" $arguments 2>"$folder/err" </dev/null || echo $? >"$folder/status"; } | true || true
  [[ ! -e $folder/status ]] || status=$(<"$folder/status")
  rm -f "$folder/status"
  ((status == 141)) && status=0 # SIGPIPE may end a program whose pipe is closed.
  check $status "tileplan $arguments | true"
}

for verb in "${verbs[@]}"; do
  run_outputs "$verb"
  for ((number = 1; number <= runs; ++number)); do
    if ((number % 5 == 0)); then
      run_verb "write:$((RANDOM % 6 + 1))" "$verb"
    else
      # Half of the memory allocations that are made to fail are among the first thousand.
      run_verb "malloc:$((RANDOM % (number % 2 ? 1000 : 30000) + 1))" "$verb"
    fi
  done
done
printf '%d runs of %d verbs, %d ended with an error, %d failed\n' "$cases" "${#verbs[@]}" "$injected" "$failures"
((failures == 0))
