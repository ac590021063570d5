#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A Slurm array of shards; its arguments are those of fetchbench, without --shard:
#
#   sbatch shards.sh run --plan plan.json --output /shared/shards
#   sbatch --array=1-4 shards.sh compare --base old/fetchbench --head new/fetchbench --asset hero --output /shared/shards
#
# The output is a folder that all nodes share; afterwards: fetchbench merge /shared/shards/* --output merged
#SBATCH --job-name=fetchbench
#SBATCH --array=1-8
# Trials need the node for themselves: others would share its processors and its page cache.
#SBATCH --exclusive
# A node that fails gives its shard to another, which goes on where it was.
#SBATCH --requeue
#SBATCH --open-mode=append
# SIGTERM a minute before the time limit: the trial at hand is stored.
#SBATCH --signal=TERM@60
set -uo pipefail

# Distinguishes nodes even where several run on one machine. The name is hashed, and not stored.
export FETCHBENCH_HOST=${SLURMD_NODENAME:-}
status=0
fetchbench "$@" --shard auto --quiet || status=$?
# 75: a problem that may be gone at the next attempt; not for ever. Other failures would repeat.
if [ "$status" -eq 75 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 5 ]; then scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"; fi
exit "$status"
