#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Says the verdict in one comment of the pull request, which the next run of the action edits: at most 20 lines.
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
# The first hundred: our comment is among the oldest.
mine=$(call "$api/issues/$number/comments?per_page=100" |
    jq -r --arg marker "$marker" '[.[] | select(.body | startswith($marker))][0].id // empty')
if [ -n "$mine" ]; then
    jq -n --arg body "$text" '{body: $body}' | call -X PATCH --data-binary @- "$api/issues/comments/$mine" >/dev/null
else
    jq -n --arg body "$text" '{body: $body}' | call -X POST --data-binary @- "$api/issues/$number/comments" >/dev/null
fi
