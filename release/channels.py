"""`channels.py DIST TO`: writes the recipes of release/channels into TO, with the addresses of Cargo.toml and the checksums of the archives in DIST.

`@repository@` stands for such a fact, `@sha256 TARGET@` for the checksum of the archive for TARGET. An archive that is not there, because only the
workflow builds it, gets a checksum of zeros, and is named.
"""

import hashlib
import re
import sys
from pathlib import Path

import facts


def known():
    repository = facts.address()
    owner, name = repository.split("/")[-2:]
    return {"repository": repository, "owner": owner, "name": name, "version": facts.version(), "description": facts.package()["description"]}


def filled(text, dist, missing):
    def value(found):
        word, _, target = found[1].partition(" ")
        if word != "sha256":
            return known()[word]
        archive = Path(dist) / f"argocd-jobs-{facts.version()}-{target}.tar.gz"
        if not archive.is_file():
            missing.add(archive.name)
            return "0" * 64
        return hashlib.sha256(archive.read_bytes()).hexdigest()

    return re.sub(r"@([a-z0-9]+(?: [a-z0-9_-]+)?)@", value, text)


def main(dist, to):
    missing = set()
    for path in sorted((facts.ROOT / "release/channels").iterdir()):
        if path.suffix in (".rb", ".yaml", ".toml", ".json"):
            (Path(to) / path.name).write_text(filled(path.read_text(), dist, missing))
    for name in sorted(missing):
        print(f"not in the recipes, because it is not there: {name}")


main(*sys.argv[1:])
