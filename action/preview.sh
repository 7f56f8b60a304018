#!/usr/bin/env bash
# Runs `preview --base`: what the pull request changes, as Markdown.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=action/messages.sh
. "$here/messages.sh"
# shellcheck source=action/arguments.sh
. "$here/arguments.sh"

arguments=(--color=never "--base=$COMPARED_WITH")
add_plugin
add_lines --set "$SETTINGS"
add_sources

status=0
"$PROGRAM" preview --format=markdown --exit-code "${arguments[@]}" >"$FOLDER/preview.md" 2>"$FOLDER/errors" || status=$?
changed=false
case $status in
1) changed=true ;;
3) changed=true status=0 ;;
esac
cat "$FOLDER/preview.md"
tell_errors "$status" "$FOLDER/errors"
output changed "$changed"
output status "$status"
