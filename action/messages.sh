# What the action says in the log, as commands of GitHub's runner. Sourced by the other scripts.
# shellcheck shell=bash

# A text as the data of a workflow command: on one line, so that nothing in it is a command of its own (`escapeData` in actions/toolkit).
escaped() {
    local text=$1
    text=${text//'%'/%25}
    text=${text//$'\r'/%0D}
    text=${text//$'\n'/%0A}
    printf '%s' "${text//[[:cntrl:]]/?}"
}

# What is wrong, and what to do about it: the annotation of a level (`error`, `warning`).
say() {
    local help=${3:+%0Ahelp: $(escaped "$3")}
    printf '::%s title=argocd-jobs::%s%s\n' "$1" "$(escaped "$2")" "$help"
}

# Ends the step with the status for what could not be done, and leaves it to the report, once there is a folder.
fail() {
    say error "$@"
    if [ -n "${FOLDER:-}" ]; then
        printf 'error: %s\n' "${1//[[:cntrl:]]/?}" >"$FOLDER/failure"
        printf 'help: %s\n' "${2:-see the log}" >>"$FOLDER/failure"
    fi
    exit 2
}

# Hands a value of one line to the next steps.
output() {
    printf '%s=%s\n' "$1" "${2//[[:cntrl:]]/?}" >>"$GITHUB_OUTPUT"
}
