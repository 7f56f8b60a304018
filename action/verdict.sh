#!/usr/bin/env bash
# Ends the action as the program ended: 2 if it could not do its work, 1 if it found what `fail-on` asks for. Comes last, so that the report is
# written in any case.
set -euo pipefail

case $CHECK_STATUS:${PREVIEW_STATUS:-0} in
[01]:[01]) ;;
*) exit 2 ;;
esac
[ "$FAIL_ON" != never ] || exit 0
case $CHECK_STATUS:${PREVIEW_STATUS:-0} in
0:0) ;;
*) exit 1 ;;
esac
