#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Says the verdict in one comment of the pull request, which the next run of the action edits: at most 20 lines.
# Where none can be written, as for a fork, whose token may only read, that is a warning: the verdict stands without it.
# FOLDER: what judge.sh measured; GITHUB_TOKEN: may write issues; GITHUB_EVENT_PATH names the pull request.
set -euo pipefail

marker='<!-- fetchbench -->'
report=${FOLDER:?no folder}/judgement.md
[ -f "$report" ] || { echo "nothing was judged: no comment" && exit; }
number=$(jq -r '.pull_request.number // empty' "${GITHUB_EVENT_PATH:?no event}")
[ -n "$number" ] || { echo "no pull request: no comment" && exit; }

text=$(
    echo "$marker"
    head -n 18 "$report"
    [ "$(wc -l <"$report")" -le 18 ] || echo "… the rest is in the job's summary and in the artifact."
)
api=${GITHUB_API_URL:-https://api.github.com}/repos/${GITHUB_REPOSITORY:?no repository}
call() {
    curl -fsS --retry 3 -H "Authorization: Bearer ${GITHUB_TOKEN:?no token}" -H "Accept: application/vnd.github+json" "$@"
}
give_up() {
    echo "::warning::the comment could not be $1; a fork's token may not, any other needs 'pull-requests: write'"
    exit 0
}
# The first hundred: our comment is among the oldest.
mine=$(call "$api/issues/$number/comments?per_page=100" |
    jq -r --arg marker "$marker" '[.[] | select(.body | startswith($marker))][0].id // empty') || give_up "looked up"
target=(-X POST "$api/issues/$number/comments")
[ -z "$mine" ] || target=(-X PATCH "$api/issues/comments/$mine")
jq -n --arg body "$text" '{body: $body}' | call --data-binary @- "${target[@]}" >/dev/null || give_up written
