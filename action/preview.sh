#!/usr/bin/env bash
# Runs `preview --base`: what the pull request changes, as Markdown.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=action/messages.sh
. "$here/messages.sh"
# shellcheck source=action/arguments.sh
. "$here/arguments.sh"

arguments=(--color=never "--base=$COMPARED_WITH")
add_lines --set "$SETTINGS"
if [ "$AS_WRITTEN" = true ]; then
    arguments+=(--as-written)
else
    add_lines --strategy "$STRATEGY"
fi
add_sources

# The exit status is 1 for every change, and for a sync that fails: the second run tells them apart.
status=0
"$PROGRAM" preview --format=markdown --exit-code "${arguments[@]}" >"$FOLDER/preview.md" 2>"$FOLDER/errors" || status=$?
changed=false
if [ "$status" = 1 ]; then
    changed=true
    status=0
    "$PROGRAM" preview --format=json "${arguments[@]}" >/dev/null 2>"$FOLDER/errors" || status=$?
fi
cat "$FOLDER/preview.md"
tell_errors "$status" "$FOLDER/errors"
output changed "$changed"
output status "$status"
