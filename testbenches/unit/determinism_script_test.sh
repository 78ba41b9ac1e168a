#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# determinism.sh must notice a difference of one byte. Runs it on programs made here.
#   determinism_script_test.sh WORK_DIR
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$1
rm -rf "$work"
mkdir -p "$work"
printf '# a comment\n\nfirst some.json --set a=1\nsecond other.json\n' >"$work/cases"

# program NAME LOG RESULT: called as `run FILE ... --out DIR --log FILE`; writes the two texts.
program() {
  cat >"$work/$1" <<END
#!/usr/bin/env bash
while [[ \$# -gt 0 ]]; do
  case \$1 in
    --out) mkdir -p "\$2"; printf '$3' >"\$2/results.json"; shift ;;
    --log) printf '$2' >"\$2"; shift ;;
  esac
  shift
done
END
  chmod +x "$work/$1"
}
program one '1 accept\n2 deliver\n' '{}'
program same '1 accept\n2 deliver\n' '{}'
program other_log '1 accept\n3 deliver\n' '{}'
program other_result '1 accept\n2 deliver\n' '{ }'
program empty_log '' '{}'
printf '#!/bin/sh\nexit 3\n' >"$work/fails"
chmod +x "$work/fails"

# expect STATUS PROGRAM...: the exit status of a comparison of these programs.
expect() {
  local expected=$1 status=0 arguments=() name
  shift
  for name in "$@"; do arguments+=("$name=$work/$name"); done
  bash "$here/../determinism.sh" --cases "$work/cases" "$work/run" "${arguments[@]}" \
    >"$work/output" 2>&1 || status=$?
  if [[ $status -ne $expected ]]; then
    echo "comparison of $*: exit status $status instead of $expected; it printed:"
    cat "$work/output"
    exit 1
  fi
}
expect 0 one same
grep -q '2 of 2 runs equal under 2 builds' "$work/output"
expect 1 one other_log
expect 1 one same other_result
expect 1 one empty_log
expect 1 one fails
expect 2 one
expect 2 one missing
printf '# nothing\n' >"$work/cases"
expect 2 one same
echo "determinism.sh notices every difference"
