#!/usr/bin/env bash
# Finds what to compare with: what the input `base` says, otherwise the commit onto which the event puts its changes.
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

# The commits before what is checked out.
parents() {
    git -C "$folder" cat-file commit HEAD 2>/dev/null | sed -n '/^$/,$d; s/^parent //p'
}

# Whether a commit is in the checkout, or can be fetched: it has one commit only, unless the workflow fetches more.
has() {
    git -C "$folder" cat-file -e "$1^{commit}" 2>/dev/null ||
        git -C "$folder" fetch --quiet --no-tags --no-recurse-submodules --depth=1 origin "$1" 2>/dev/null
}

# What a pull request changes is the difference between the merge commit, which GitHub has made and checked out, and its first parent. The
# branch itself can have moved since.
of_the_pull_request() {
    # shellcheck disable=SC2046 # the parents are words
    set -- $(parents)
    if [ $# = 2 ] && [ "$(git -C "$folder" rev-parse HEAD)" = "$GITHUB_SHA" ]; then
        revision=$1
        has "$revision" || fail 'the base of the pull request is not in the checkout' 'set `fetch-depth: 2` for actions/checkout'
    else
        revision=$(git -C "$folder" merge-base "refs/remotes/origin/$GITHUB_BASE_REF" HEAD 2>/dev/null) ||
            fail 'the base of the pull request is not in the checkout' 'remove `ref` from actions/checkout, or set `fetch-depth: 0`'
    fi
    name=$GITHUB_BASE_REF
}

# What a merge queue will merge is the difference to the branch, or to the group before this one.
of_the_merge_group() {
    revision=$QUEUED_ONTO
    has "$revision" || fail 'the base of the merge group is not in the checkout' 'set `fetch-depth: 0` for actions/checkout'
    name=${QUEUED_FOR#refs/heads/}
}

# What a push has changed is the difference to the commit that the branch had before. A new branch had none (only zeros), and that of a forced
# push can be gone: then all findings count.
of_the_push() {
    [ -n "${PUSHED_ONTO//0/}" ] || return 0
    if has "$PUSHED_ONTO"; then
        revision=$PUSHED_ONTO
    else
        say warning "the commit before the push is not in the checkout, so all findings count" 'set `fetch-depth: 0` for actions/checkout'
    fi
}

folder=$(checkout)
revision=
name=
case $BASE in
none) ;;
'')
    case $GITHUB_EVENT_NAME in
    pull_request | merge_group | push)
        parents >/dev/null ||
            fail "there is no Git checkout in \`$folder\`" 'run actions/checkout before this action; in a container, add the folder to `safe.directory`'
        "of_the_$GITHUB_EVENT_NAME"
        ;;
    esac
    ;;
*)
    [ -e "$BASE" ] || git -C "$folder" rev-parse --quiet --verify --end-of-options "${BASE#rev:}^{commit}" >/dev/null 2>&1 ||
        fail "the base \`$BASE\` is not in the checkout" 'set `base` to a folder, or to a revision that actions/checkout fetches (`fetch-depth: 0`)'
    revision=$BASE
    ;;
esac
if [ -z "$BASE" ] && [ -n "$revision" ]; then
    output base "rev:$revision"
    # What people call it, if it is only letters that Markdown leaves alone.
    case $name in
    '' | *[!A-Za-z0-9/._-]*) output name "${revision:0:12}" ;;
    *) output name "$name" ;;
    esac
else
    output base "$revision"
    output name ''
fi
