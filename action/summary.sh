#!/usr/bin/env bash
# Writes the report into the job summary, where there is no comment.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=action/cut.sh
. "$here/cut.sh"

# The most that a step can write (`AttachmentSizeLimit` in actions/runner, FileCommandManager.cs); more than that, and there is no summary.
cut_to 1048576 "$FOLDER/report.md" >>"$GITHUB_STEP_SUMMARY"
