#!/usr/bin/env bash
# Writes the report as the one comment of this job on the pull request: creates it, or edits it. The only script that gets a token.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=action/messages.sh
. "$here/messages.sh"

# No comment is no reason to fail: the report is in the job summary then.
give_up() {
    say warning "$@"
    exit 0
}

# Sends a request and puts the status into `code`, the answer into the file `answer`. The token is in no argument: others could read those.
request() {
    local method=$1 path=$2
    shift 2
    code=$(curl --silent --show-error --max-time 60 --config - --request "$method" --url "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/$path" \
        --header 'Accept: application/vnd.github+json' --header 'X-GitHub-Api-Version: 2022-11-28' \
        --output "$FOLDER/answer" --write-out '%{http_code}' "$@" <<<"header = \"Authorization: Bearer $TOKEN\"") || code=000
    case $code in
    2??) ;;
    403 | 404) give_up "GitHub does not let this job write the comment (status $code)" 'give the job `permissions: {contents: read, pull-requests: write}`; a workflow that Dependabot has started needs them too' ;;
    *) give_up "GitHub did not take the comment (status $code)" 'run the job again' ;;
    esac
}

# Puts the number of the comment into `id`; nothing when there is none. Anyone can write the marker, but only a workflow of this repository is
# github-actions[bot].
find_comment() {
    local page
    id=
    for page in {1..100}; do
        request GET "issues/$NUMBER/comments?per_page=100&page=$page" --retry 2
        id=$(jq --raw-output --arg marker "$marker" '
            map(select(.user.login == "github-actions[bot]" and .user.type == "Bot"))
            | map(select((.body // "") | rtrimstr("\n") | rtrimstr("\r") | endswith($marker)))
            | .[0].id // empty' "$FOLDER/answer")
        [ -z "$id" ] && [ "$(jq length "$FOLDER/answer")" = 100 ] || return 0
    done
}

case $COMMENT in
always | changes) ;;
*) fail "\`comment\` is \`$COMMENT\`, and must be one of \`changes\`, \`always\`, \`never\`" ;;
esac
for tool in curl jq; do
    command -v "$tool" >/dev/null || give_up "the comment needs \`$tool\`, which this machine does not have" "install $tool before this action"
done

# A hash, so that no name can end the HTML comment.
marker="<!-- argocd-jobs: comment $(printf '%s\n' "$GITHUB_WORKFLOW" "$GITHUB_JOB" "$KEY" | git hash-object --stdin) -->"
{
    cat "$FOLDER/report.md"
    printf '\n%s\n' "$marker"
} >"$FOLDER/comment.md"
jq --null-input --rawfile body "$FOLDER/comment.md" '{$body}' >"$FOLDER/comment.json"

find_comment
if [ -n "$id" ]; then
    request PATCH "issues/comments/$id" --data-binary "@$FOLDER/comment.json"
elif [ "$COMMENT" = always ] || [ "$CHANGED" = true ]; then
    request POST "issues/$NUMBER/comments" --data-binary "@$FOLDER/comment.json"
else
    echo 'there is no comment yet, and nothing to comment on'
    exit 0
fi
output written true
