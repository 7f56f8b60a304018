#!/usr/bin/env bash
# Finds what to compare with: what the input `base` says, otherwise the commit into which the pull request is merged.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=action/messages.sh
. "$here/messages.sh"

# Prints the folder of the checkout that holds the first Application or path: the workspace, or a folder in it (`path` of actions/checkout).
checkout() {
    local folder
    case ${APPLICATIONS//[[:space:]]/} in
    '') read -r folder <<<"$PATHS" ;;
    *) read -r folder <<<"$APPLICATIONS" ;;
    esac
    folder=${folder%$'\r'}
    while [ ! -e "$folder/.git" ] && [ "$folder" != . ] && [ "$folder" != / ]; do
        folder=$(dirname -- "$folder")
    done
    printf '%s' "$folder"
}

# What a pull request changes is the difference between the merge commit, which GitHub has made and checked out, and its first parent. The
# branch itself can have moved since.
of_the_pull_request() {
    local folder parents
    folder=$(checkout)
    if ! parents=$(git -C "$folder" cat-file commit HEAD 2>/dev/null | sed -n '/^$/,$d; s/^parent //p'); then
        fail "there is no Git checkout in \`$folder\`" 'run actions/checkout before this action; in a container, add the folder to `safe.directory`'
    fi
    # shellcheck disable=SC2086 # the parents are words
    set -- $parents
    if [ $# = 2 ] && [ "$(git -C "$folder" rev-parse HEAD)" = "$GITHUB_SHA" ]; then
        revision=$1
        # The checkout has one commit only, unless it was told otherwise.
        git -C "$folder" cat-file -e "$revision^{commit}" 2>/dev/null ||
            git -C "$folder" fetch --quiet --no-tags --no-recurse-submodules --depth=1 origin "$revision" 2>/dev/null ||
            fail 'the base of the pull request is not in the checkout' 'set `fetch-depth: 2` for actions/checkout'
        return
    fi
    revision=$(git -C "$folder" merge-base "refs/remotes/origin/$GITHUB_BASE_REF" HEAD 2>/dev/null) ||
        fail 'the base of the pull request is not in the checkout' 'remove `ref` from actions/checkout, or set `fetch-depth: 0`'
}

revision=
case $BASE in
none) ;;
'') [ "$GITHUB_EVENT_NAME" != pull_request ] || of_the_pull_request ;;
*)
    [ -e "$BASE" ] || git -C "$(checkout)" rev-parse --quiet --verify --end-of-options "${BASE#rev:}^{commit}" >/dev/null 2>&1 ||
        fail "the base \`$BASE\` is not in the checkout" 'set `base` to a folder, or to a revision that actions/checkout fetches (`fetch-depth: 0`)'
    revision=$BASE
    ;;
esac
if [ -z "$BASE" ] && [ -n "$revision" ]; then
    output base "rev:$revision"
    # What people call it, if it is only letters that Markdown leaves alone.
    case $GITHUB_BASE_REF in
    *[!A-Za-z0-9/._-]*) output name "${revision:0:12}" ;;
    *) output name "$GITHUB_BASE_REF" ;;
    esac
else
    output base "$revision"
    output name ''
fi
