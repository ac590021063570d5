#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Judges for the action: two builds (BASE, HEAD), two commands (BASE_EXEC, HEAD_EXEC), or a suite by its budgets.
# SUITE, BUDGETS (one a line) and ARGUMENTS (one a line) say what is measured; OUTPUT is where it is stored.
# Writes verdict, effect, report and folder to GITHUB_OUTPUT, and status, which is that of fetchbench: the step itself is
# green, so that what follows can upload and comment; the action's last step ends with it.
set -euo pipefail

output=${OUTPUT:-${RUNNER_TEMP:?no RUNNER_TEMP}/fetchbench-results}
mkdir -p "$output"

# what a user gave and did not mean
refuse() {
    echo "::error::$1"
    echo "status=64" >>"$GITHUB_OUTPUT"
    exit 64
}

# Later is too late: everything would have been measured.
command -v jq >/dev/null || refuse "jq is missing, which reads the verdict; install it before this step"

# budgets in lines, put behind those of the suite or behind the suite's last line
suite=${SUITE:-}
if [ -n "${BUDGETS:-}" ]; then
    [ -f "$suite" ] || refuse "budgets need a suite, as a file, that they are for"
    ! grep -q '^budgets:' "$suite" || refuse "the suite $suite has budgets already; give them in one place"
    budgeted=$output/suite.yml
    {
        cat "$suite" && echo && echo "budgets:"
        while IFS= read -r line; do
            line=$(sed "s/^[[:space:]]*//; s/[[:space:]]*$//; s/'/''/g" <<<"$line")
            [ -z "$line" ] || echo "  - '$line'"
        done <<<"$BUDGETS"
    } >"$budgeted"
    suite=$budgeted
fi

words=()
if [ -n "${BASE:-}${HEAD:-}" ]; then
    if [ -z "${BASE:-}" ] || [ -z "${HEAD:-}" ]; then refuse "base and head go together"; fi
    words=(compare --base "$BASE" --head "$HEAD")
elif [ -n "${BASE_EXEC:-}${HEAD_EXEC:-}" ]; then
    if [ -z "${BASE_EXEC:-}" ] || [ -z "${HEAD_EXEC:-}" ]; then refuse "base-exec and head-exec go together"; fi
    words=(compare --base-exec "$BASE_EXEC" --head-exec "$HEAD_EXEC")
else
    [ -n "$suite" ] || refuse "give base and head, or base-exec and head-exec, or a suite with budgets"
    words=(check)
fi
[ -z "$suite" ] || words+=(--suite "$suite")
while IFS= read -r argument; do
    [ -z "$argument" ] || words+=("$argument")
done <<<"${ARGUMENTS:-}"

# Nothing but what this measures is in its own folder: the newest one is it.
folders() { find "$output" -mindepth 1 -maxdepth 1 -type d | sort; }
before=$(folders)
status=0
fetchbench "${words[@]}" --output "$output" || status=$?
folder=$(comm -13 <(echo "$before") <(folders) | tail -n 1)

verdict=none effect=''
if [ -n "$folder" ] && [ -f "$folder/judgement.json" ]; then
    verdict=$(jq -r .answer "$folder/judgement.json")
    # The largest change of the worst kind, in the words of a reader: of a budget what was measured against its limit.
    effect=$(jq -r '
        def percent: . * 1000 | round / 10 | if . > 0 then "+\(.) %" else "\(.) %" end;
        [.findings[] | select(.verdict == "regressed" or .verdict == "over_budget")] as $bad
        | (if ($bad | length) > 0 then $bad else [.findings[] | select(.effect != null)] end)
        | if length == 0 then ""
          else max_by(.effect // 0)
            | if .effect != null then "\(.case) \(.metric): \(.effect | percent)" else .reason end
          end' "$folder/judgement.json")
fi
{
    echo "status=$status"
    echo "verdict=$verdict"
    echo "effect=$(tr '\n' ' ' <<<"$effect" | sed 's/ *$//')"
    echo "folder=$folder"
    if [ -n "$folder" ] && [ -f "$folder/report.html" ]; then echo "report=$folder/report.html"; else echo "report="; fi
} >>"$GITHUB_OUTPUT"
