#!/usr/bin/env bash
# Fails the action if the program found what `fail-on` asks for. Comes last, so that the report is written in any case. What could not be done
# has failed it already.
set -euo pipefail

[ "$FAIL_ON" != never ] || exit 0
case $CHECK_STATUS:${PREVIEW_STATUS:-0} in
0:0) ;;
*) exit 1 ;;
esac
