#!/usr/bin/env bash
# Writes the report, which becomes the comment or the job summary: the verdict is its first line.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=action/messages.sh
. "$here/messages.sh"

# The preview. The base has the name of its branch; the verdict says so if the check fails.
preview() {
    local text first
    text=$(<"$FOLDER/preview.md")
    # In HTML, such a name is nothing but a name.
    case $NAME in
    '' | *[!A-Za-z0-9/._-]*) ;;
    *) text=${text//"<code>$COMPARED_WITH</code>"/"<code>$NAME</code>"} ;;
    esac
    first=${text%%$'\n'*}
    if [ "$CHECK_STATUS" = 1 ] && [ "$FAIL_ON" != never ]; then
        printf '%s; the check fails' "$first"
    else
        printf '%s' "$first"
    fi
    printf '%s\n\n' "${text#"$first"}"
    printf '`check`: %s\n' "$(<"$FOLDER/summary")"
}

# What could not be done. Nothing in an indented block is more than text.
failure() {
    printf '### argocd-jobs could not do its work\n\n'
    sed 's/^/    /' "$FOLDER/failure"
}

# A step that left nothing did not end by itself.
if [ -z "$CHECK_STATUS" ] || { [ -n "$COMPARED_WITH" ] && [ -z "$PREVIEW_STATUS" ]; }; then
    [ -f "$FOLDER/failure" ] || echo 'a step did not end: see the log' >"$FOLDER/failure"
fi
if [ -f "$FOLDER/failure" ]; then
    # What an older comment says is true no longer.
    CHANGED=true
    failure
elif [ -n "$PREVIEW_STATUS" ]; then
    preview
fi >"$FOLDER/report.md"
output changed "$CHANGED"
[ -s "$FOLDER/report.md" ] || exit 0
printf '\nFor commit %s: [the log](%s/%s/actions/runs/%s)\n' "${HEAD_SHA:-$GITHUB_SHA}" "$GITHUB_SERVER_URL" "$GITHUB_REPOSITORY" "$GITHUB_RUN_ID" \
    >>"$FOLDER/report.md"
output report "$FOLDER/report.md"
