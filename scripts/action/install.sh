#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gets fetchbench for the action: puts it on the PATH of the steps that follow, unless that version is on it already.
# VERSION: which one; TARBALL: the URL or the file of what make dist wrote, or nothing for the release of REPOSITORY;
# SHA256: its sum, or nothing for what SHA256SUMS beside it says. Nothing that was downloaded is unpacked without a sum.
set -euo pipefail

refuse() {
    echo "::error::$1"
    exit "$2"
}

version=${VERSION:?no version}
if [ -z "${TARBALL:-}" ] && command -v fetchbench >/dev/null; then
    # A version that cannot be told is another one.
    found=$(fetchbench --version 2>/dev/null | head -n 1) || found=''
    if [ "$found" = "$version" ]; then
        echo "fetchbench $found is there already"
        exit
    fi
    echo "::warning::the fetchbench on the PATH is version ${found:-unknown}, not $version: getting that one"
fi
repository=${REPOSITORY:-${GITHUB_ACTION_REPOSITORY:-}}
[ -n "${TARBALL:-}$repository" ] ||
    refuse "fetchbench $version cannot be downloaded: the repository is unknown; set the input 'tarball'" 64
tarball=${TARBALL:-https://github.com/$repository/releases/download/v$version/fetchbench-$version-$(uname -m).tar.xz}
name=$(basename "${tarball%%\?*}")
sums=$(dirname "${tarball%%\?*}")/SHA256SUMS
folder=${RUNNER_TEMP:?no RUNNER_TEMP}/fetchbench
mkdir -p "$folder"
packed=$(mktemp -d "$RUNNER_TEMP/fetchbench-packed-XXXXXX")
trap 'rm -rf "$packed"' EXIT

get() {
    case $1 in
        http://* | https://*) curl -fsSL --retry 3 --output "$2" "$1" ;;
        *) cp "$1" "$2" ;;
    esac
}

get "$tarball" "$packed/$name"
wanted=${SHA256:-}
if [ -z "$wanted" ] && get "$sums" "$packed/SHA256SUMS" 2>/dev/null; then
    # The mark in front of a name says that the file was read as it is.
    wanted=$(awk -v name="$name" '{ sub(/^\*/, "", $2) } $2 == name { print $1; exit }' "$packed/SHA256SUMS")
fi
sum=$(sha256sum "$packed/$name" | cut -d ' ' -f 1)
case $tarball in
    http://* | https://*)
        [ -n "$wanted" ] || refuse "$sums has no sum of $name: nothing is unpacked; set the input 'sha256' to its SHA-256" 2
        ;;
    # A file is this machine's own.
    *) wanted=${wanted:-$sum} ;;
esac
[ "$sum" = "${wanted,,}" ] || refuse "$name has the SHA-256 $sum instead of ${wanted,,}: nothing is unpacked" 2
tar -xJf "$packed/$name" --strip-components=1 -C "$folder"
# Said here and not by each step after it: a C library that is too old, an architecture that is another one.
installed=$("$folder/bin/fetchbench" --version) ||
    refuse "fetchbench does not run here; it needs: $(head -n 1 "$folder/share/doc/fetchbench/REQUIREMENTS")" 2
[ -n "${TARBALL:-}" ] || [ "$installed" = "$version" ] || refuse "$tarball holds version $installed, not $version" 2
echo "$folder/bin" >>"$GITHUB_PATH"
echo "fetchbench $installed is in $folder"
