#!/usr/bin/env bash
# Writes the report into the job summary, where there is no comment.
set -euo pipefail

cat "$FOLDER/report.md" >>"$GITHUB_STEP_SUMMARY"
