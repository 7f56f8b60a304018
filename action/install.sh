#!/usr/bin/env bash
# Finds the program: the one that is on the machine already, or an archive whose checksum is in this commit.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=action/messages.sh
. "$here/messages.sh"

# Sets `program` to the path of the program that the input `binary` names.
on_this_machine() {
    program=$(command -v -- "$BINARY") || program=
    [ -f "$program" ] || fail "there is no program \`$BINARY\`" 'set `binary` to the path of argocd-jobs, or to its name on PATH'
    program=$(cd "$(dirname -- "$program")" && pwd)/$(basename -- "$program")
}

# Prints `<sha256> <archive> <version>` for this machine: of the version that is asked for, otherwise of the highest one. That is not
# the last line, which can be a fix of an older version, and it is no pre-release.
archive() {
    # shellcheck disable=SC2153 # it is an input
    awk -v version="$VERSION" -v processor="-$processor-" -v os="$system" '
        {
            # argocd-jobs-<version>-<processor>-<vendor>-<system>.tar.gz
            at = index($2, processor)
            this = substr($2, 13, at - 13)
        }
        at && index($2, "argocd-jobs-") == 1 && index(substr($2, at), os) && (version == "" ? this !~ /-/ : version == this) {
            print this, $1, $2
        }
    ' "$CHECKSUMS" | sort -V | awk '{ line = $2 " " $3 " " $1 } END { print line }'
}

sha256() {
    if command -v sha256sum >/dev/null; then sha256sum <"$1"; else shasum -a 256 <"$1"; fi | cut -d ' ' -f 1
}

# Downloads the archive, compares it with its checksum, unpacks it and sets `program`.
download() {
    local system processor found checksum name version url
    case $RUNNER_OS in
    Linux) system=-linux ;;
    macOS) system=-apple-darwin ;;
    *) fail "there is no archive for $RUNNER_OS" 'run the job on Linux or macOS, or set `binary`' ;;
    esac
    case $RUNNER_ARCH in
    X64) processor=x86_64 ;;
    ARM64) processor=aarch64 ;;
    *) fail "there is no archive for the processor $RUNNER_ARCH" 'set `binary`' ;;
    esac
    found=$(archive)
    read -r checksum name version <<<"$found"
    if [ -z "$checksum" ]; then
        fail "action/checksums.txt has no archive${VERSION:+ of argocd-jobs $VERSION} for $RUNNER_OS $RUNNER_ARCH" \
            'use the action at a commit that has the checksums of a published version, or set `binary` to a program that is on the machine'
    fi
    url=${DOWNLOAD_URL:-$GITHUB_SERVER_URL/${ACTION_REPOSITORY:-$GITHUB_REPOSITORY}/releases/download}/v$version/$name
    curl --silent --show-error --fail --location --proto '=https,http' --max-time 300 --retry 3 \
        --output "$folder/$name" --url "$url" 2>"$folder/curl" ||
        fail "cannot download $url: $(<"$folder/curl")" 'set `download-url` to a mirror, or `binary` to a program that is on the machine'
    [ "$(sha256 "$folder/$name")" = "$checksum" ] ||
        fail "$url is not the archive that was published: its SHA-256 is not $checksum" 'do not use it; find out who changed it'
    mkdir "$folder/unpacked"
    tar -xzf "$folder/$name" -C "$folder/unpacked"
    program=$(find "$folder/unpacked" -type f -name argocd-jobs)
}

# With this event the token can write, and the manifests are a stranger's.
[ "$GITHUB_EVENT_NAME" != pull_request_target ] ||
    fail 'this action does not run on `pull_request_target`' 'write `on: pull_request`: the report about a fork is then in the job summary'

folder=$(mktemp -d "$RUNNER_TEMP/argocd-jobs.XXXXXX")
CHECKSUMS=$here/checksums.txt
if [ -n "$BINARY" ]; then on_this_machine; else download; fi
version=$("$program" --version 2>/dev/null) || version=
case $version in
'argocd-jobs '*) echo "$version" ;;
*) fail "\`$program\` is not an argocd-jobs that runs on this machine" 'set `binary` to the path of argocd-jobs' ;;
esac
output program "$program"
output folder "$folder"
