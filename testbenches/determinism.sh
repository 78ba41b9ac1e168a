#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Same configuration and seed, same trace: runs each case with the program of several builds and
# compares event logs and results with those of the first build, byte for byte.
#
#   determinism.sh [--cases FILE] WORK_DIR NAME=PROGRAM NAME=PROGRAM...
#
# FILE (default determinism.cases) has a line a run: name, run file, options of `tributary run`.
# Exit status: 0 all equal, 1 a difference or a failed run, 2 wrong usage.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
cases=$here/determinism.cases
log=events.log

usage_error() {
  echo "determinism.sh: $1" >&2
  echo "usage: determinism.sh [--cases FILE] WORK_DIR NAME=PROGRAM NAME=PROGRAM..." >&2
  exit 2
}

# run_case BUILD PROGRAM CASE RUN_FILE OPTION...: leaves out/ and the event log in WORK/CASE/BUILD.
# The paths on the command line are the same for every build, as they may appear in the results.
run_case() {
  local build=$1 program=$2 case_name=$3 run_file=$4
  shift 4
  local folder=$work/$case_name/$build
  mkdir -p "$folder"
  if ! (cd "$folder" && "$program" run "$root/$run_file" --seed 1 "$@" --out out --log "$log" \
      >stdout.txt 2>stderr.txt); then
    echo "FAIL  $case_name: the program of build '$build' failed; its last words:"
    tail -n 20 "$folder/stderr.txt"
    return 1
  fi
  if [[ ! -s $folder/$log ]]; then
    echo "FAIL  $case_name: build '$build' left no event log, or an empty one"
    return 1
  fi
}

# What a run left: every file but what it printed, which holds speeds.
files_of() {
  (cd "$1" && find . -type f ! -name stdout.txt ! -name stderr.txt | LC_ALL=C sort)
}

# compare CASE FIRST OTHER: the two builds left the same files with the same bytes.
compare() {
  local case_name=$1 first=$work/$1/$2 other=$work/$1/$3 file
  if [[ $(files_of "$first") != "$(files_of "$other")" ]]; then
    echo "FAIL  $case_name: builds '$2' and '$3' left different files"
    return 1
  fi
  while IFS= read -r file; do
    if ! cmp "$first/$file" "$other/$file"; then
      echo "FAIL  $case_name: $file differs between builds '$2' and '$3'"
      return 1
    fi
  done < <(files_of "$first")
}

if [[ ${1:-} == --cases ]]; then
  [[ $# -ge 2 && -r $2 ]] || usage_error "--cases needs a file that can be read"
  cases=$2
  shift 2
fi
[[ $# -ge 3 ]] || usage_error "a comparison needs WORK_DIR and two programs or more"
mkdir -p "$1"
work=$(cd "$1" && pwd)/runs
shift
rm -rf "$work"

names=()
programs=()
for argument in "$@"; do
  [[ $argument == ?*=?* ]] || usage_error "'$argument' is not NAME=PROGRAM"
  program=$(realpath -m "${argument#*=}")
  [[ -x $program ]] || usage_error "'$program' is not there: build it first"
  names+=("${argument%%=*}")
  programs+=("$program")
done

failures=0
runs=0
while read -r case_name run_file options; do
  [[ -n $case_name && $case_name != \#* ]] || continue
  read -r -a option_list <<<"$options"
  runs=$((runs + 1))
  failed=0
  for i in "${!names[@]}"; do
    run_case "${names[i]}" "${programs[i]}" "$case_name" "$run_file" \
      ${option_list[@]+"${option_list[@]}"} || { failed=1; break; }
    [[ $i -eq 0 ]] || compare "$case_name" "${names[0]}" "${names[i]}" || failed=1
  done
  if [[ $failed -eq 0 ]]; then
    lines=$(wc -l <"$work/$case_name/${names[0]}/$log")
    echo "equal $case_name: ${names[*]} ($lines events)"
  fi
  failures=$((failures + failed))
done <"$cases"

[[ $runs -gt 0 ]] || usage_error "'$cases' names no run"
echo "determinism: $((runs - failures)) of $runs runs equal under ${#names[@]} builds"
[[ $failures -eq 0 ]]
