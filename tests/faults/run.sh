#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# This script makes one allocation or all writes after a point fail in each verb. It checks that the program ends with 0, 1
# or 2 and, if with 2, prints one line that begins with "tileplan: ". A file that existed before must be unchanged or
# completely rewritten. In further runs, standard output is a full device, closed, or a pipe without
# a reader; HOME and XDG_CACHE_HOME are unset; the home folder cannot be written; or the disk is
# full. Runs with a home folder that cannot be written, as the user nobody, and runs on a full disk,
# a small one that the script mounts, need root.
# Usage: run.sh [RUNS PER VERB (50)] [SEED (1)] [BUILD_FOLDER] [FIRST WORDS OF VERBS, QUOTED (all)]
set -euo pipefail

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
readonly runs=${1:-50} program=$(readlink -f "${3:-$here/../../build}")/tileplan only=${4:-}
RANDOM=${2:-1}
folder=$(mktemp -d)
small=$folder/small
readonly here folder small
trap 'umount "$small" 2>/dev/null; rm -rf "$folder"' EXIT
readonly machine="--machine xeon-gold-6130" layer=m48n64k96
failures=0 cases=0 injected=0 tried=0
export HOME=$folder XDG_CACHE_HOME=$folder/cache

cc -shared -fPIC -O1 -o "$folder/faults.so" "$here/faults.c" -ldl
printf 'name,problem\na,m48n64k96\nb,mb1ic16ih14oc32oh14kh3ph1\n' >"$folder/net.csv"
"$program" plan $layer $machine --save "$folder/saved.plan" >/dev/null
"$program" plan $layer --verify 1 --budget 0.5 --records "$folder/records.db" >/dev/null 2>&1 || true
"$program" plan $layer --top 2 --requests "$folder/requests.jsonl" >/dev/null 2>&1
"$program" records export --records "$folder/records.db" -o "$folder/export.jsonl" 2>/dev/null
chmod -R a+rX "$folder"

# Each line holds a verb of the program with its arguments. OUT stands for a file that exists before
# the run, and NEW for a file or folder that does not.
verbs=(
  "plan $layer $machine"
  "plan $layer $machine --save OUT.plan"
  "plan $layer $machine --requests OUT"
  "plan $layer --verify 1 --budget 0.3 --records $folder/records.db"
  "plan $folder/net.csv $machine"
  "run $layer --budget 0.2"
  "run $layer --budget 0.2 --plan $folder/saved.plan"
  "bench $layer --budget 0.2"
  "calibrate --quick -o OUT.json"
  "study growth $machine --layers $layer --measurements 1 --out NEW"
  "study distribution --layers $layer --measurements 5 --budget 1 --out NEW"
  "measure $folder/requests.jsonl"
  "measure $folder/requests.jsonl -o NEW"
  "explain $layer $machine"
  "movement $layer --order i,j,k --tile i8,j8 --json"
  "classes conv"
  "bound $layer --capacity 4096"
  "emit $layer $machine --isa avx2 -o OUT.c"
  "candidates $layer $machine -o OUT"
  "report $layer $machine -o OUT.html"
  "report $folder/net.csv $machine -o OUT.md"
  "records list --records $folder/records.db"
  "records export --records $folder/records.db -o OUT"
  "records merge $folder/export.jsonl --records NEW"
  "layers"
  "help plan"
  "version"
)

fail() {
  printf 'FAILED: %s\n  %s\n' "$1" "$2" >&2
  sed 's/^/  stderr: /' "$folder/err" >&2
  failures=$((failures + 1))
}

# check STATUS DESCRIPTION OUT counts the run that just ended, and reports a wrong status, a wrong
# message, and damaged or temporary files in the folder OUT.
check() {
  local -r status=$1 what=$2 out=$3
  local file
  cases=$((cases + 1))
  if ((status > 2)); then
    fail "$what" "ended with $status"
  elif ((status == 2)) && (($(grep -c '^tileplan: ' "$folder/err") != 1)); then
    fail "$what" "not one line of error"
  fi
  while read -r file; do
    if [[ $file == *.tmp* ]]; then
      fail "$what" "left $file"
    elif [[ ! -s $file ]]; then
      [[ $file == */new ]] || fail "$what" "emptied $file" # A new list or database may have no records yet.
    elif [[ $(head -c 13 "$file" | tr -d '\0') == 'SQLite format' ]]; then
      [[ $(sqlite3 "$file" 'PRAGMA integrity_check') == ok ]] || fail "$what" "damaged $file"
    elif [[ $(tail -c 1 "$file" | od -An -tx1) != ' 0a' ]]; then
      fail "$what" "$file is half-written"
    elif grep -q '^old$' "$file" && [[ $(wc -c <"$file") != 4 ]]; then
      fail "$what" "$file is half new"
    fi
  done < <(find "$out" -type f ! -name '*-journal' ! -name '*-wal' ! -name '*-shm')
  ((status == 0)) || injected=$((injected + 1))
}

prepare() { # The argument is a folder for outputs.
  local name
  rm -rf "$1"
  mkdir -p "$1"
  for name in x x.c x.h x.plan x.html x.md x.json; do echo old >"$1/$name"; done
}

# run_in OUT VERB COMMAND... runs COMMAND, followed by the program and the words of the verb, after
# the caller prepared OUT.
run_in() {
  local -r out=$1 verb=$2
  local words=${2//OUT/$1/x} status=0
  shift 2
  words=${words//NEW/$out/new}
  # $words is not quoted, because the words of the verb are separate arguments.
  # shellcheck disable=SC2086
  "$@" "$program" $words >"$folder/stdout" 2>"$folder/err" </dev/null || status=$?
  ((status == 141)) && status=0 # A closed pipe ends the program silently.
  check $status "${*:3} tileplan $words" "$out"
}

run_verb() { # The arguments are a fault and a verb.
  prepare "$folder/out"
  run_in "$folder/out" "$2" timeout 200 env FAULT="$1" LD_PRELOAD="$folder/faults.so"
}

run_outputs() { # The argument is a verb.
  local redirected
  for redirected in 'exec "$@" >/dev/full' 'exec "$@" >&-' '"$@" | true; exit ${PIPESTATUS[0]}'; do
    prepare "$folder/out"
    run_in "$folder/out" "$1" timeout 200 bash -c "$redirected" bash
  done
}

run_places() { # The argument is a verb.
  prepare "$folder/out"
  run_in "$folder/out" "$1" timeout 200 env -u HOME -u XDG_CACHE_HOME
  [[ $(id -u) == 0 ]] || return 0
  prepare "$folder/out"
  run_in "$folder/out" "$1" timeout 200 setpriv --reuid=65534 --regid=65534 --clear-groups
  mountpoint -q "$small" || return 0
  rm -f "$small/filler"
  prepare "$small/out"
  cat /dev/zero >"$small/filler" 2>/dev/null || true
  run_in "$small/out" "$1" timeout 200 env XDG_CACHE_HOME="$small/out/cache"
}

chmod a+rx "$folder"
mkdir -p "$small"
if [[ $(id -u) != 0 ]]; then
  echo 'not root: no run of a user who cannot write, and none on a full disk'
else
  mount -t tmpfs -o size=64k tmpfs "$small" 2>/dev/null || echo 'cannot mount: no run on a full disk'
fi
for verb in "${verbs[@]}"; do
  [[ -z $only || " $only " == *" ${verb%% *} "* ]] || continue
  tried=$((tried + 1))
  run_outputs "$verb"
  run_places "$verb"
  for ((number = 1; number <= runs; ++number)); do
    if ((number % 5 == 0)); then
      run_verb "write:$((RANDOM % 6 + 1))" "$verb"
    else
      # Half of these runs fail one of the first 1000 allocations, and the others one of the first
      # 30000.
      run_verb "malloc:$((RANDOM % (number % 2 ? 1000 : 30000) + 1))" "$verb"
    fi
  done
done
printf '%d runs of %d verbs, %d ended with an error, %d failed\n' "$cases" "$tried" "$injected" "$failures"
((failures == 0))
