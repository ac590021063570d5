#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Says the verdict in one comment of the pull request, which the next run of the action edits: at most 20 lines.
# Ours is the comment that begins with our marker and was written by whom the token is of: anybody can write the marker.
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
    head -n 18 "$report" | cut -c 1-2000
    [ "$(wc -l <"$report")" -le 18 ] || echo "… the rest is in the job's summary and in the artifact."
)
service=${GITHUB_API_URL:-https://api.github.com}
api=$service/repos/${GITHUB_REPOSITORY:?no repository}
# The token is in no argument, which every process of the machine could read.
call() {
    curl -fsS --max-time 60 -H "Accept: application/vnd.github+json" \
        --config <(printf 'header = "Authorization: Bearer %s"\n' "${GITHUB_TOKEN:?no token}") "$@"
}
give_up() {
    echo "::warning::the comment could not be $1; a fork's token may not, any other needs 'pull-requests: write'"
    exit 0
}

# Whom the token is of; that of a job, which may not be asked everywhere, is of the actions' own bot.
viewer=$(jq -n '{query: "{viewer{login}}"}' |
    call --data-binary @- "${GITHUB_GRAPHQL_URL:-$service/graphql}" 2>/dev/null | jq -r '.data.viewer.login // empty') || viewer=''
viewer=${viewer:-github-actions[bot]}

# The number of our comment, or nothing; a page has a hundred of them, the oldest first.
mine=''
for page in $(seq 1 100); do
    comments=$(call --retry 3 "$api/issues/$number/comments?per_page=100&page=$page") || give_up "looked up"
    mine=$(jq -r --arg marker "$marker" --arg viewer "$viewer" '
        def isOurs: .user.login == $viewer or (.user.type == "Bot" and .user.login == $viewer + "[bot]");
        [.[] | select((.body // "" | startswith($marker)) and isOurs)][0].id // empty' <<<"$comments") || give_up "looked up"
    if [ -n "$mine" ] || [ "$(jq length <<<"$comments")" -lt 100 ]; then break; fi
done
target=(-X POST "$api/issues/$number/comments")
[ -z "$mine" ] || target=(-X PATCH "$api/issues/comments/$mine")
jq -n --arg body "$text" '{body: $body}' | call --data-binary @- "${target[@]}" >/dev/null || give_up written
