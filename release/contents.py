"""`contents.py PROGRAM SBOM TARGET`: fails unless the crates in the bill of materials are those that `cargo tree` names for the target, the
list in the program (cargo-auditable) has all of them, and neither has a path of this machine.

The list in the program has a few crates more. cargo-auditable asks `cargo metadata`, which also names what only another system or a feature that is
off would need; the exact list exists in nightly compilers only (`-Z sbom`). A scanner warns of one crate too many, never of one too few.
"""

import json
import os
import re
import struct
import sys
import zlib
from pathlib import Path

import facts
from sbom import tree

#: Crates of Cargo.lock that the list in the program has for no reason: each was looked at.
NOT_COMPILED = {"bstr", "errno"}


def in_sbom(path):
    bom = json.loads(Path(path).read_text())
    parts = [bom["metadata"]["component"], *bom["components"]]
    without = [part["name"] for part in parts if not part.get("licenses") and part["name"] != "libyaml-safer"]
    if without:
        raise SystemExit(f"{path}: no licence of {without}")
    return {(part["name"], "v" + part["version"]) for part in parts}


def in_program(content):
    """https://github.com/rust-secure-code/cargo-auditable/blob/master/PARSING.md"""
    packages = json.loads(zlib.decompress(section(content, b".dep-v0")))["packages"]
    return {(package["name"], "v" + package["version"]) for package in packages}


def section(content, name):
    """A section of an executable: https://refspecs.linuxfoundation.org/elf/elf.pdf, for 64 bits, little endian."""
    (table,) = struct.unpack_from("<Q", content, 0x28)
    size, count, names = struct.unpack_from("<HHH", content, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", content, table + index * size) for index in range(count)]
    start = headers[names][4]
    for header in headers:
        at = start + header[0]
        if content[at : content.index(b"\0", at)] == name:
            return content[header[4] : header[4] + header[5]]
    raise SystemExit(f"the program has no section {name.decode()}")


def main(program, sbom, target):
    wanted = tree(target)
    content = Path(program).read_bytes()
    listed, embedded = in_sbom(sbom), in_program(content)
    if listed != wanted:
        raise SystemExit(f"{sbom} lacks {sorted(wanted - listed)}, and has more {sorted(listed - wanted)}")
    if not wanted <= embedded:
        raise SystemExit(f"the list in {program} lacks {sorted(wanted - embedded)}")
    more = sorted(name for name, _ in embedded - wanted)
    if not set(more) <= NOT_COMPILED:
        raise SystemExit(f"the list in {program} has more than the known {sorted(NOT_COMPILED)}: {more}")
    homes = {str(facts.ROOT), facts.ROOT.as_uri(), str(Path.home()), os.environ.get("CARGO_HOME"), os.environ.get("CARGO_TARGET_DIR")}
    homes -= {None, "", "/"}
    for name, text in [(program, content), (sbom, Path(sbom).read_bytes())]:
        for home in sorted(homes):
            found = re.search(re.escape(home.encode()) + rb"/[\w./-]*", text)
            if found:
                raise SystemExit(f"{name} has a path of this machine: {found[0].decode()}")
    print(f"{len(wanted)} crates in the bill of materials, as in `cargo tree`; the list in the program has more: {', '.join(more) or 'none'}")


main(*sys.argv[1:])
