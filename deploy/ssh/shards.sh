#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shards on a few machines, by ssh and GNU parallel; its arguments are those of fetchbench, without --shard and --output:
#
#   NODES=a,b,c SHARDS=8 FILES=plan.json shards.sh run --plan plan.json
#   NODES=a,b,c SHARDS=4 shards.sh compare --base /opt/old/fetchbench --head /opt/new/fetchbench --asset hero
#
# Afterwards: fetchbench merge shards/*/* --output merged
#
# NODES: machines that accept ssh without a prompt, with fetchbench and rsync installed (rsync here, too). Each measures one shard at a
# time. The same command continues after an interruption. FILES: files to copy to each machine, as relative paths, separated by commas.
# WORK: the folder there, below the user's home (fetchbench-shards); it stays. OUTPUT: the folder for the shards here, a relative path (shards).
set -euo pipefail

if [ -z "${NODES:-}" ] || [[ ! ${SHARDS:-} =~ ^[1-9][0-9]*$ ]] || [ $# -eq 0 ]; then
    echo "shards.sh: expected NODES (machines, separated by commas), SHARDS (a number) and the arguments of fetchbench" >&2
    exit 64
fi
nodes=$NODES
count=$SHARDS
output=${OUTPUT:-shards}
mapfile -t files < <(tr , '\n' <<<"${FILES:-}" | sed '/^$/d; s/^/--basefile=/')
# The machine that continues a shard gets the trials that are stored.
for number in $(seq "$count"); do
    mkdir -p "$output/$number"
    rm -f "$output/$number.status"
done

# Other statuses than these may change with another attempt or another machine: the job has failed, and is tried elsewhere.
# shellcheck disable=SC2016  # expanded on the other machine
measure='
number=$1 count=$2 output=$3
shift 3
status=0
FETCHBENCH_HOST=$PARALLEL_SSHHOST fetchbench "$@" --shard "$number/$count" --output "$output/$number" --quiet || status=$?
echo "$status" >"$output/$number.status"
case $status in 0 | 1 | 2 | 64) ;; *) exit "$status" ;; esac'

seq "$count" | parallel --sshlogin "$nodes" --jobs 1 --retries 5 --workdir "${WORK:-fetchbench-shards}" "${files[@]}" \
    --transferfile "$output/{}" --return "$output/{}" --return "$output/{}.status" \
    --quote sh -c "$measure" sh {} "$count" "$output" "$@" || true

worst=0
for number in $(seq "$count"); do
    # Without a status, no machine could measure it.
    status=$(cat "$output/$number.status" 2>/dev/null || echo 75)
    rm -f "$output/$number.status"
    [ "$status" -eq 0 ] || echo "shards.sh: shard $number ended with $status" >&2
    [ "$status" -le "$worst" ] || worst=$status
done
exit "$worst"
