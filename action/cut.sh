# Cuts Markdown to what GitHub takes. Sourced by the scripts that hand it to GitHub.
# shellcheck shell=bash

# Prints a file of Markdown in so many bytes at most.
cut_to() {
    local limit=$1 file=$2
    if [ "$(wc -c <"$file")" -le "$limit" ]; then
        cat "$file"
    else
        LC_ALL=C awk -v limit="$limit" -v note='The rest is left out: run `argocd-jobs preview` for all of it.' -f "$(dirname "${BASH_SOURCE[0]}")/cut.awk" "$file"
    fi
}
