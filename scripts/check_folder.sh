#!/bin/sh
# A step of every build: check_folder.sh FOLDER PID fails where the process PID, ninja, works in another folder than the
# one that it was configured for, which is so in a copy of a checkout.
[ -e "/proc/$2/cwd" ] || exit 0
[ "/proc/$2/cwd" -ef "$1" ] && exit 0
echo "this build folder was made for $1, and would build from there: run \`make build\`, or remove it" >&2
exit 1
