#!/usr/bin/env bash
# Runs `check`: annotations at the lines of the pull request, and a SARIF file for code scanning.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=action/messages.sh
. "$here/messages.sh"
# shellcheck source=action/arguments.sh
. "$here/arguments.sh"

case $FAIL_ON in
error | warning | info) deny=$FAIL_ON ;;
never) deny=error ;;
*) fail "\`fail-on\` is \`$FAIL_ON\`, and must be one of \`error\`, \`warning\`, \`info\`, \`never\`" ;;
esac
case $ANNOTATIONS in
true) format=github ;;
false) format=text ;;
*) fail "\`annotations\` is \`$ANNOTATIONS\`, and must be \`true\` or \`false\`" ;;
esac

# Sets `target` to the file that `sarif` names. Whoever opens the pull request chooses what is in the checkout: a link there must not lead the
# report to another file.
find_target() {
    local folder resolved workspace
    case $SARIF in
    /*) target=$SARIF ;;
    *) target=./$SARIF ;;
    esac
    folder=$(dirname -- "$target")
    [ -d "$folder" ] || fail "\`sarif\` is \`$SARIF\`, and its folder does not exist" 'make the folder in a step before this action'
    if [ -L "$target" ] || [ -L "$folder" ]; then
        fail "\`sarif\` is \`$SARIF\`, which is a symlink or is in a folder that is one" 'set `sarif` to a file that the checkout does not have'
    fi
    # It would be read as a manifest, in this run or in the next one.
    case $target in
    *.json | *.yaml | *.yml) fail "\`sarif\` is \`$SARIF\`, which is read as a manifest" 'let its name end in `.sarif`' ;;
    esac
    [ ! -d "$target" ] || fail "\`sarif\` is \`$SARIF\`, which is a folder" 'set `sarif` to a file'
    resolved=$(cd -P -- "$folder" && pwd -P)
    workspace=$(cd -P -- "$GITHUB_WORKSPACE" && pwd -P)
    case $resolved/ in
    "$workspace"/*) ;;
    *) fail "\`sarif\` is \`$SARIF\`, which is outside of the workspace" 'set `sarif` to a file in the workspace' ;;
    esac
}

# Puts the report there in one step. The temporary file next to it has a name that nobody could know before.
write_sarif() {
    local beside
    beside=$(mktemp "$(dirname -- "$target")/argocd-jobs.XXXXXX")
    cat "$FOLDER/sarif" >"$beside"
    chmod 644 "$beside"
    mv -f -- "$beside" "$target"
}

arguments=(--color=never)
add_plugin
add_lines --set "$SETTINGS"

# Code scanning compares with the base itself: what is not in the file is fixed.
if [ -n "$SARIF" ]; then
    find_target
    whole=("${arguments[@]}")
    arguments+=(--format=sarif)
    add_sources
    status=0
    "$PROGRAM" check "${arguments[@]}" >"$FOLDER/sarif" 2>"$FOLDER/errors" || status=$?
    [ "$status" -gt 1 ] || write_sarif
    arguments=("${whole[@]}")
fi

arguments+=("--format=$format" "--deny=$deny")
[ -z "$COMPARED_WITH" ] || arguments+=("--base=$COMPARED_WITH")
add_sources
status=0
"$PROGRAM" check "${arguments[@]}" >"$FOLDER/check" 2>"$FOLDER/errors" || status=$?
cat "$FOLDER/check"
tell_errors "$status" "$FOLDER/errors"
# Which line says how many findings there are depends on how many sources there are.
grep -E "^([0-9]+ findings?|no (new |open )?findings)([:; ]|$)" "$FOLDER/check" | tail -n 1 >"$FOLDER/summary" || true
output status "$status"
