"""`contents.py PROGRAM SBOM TARGET`: fails unless the list of crates in the program (cargo-auditable) and in the bill of materials are those that
`cargo tree` names for the target, and unless the program is free of paths of this machine."""

import json
import os
import re
import struct
import sys
import zlib
from pathlib import Path

import facts
from sbom import tree


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
    for what, found in [(sbom, in_sbom(sbom)), (program, in_program(content))]:
        if found != wanted:
            raise SystemExit(f"{what} lacks {sorted(wanted - found)}, and has more {sorted(found - wanted)}")
    homes = {str(facts.ROOT), str(Path.home()), os.environ.get("CARGO_HOME", ""), os.environ.get("CARGO_TARGET_DIR", "")} - {"", "/"}
    for name, text in [(program, content), (sbom, Path(sbom).read_bytes())]:
        for home in sorted(homes):
            found = re.search(re.escape(home.encode()) + rb"[\w./-]*", text)
            if found:
                raise SystemExit(f"{name} has a path of this machine: {found[0].decode()}")
    print(f"{len(wanted)} crates in the program and in the bill of materials, as in `cargo tree`")


main(*sys.argv[1:])
