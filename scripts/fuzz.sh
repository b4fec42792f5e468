#!/bin/sh
# Searches for inputs that break something: fuzz.sh SECONDS [TARGET[=SEED:COUNT]...]. The targets (all without names)
# are built in build/fuzz, which is configured already, and run side by side, from the inputs in tests/fuzz/corpus and,
# where they read text, from the programs in tests/. With a seed a target tries so many inputs, the same each time, else
# it goes on where it stopped. Inputs that fail are left in build/fuzz/found/.
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

run() {
  name=${1%%=*} seed=0 count=-1
  corpus=build/fuzz/corpus/$name
  case $1 in *=*) seed=${1#*=} count=${seed#*:} seed=${seed%:*} corpus=build/fuzz/seeded/$name; rm -rf "$corpus" ;; esac
  mkdir -p "build/fuzz/found/$name" "$corpus"
  stored=tests/fuzz/corpus/$name
  case $name in parse|opt) stored="tests/fuzz/corpus/parse tests/fuzz/corpus/opt $seeds" ;; esac
  # shellcheck disable=SC2086
  if build/fuzz/tests/fuzz_"$name" -seed="$seed" -runs="$count" -max_total_time="$seconds" -max_len=65536 -timeout=20 \
      -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 -artifact_prefix="build/fuzz/found/$name/" \
      "$corpus" $stored > "build/fuzz/$name.log" 2>&1
  then
    echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$name.log") inputs, none fails"
  else
    echo "$name: FAILED, see build/fuzz/$name.log"
    tail -25 "build/fuzz/$name.log"
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
