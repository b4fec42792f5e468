#!/bin/sh
# Searches for inputs that break something: fuzz.sh SECONDS [TARGET[=SEED:COUNT]...]. The targets (all without names)
# are built in build/fuzz, which is configured already, and run side by side, from the inputs in tests/fuzz/corpus and,
# where they read text, from the programs in tests/. With a seed a target tries only that many inputs of four bytes,
# the same each time (libFuzzer's own seed does not give that: what it tries next depends on the coverage, and so on the
# schedule of threads); else it goes on where it stopped. Inputs that fail are left in build/fuzz/found/.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
seconds=$1
shift
# shellcheck disable=SC2046
[ $# != 0 ] || set -- $(cd tests/fuzz && ls fuzz_*.c | sed 's/^fuzz_\(.*\)\.c$/\1/')
# shellcheck disable=SC2046
ninja -C build/fuzz --quiet $(printf 'tests/fuzz_%s\n' "$@" | sed 's/=.*//')

# The programs in tests/, one a file, as inputs.
seeds=build/fuzz/seeds
rm -rf $seeds
mkdir -p $seeds
find tests -name '*.mlir' -size -64k | sort | awk -v out="$root/$seeds" '
  {
    name = out "/" ++count ".mlir"
    while ((getline line < $0) > 0) {
      if (line ~ /^\/\/ -----/) { close(name); name = out "/" ++count ".mlir" }
      else if (line !~ /^ *\/\//) print line > name
    }
    close(name)
  }'

# COUNT inputs of SEED as files in a folder: four bytes each, of a multiplicative hash of the number (Knuth, The Art of
# Computer Programming, volume 3, 6.4).
make_inputs() {
  folder=$1 seed=$2 count=$3 i=0
  rm -rf "$folder"
  mkdir -p "$folder"
  while [ $i -lt "$count" ]; do
    n=$(((seed * 1000003 + i + 1) * 2654435761 % 4294967296))
    octal=$(printf '\\%03o\\%03o\\%03o\\%03o' $((n >> 24)) $((n >> 16 & 255)) $((n >> 8 & 255)) $((n & 255)))
    # shellcheck disable=SC2059
    printf "$octal" > "$folder/$i"
    i=$((i + 1))
  done
}

run() {
  name=${1%%=*} count=""
  corpus=build/fuzz/corpus/$name
  stored=tests/fuzz/corpus/$name
  case $name in parse|opt) stored="tests/fuzz/corpus/parse tests/fuzz/corpus/opt $seeds" ;; esac
  mkdir -p "build/fuzz/found/$name" "$corpus"
  inputs="-seed=0 -max_total_time=$seconds -max_len=65536 $corpus $stored"
  case $1 in
  *=*)
    seed=${1#*=} count=${1##*:}
    make_inputs "build/fuzz/seeded/$name" "${seed%:*}" "$count"
    inputs=$(find "build/fuzz/seeded/$name" -type f | sort) ;;
  esac
  # shellcheck disable=SC2086
  if build/fuzz/tests/fuzz_"$name" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 \
      -artifact_prefix="build/fuzz/found/$name/" $inputs > "build/fuzz/$name.log" 2>&1
  then
    [ "$count" ] || count=$(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$name.log")
    echo "$name: $count inputs, none fails"
  else
    echo "$name: FAILED, see build/fuzz/$name.log"
    grep -m 1 -A 8 -E "runtime error:|ERROR:|^fuzz_$name:" "build/fuzz/$name.log" | cut -c 1-400
    grep Base64 "build/fuzz/$name.log" || true
    return 1
  fi
}

pids=""
for name; do
  run "$name" &
  pids="$pids $!"
done
status=0
for pid in $pids; do wait "$pid" || status=1; done
exit $status
