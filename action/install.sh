#!/usr/bin/env bash
# Finds the program: on the machine already, or in an archive of the release of which the action is a part.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=action/messages.sh
. "$here/messages.sh"

# Prints the value of a key that all packages of Cargo.toml share.
package() {
    sed -n "s/^$1 = \"\(.*\)\"\$/\1/p; /^\[workspace.dependencies]/q" "$here/../Cargo.toml"
}

# Sets `program` to the path of the program that the input `binary` names.
on_this_machine() {
    program=$(command -v -- "$BINARY") || program=
    [ -f "$program" ] || fail "there is no program \`$BINARY\`" 'set `binary` to the path of argocd-jobs, or to its name on PATH'
    program=$(cd "$(dirname -- "$program")" && pwd)/$(basename -- "$program")
}

sha256() {
    if command -v sha256sum >/dev/null; then sha256sum <"$1"; else shasum -a 256 <"$1"; fi | cut -d ' ' -f 1
}

# Downloads a file of the release into the folder.
fetch() {
    local url=${DOWNLOAD_URL:-$repository/releases/download}/v$version/$1
    curl --silent --show-error --fail --location --proto '=https,http' --max-time 300 --retry 3 \
        --output "$FOLDER/$1" --url "$url" 2>"$FOLDER/curl" ||
        fail "cannot download $url: $(<"$FOLDER/curl")" 'set `download-url` to a mirror, or `binary` to a program that is on the machine'
}

# Fails unless the release workflow of this version has built the file. No checksum of it can be in the commit that is released, so that the
# provenance vouches for it: a file of the release, which `gh` verifies without a token (`--bundle`).
verify() {
    local provenance=argocd-jobs-$version.intoto.jsonl slug=${repository#*://}
    local otherwise='set `sha256` to the checksum of the archive (in SHA256SUMS of the release), or `binary` to a program that is on the machine'
    command -v gh >/dev/null || fail 'the archive is verified with `gh`, which this machine does not have' "install the GitHub CLI, $otherwise"
    fetch "$provenance"
    env -u GH_TOKEN -u GITHUB_TOKEN gh attestation verify "$FOLDER/$1" --bundle "$FOLDER/$provenance" --hostname "${slug%%/*}" \
        --repo "${slug#*/}" --cert-identity "$repository/.github/workflows/release.yml@refs/tags/v$version" >"$FOLDER/gh" 2>&1 ||
        fail "cannot verify that $1 is what the release workflow of $repository has built: $(head -c 2000 "$FOLDER/gh")" \
            "do not use it before you know why; where gh cannot reach Sigstore, $otherwise"
}

# Downloads the archive for this machine, verifies it, unpacks it and sets `program`.
download() {
    local target name kind=tar.gz exe=
    case $RUNNER_OS:$RUNNER_ARCH in
    Linux:X64) target=x86_64-unknown-linux-gnu ;;
    Linux:ARM64) target=aarch64-unknown-linux-gnu ;;
    macOS:X64) target=x86_64-apple-darwin ;;
    macOS:ARM64) target=aarch64-apple-darwin ;;
    Windows:X64) target=x86_64-pc-windows-msvc ;;
    *) fail "there is no archive for $RUNNER_OS $RUNNER_ARCH" 'run the job on Linux or macOS, x86-64 or ARM64, or on Windows, x86-64, or set `binary`' ;;
    esac
    case $target in *-windows-*) kind=zip exe=.exe ;; esac
    [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] || fail "\`version\` is \`$version\`" 'write it as in `1.2.3`'
    name=argocd-jobs-$version-$target.$kind
    fetch "$name"
    if [ -z "$SHA256" ]; then
        verify "$name"
    elif [ "$(sha256 "$FOLDER/$name")" != "$SHA256" ]; then
        fail "$name is not the archive that you expect: its SHA-256 is not $SHA256" 'do not use it; find out who changed it, and compare with SHA256SUMS of the release'
    fi
    mkdir "$FOLDER/unpacked"
    case $kind in
    zip) unzip -q "$FOLDER/$name" -d "$FOLDER/unpacked" ;;
    *) tar -xzf "$FOLDER/$name" -C "$FOLDER/unpacked" ;;
    esac
    program=$(find "$FOLDER/unpacked" -type f -name "argocd-jobs$exe")
}

# With this event the token can write, and the manifests are a stranger's.
[ "$GITHUB_EVENT_NAME" != pull_request_target ] ||
    fail 'this action does not run on `pull_request_target`' 'write `on: pull_request`: the report about a fork is then in the job summary'

FOLDER=$(mktemp -d "$RUNNER_TEMP/argocd-jobs.XXXXXX")
output folder "$FOLDER"
repository=$(package repository)
version=${VERSION:-$(package version)}
case $BINARY:$DOWNLOAD_URL:$repository in
::https://*example.com/*) fail 'argocd-jobs is not published yet' 'build it in a step before this one, and set `binary` to it' ;;
:*) download ;;
*) on_this_machine ;;
esac
said=$("$program" --version 2>/dev/null) || said=
case $said in
'argocd-jobs '*) echo "$said" ;;
*) fail "\`$program\` is not an argocd-jobs that runs on this machine" 'set `binary` to the path of argocd-jobs' ;;
esac
output program "$program"
