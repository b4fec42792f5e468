#!/bin/sh
# Runs every check of the tree, one stage after the other, and prints a line for each at the end. `make test` calls it
# when the release build is there. Fails when a stage failed, but only after all of them ran; what it said last is
# repeated at the end, where it is found.
set -u
cd "$(dirname "$0")/.."
results=""
failed=0
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
trap 'exit 130' HUP INT TERM

stage() {
  name=$1
  shift
  echo "== $name"
  begin=$(date +%s)
  { "$@" 2>&1 || touch "$logs/failed"; } | tee "$logs/output"
  verdict=passed
  if [ -e "$logs/failed" ]; then
    rm "$logs/failed"
    verdict=FAILED failed=1
    printf '\n-- the end of: %s\n' "$name" >> "$logs/ends"
    tail -n 15 "$logs/output" >> "$logs/ends"
  fi
  results="$results$(printf '%-28s %-7s %5d s' "$name" "$verdict" $(($(date +%s) - begin)))
"
}

stage "rules of the source tree" make --no-print-directory -s lint
stage "tests, release build" ctest --test-dir build/release --output-on-failure -j"$(nproc)"
mkdir -p build/fuzz
# Here and below one seed: what a stage runs is the same each time. `make fuzz` takes new ones.
stage "random programs" build/release/tests/programs --seed=1 --count=800 --jobs="$(nproc)" --found=build/fuzz/found
shapes() { "${NORIA_VENV:-.venv}/bin/python" tests/fuzz/shapes --seed 31337 --seconds 60 --jobs "$(nproc)"; }
stage "wrong shapes and values" shapes
stage "C and text tests, sanitized" make --no-print-directory asan
stage "threads, ThreadSanitizer" make --no-print-directory threads
any_bytes() { make --no-print-directory -s configure-fuzz && scripts/fuzz.sh 60 parse opt graph=1:300; }
stage "any bytes, random graphs" any_bytes

[ $failed = 0 ] || cat "$logs/ends"
printf '\n%s' "$results"
if [ $failed = 0 ]; then echo "all passed"; else echo "something failed: see above"; fi
exit $failed
