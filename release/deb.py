"""`deb.py ARCHIVE TO`: lays out in TO what dpkg-deb makes a package of, from a Linux archive of release/build."""

import hashlib
import sys
import tarfile
import textwrap
import time
from email.utils import formatdate
from pathlib import Path

import archive
import facts

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
OVERRIDES = """\
# Linked statically, one program for every distribution and for images without a C library. Position-independent, it looks like a library.
argocd-jobs: shared-library-lacks-prerequisites [usr/bin/argocd-jobs]
# It is published with the program, not through Debian, so there is no bug to close.
argocd-jobs: initial-upload-closes-no-bugs [usr/share/doc/argocd-jobs/changelog.Debian.gz:1]
"""


def version():
    """`~` sorts a pre-release before its release."""
    return facts.version().replace("-", "~") + "-1"


def maintainer():
    """An address that nobody reads: the packages say where the issues are."""
    repository = facts.address()
    host, owner = repository.split("/")[2:4]
    return f"The argocd-jobs project <{owner}@users.noreply.{host}>"


def control(architecture, size):
    package = facts.package()
    text = textwrap.fill(
        "It says which Jobs the next sync will run, when and why, finds what is wrong or dangerous about Jobs and hooks, and is the plugin that "
        "lets Argo CD apply a Job that has changed.", 76, initial_indent=" ", subsequent_indent=" ")
    fields = {
        "Package": "argocd-jobs", "Version": version(), "Architecture": architecture, "Maintainer": maintainer(),
        "Installed-Size": size, "Suggests": "git", "Section": "admin", "Priority": "optional",
        "Homepage": facts.address(), "Description": f"{package['description']}\n{text}",
    }
    return "".join(f"{key}: {value}\n" for key, value in fields.items())


def about(read):
    """What Debian's policy asks for below /usr/share/doc."""
    repository = facts.address()
    changes = f"argocd-jobs ({version()}) stable; urgency=medium\n\n  * {repository}/releases/tag/v{facts.version()}\n\n -- {maintainer()}  {formatdate(facts.epoch())}\n"
    rights = (
        f"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nSource: {repository}\n\n"
        f"Files: *\nCopyright: {time.gmtime(facts.epoch()).tm_year} The argocd-jobs authors\nLicense: Apache-2.0\n\n"
        "License: Apache-2.0\n On Debian systems, the text is in /usr/share/common-licenses/Apache-2.0. What is linked into the program, and its\n"
        " licences, are in THIRD-PARTY-LICENSES.txt.gz beside this file.\n")
    return {
        "copyright": rights.encode(), "changelog.Debian.gz": archive.compressed(changes.encode()),
        "changelog.gz": archive.compressed(read("CHANGELOG.md")), "THIRD-PARTY-LICENSES.txt.gz": archive.compressed(read("THIRD-PARTY-LICENSES.txt")),
    }


def main(tarball, to):
    top = Path(tarball).name.removesuffix(".tar.gz")
    architecture = ARCHITECTURES[top.removeprefix(f"argocd-jobs-{facts.version()}-").split("-")[0]]
    with tarfile.open(tarball) as opened:
        names = [name.removeprefix(f"{top}/") for name in opened.getnames()]
        read = lambda name: opened.extractfile(f"{top}/{name}").read()
        files = {f"doc/argocd-jobs/{name}": text for name, text in about(read).items()}
        files |= {f"man/man1/{Path(name).name}.gz": archive.compressed(read(name)) for name in names if name.endswith(".1")}
        for shell, place in {"argocd-jobs.bash": "bash-completion/completions/argocd-jobs", "_argocd-jobs": "zsh/vendor-completions/_argocd-jobs",
                             "argocd-jobs.fish": "fish/vendor_completions.d/argocd-jobs.fish"}.items():
            files[place] = read(f"completions/{shell}")
        files = {f"usr/share/{path}": text for path, text in files.items()}
        files |= {"usr/share/lintian/overrides/argocd-jobs": OVERRIDES.encode(), "usr/bin/argocd-jobs": read("argocd-jobs")}
    size = sum(len(text) for text in files.values()) // 1024 + 1
    sums = "".join(f"{hashlib.md5(text).hexdigest()}  {path}\n" for path, text in sorted(files.items()))
    files["DEBIAN/md5sums"] = sums.encode()
    files["DEBIAN/control"] = control(architecture, size).encode()
    for path, text in files.items():
        path = Path(to) / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
        path.chmod(0o755 if path.parent.name == "bin" else 0o644)


main(*sys.argv[1:])
