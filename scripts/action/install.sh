#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gets fetchbench for the action: puts it on the PATH of the steps that follow, unless it is on it already.
# VERSION: which one; TARBALL: the URL or the file of what make dist wrote, or nothing for the release of REPOSITORY.
set -euo pipefail

if command -v fetchbench >/dev/null && [ -z "${TARBALL:-}" ]; then
    echo "fetchbench $(fetchbench --version) is there already"
    exit
fi
name=fetchbench-${VERSION:?no version}-$(uname -m).tar.xz
repository=${REPOSITORY:-${GITHUB_ACTION_REPOSITORY:-}}
[ -n "${TARBALL:-}$repository" ] || { echo "::error::nobody says where fetchbench is: give a tarball" && exit 64; }
tarball=${TARBALL:-https://github.com/$repository/releases/download/v$VERSION/$name}
folder=${RUNNER_TEMP:?no RUNNER_TEMP}/fetchbench
mkdir -p "$folder"
case $tarball in
    http://* | https://*) curl -fsSL --retry 3 --output "$folder/$name" "$tarball" ;;
    *) cp "$tarball" "$folder/$name" ;;
esac
tar -xJf "$folder/$name" --strip-components=1 -C "$folder"
rm "$folder/$name"
# Said here and not by each step after it: a C library that is too old, an architecture that is another one.
"$folder/bin/fetchbench" --version >/dev/null ||
    { echo "::error::fetchbench does not run here; it needs: $(head -n 1 "$folder/share/doc/fetchbench/REQUIREMENTS")" && exit 2; }
echo "$folder/bin" >>"$GITHUB_PATH"
echo "fetchbench $("$folder/bin/fetchbench" --version) is in $folder"
