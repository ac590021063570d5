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

# New folders are those of this run of fetchbench; the judged one has the judgement: the folder of trials that
# confirm stands beside it and has none.
folders() { find "$output" -mindepth 1 -maxdepth 1 -type d | sort; }
before=$(folders)
status=0
fetchbench "${words[@]}" --output "$output" || status=$?
folder='' judged=''
while IFS= read -r new; do
    [ -n "$new" ] || continue
    [ -n "$folder" ] || folder=$new
    if [ -f "$new/judgement.json" ]; then judged=$new; fi
done < <(comm -13 <(echo "$before") <(folders))
folder=${judged:-$folder}

verdict=none effect=''
if [ -n "$judged" ]; then
    verdict=$(jq -r .answer "$judged/judgement.json")
    # The largest change of the worst kind, in the words of a reader: of a part of the process as a share of the whole, of a
    # scenario's figure in its own unit, of a budget what was measured against its limit.
    effect=$(jq -r '
        def places($n): . * pow(10; $n) | round / pow(10; $n);
        def signed: if . > 0 then "+\(.)" else "\(.)" end;
        def size($unit): if $unit == "bytes" and fabs < 65536 then "\(round | signed) B"
            elif $unit == "bytes" then "\(. / 1048576 | places(2) | signed) MiB"
            elif $unit == "ns" then "\(. / 1000000 | places(1) | signed) ms"
            else places(3) | signed end;
        def isShare: .part != "scenario";
        def words: if .effect == null then .reason
            elif isShare then "\(.case) \(.metric): \(.effect * 100 | places(1) | signed) %"
            else . as $finding | "\(.case) \(.metric): \(.change // .effect | size($finding.unit))" end;
        # Changes in units of their own are compared by how many times they are what counts, and stand behind shares.
        def weight: if .effect == null then [0, 0]
            elif isShare then [2, (.effect | fabs)]
            else [1, ((.change // .effect | fabs) / ([.limit // 0, 1e-9] | max))] end;
        def kind($verdicts): [.findings[] | select(.verdict as $verdict | $verdicts | index($verdict))];
        [kind(["regressed", "over_budget"]), kind(["improved"]), [.findings[] | select(.effect != null)]]
        | map(select(length > 0)) | first // [] | if length == 0 then "" else sort_by(weight | map(-.)) | first | words end
        ' "$judged/judgement.json")
fi
{
    echo "status=$status"
    echo "verdict=$verdict"
    echo "effect=$(tr '\n\r' '  ' <<<"$effect" | sed 's/ *$//')"
    echo "folder=$folder"
    if [ -n "$folder" ] && [ -f "$folder/report.html" ]; then echo "report=$folder/report.html"; else echo "report="; fi
} >>"$GITHUB_OUTPUT"
