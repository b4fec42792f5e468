#!/bin/sh
# Makes the Python environment: .venv, or the folder that NORIA_VENV names, with requirements.txt installed. A stamp
# with the checksum of requirements.txt tells a later call that there is nothing to do.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
venv=${NORIA_VENV:-$root/.venv}
stamp=$venv/noria-requirements.sha256
want=$(sha256sum <"$root/requirements.txt")

[ "$(cat "$stamp" 2>/dev/null)" != "$want" ] || exit 0

"$venv/bin/python" -m pip --version >/dev/null 2>&1 || python3 -m venv --clear "$venv"
for attempt in 1 2 3; do
  "$venv/bin/python" -m pip install -q --disable-pip-version-check --retries 5 -r "$root/requirements.txt" && break
  [ "$attempt" != 3 ] || { echo "venv: could not install requirements.txt into $venv" >&2; exit 1; }
  echo "venv: trying again" >&2
  sleep $((attempt * 5))
done

# The tree's own environment sees the package where it lies; a shared one belongs to no tree, so it does not.
if [ -z "${NORIA_VENV:-}" ] && [ ! -L "$venv" ]; then
  for site in "$venv"/lib/python3*/site-packages; do
    echo "$root/python" >"$site/noria.pth"
  done
fi
echo "$want" >"$stamp"
