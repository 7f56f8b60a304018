"""What a release is about: `facts.py version` prints one fact, and the other scripts import them.

Version, repository and description are those of Cargo.toml. Nothing else names them.
"""

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(*command):
    """What a command prints, run in the repository."""
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


@cache
def package():
    metadata = json.loads(run("cargo", "metadata", "--no-deps", "--format-version=1", "--locked", "--offline"))
    return next(each for each in metadata["packages"] if each["name"] == "argocd-jobs")


def version():
    return package()["version"]


def repository():
    """The address of the repository, or nothing while Cargo.toml names none or a reserved host: then nothing is published."""
    url = address()
    return "" if re.match(r"https?://([^/]*\.)?example\.(com|org|net)(/|$)", url) else url


def address():
    """The repository as Cargo.toml names it, published or not."""
    return (package()["repository"] or "").rstrip("/")


def coordinate(name, on_github, of=None):
    """An address below `[package.metadata.coordinates]`, or the address that a repository on GitHub has."""
    named = ((package()["metadata"] or {}).get("coordinates") or {}).get(name)
    found = re.match(r"https://github\.com/([^/]+)/([^/]+)$", of or repository())
    return named or (on_github(*found.groups()) if found else "")


def image():
    """The name of the image without its tag."""
    return coordinate("image", lambda owner, name: f"ghcr.io/{owner}/{name}".lower())


def site(of=None):
    """The address of the documentation site, with a slash at its end; that of the repository `of`, if it is not the one in Cargo.toml."""
    return coordinate("site", lambda owner, name: f"https://{owner.lower()}.github.io/{name}/", of)


def argocd_tools():
    """For each supported Argo CD, its minor version (as in the tag of its image), and the versions of its helm and kustomize."""
    rows = [line.split() for line in (ROOT / "release/argocd-tools").read_text().splitlines() if not line.startswith("#")]
    return [(argocd.rpartition(".")[0], helm, kustomize) for argocd, helm, kustomize in rows]


def images():
    """The images of a release as JSON, each with the kind of its archive and its tag."""
    tags = [("image", version()), *(("image-renderers", f"{version()}-argocd{argocd}") for argocd, _, _ in argocd_tools())]
    return json.dumps([{"archive": archive, "tag": tag} for archive, tag in tags])


def commit():
    return run("git", "rev-parse", "HEAD")


def epoch():
    """The second of the commit, which every file of a release has as its time."""
    return int(run("git", "log", "-1", "--format=%ct"))


def notes(wanted):
    """The section of the changelog for a version, and the line of its heading. The links to documents get the address that they have at the tag."""
    sections = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)[1:]
    for section in sections:
        heading, text = section.split("\n", 1)
        if re.match(rf"\[?{re.escape(wanted)}\]?( |$)", heading):
            return heading, re.sub(r"\]\((?![a-z]+:)", f"]({repository()}/blob/v{wanted}/", text.strip()) + "\n"
    raise SystemExit(f"CHANGELOG.md has no section `## {wanted}`")


if __name__ == "__main__":
    # Not the line ends of Windows, which bash would take for a part of the fact.
    sys.stdout.reconfigure(newline="\n")
    print(globals()[sys.argv[1]]())
