#!/bin/sh
# Makes the Python environment: .venv, or the folder that NORIA_VENV names, with requirements.txt installed. A stamp
# with the checksum of requirements.txt tells a later call that there is nothing to do.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
venv=${NORIA_VENV:-$root/.venv}
stamp=$venv/noria-requirements.sha256
want=$(sha256sum <"$root/requirements.txt")

# The tree's own environment sees the package where it lies; a shared one belongs to no tree, so it does not.
see_package() {
  [ -z "${NORIA_VENV:-}" ] && [ ! -L "$venv" ] || return 0
  for site in "$venv"/lib/python3*/site-packages; do
    echo "$root/python" >"$site/noria.pth"
  done
}

# An environment that was copied or moved with its checkout still names the old one: in the first lines of its programs,
# and in the path to the package.
old=$(sed -n '1s|^#!\(/.*\)/bin/python[0-9.]*$|\1|p' "$venv/bin/pip" 2>/dev/null || true)
if [ -n "$old" ] && ! [ "$old" -ef "$venv" ]; then
  echo "venv: $venv was made as $old: setting its paths" >&2
  for program in "$venv"/bin/*; do
    [ ! -L "$program" ] && [ "$(head -c 2 "$program")" = "#!" ] || continue
    sed -i "1s|^#!$old/bin/|#!$venv/bin/|" "$program"
  done
  sed -i "s|$old|$venv|g" "$venv"/bin/activate*
  see_package
fi

[ "$(cat "$stamp" 2>/dev/null)" != "$want" ] || exit 0

"$venv/bin/python" -m pip --version >/dev/null 2>&1 || python3 -m venv --clear "$venv"
for attempt in 1 2 3; do
  "$venv/bin/python" -m pip install -q --disable-pip-version-check --retries 5 -r "$root/requirements.txt" && break
  [ "$attempt" != 3 ] || { echo "venv: could not install requirements.txt into $venv" >&2; exit 1; }
  echo "venv: trying again" >&2
  sleep $((attempt * 5))
done

see_package
echo "$want" >"$stamp"
