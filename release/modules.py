"""What is linked into a program of Go: `modules.py write PROGRAM FOLDER` makes two files in FOLDER, and `modules.py check PROGRAM FOLDER` fails unless
they name exactly the modules in the program.

- `bom.cdx.json`, the bill of materials (CycloneDX 1.5), from cyclonedx-gomod, which has to be on PATH;
- `LICENSES.txt`, the licences of these modules and of Go, from their archives in Go's module cache.
"""

import json
import re
import sys
from pathlib import Path

from facts import run

LICENCE = re.compile(r"(LICEN[CS]E|COPYING|COPYRIGHT|NOTICE|PATENTS)([-._].*)?", re.IGNORECASE)


def modules(program):
    """The modules in a program, each with its version, the program's own first."""
    found = []
    for line in run("go", "version", "-m", program).splitlines():
        kind, *rest = line.strip().split("\t")
        if kind in ("mod", "dep"):
            found.append(tuple(rest[:2]))
        elif kind == "=>":
            found[-1] = tuple(rest[:2])
    return found


def texts(folder):
    files = sorted(path for path in Path(folder).iterdir() if path.is_file() and LICENCE.fullmatch(path.name))
    return "\n\n".join(path.read_text(errors="replace").strip() for path in files)


def licences(program):
    """The text of each licence once, below the names of all that have it."""
    named = {}
    downloaded = run("go", "mod", "download", "-json", *(f"{path}@{version}" for path, version in modules(program)))
    for module in json.loads("[" + re.sub(r"^}\n{", "},\n{", downloaded, flags=re.MULTILINE) + "]"):
        name, text = f"{module['Path']} {module['Version']}", texts(module["Dir"])
        if not text:
            raise SystemExit(f"{program}: {name} has no licence")
        named.setdefault(text, []).append(name)
    named.setdefault(texts(run("go", "env", "GOROOT")), []).append(f"Go {run('go', 'env', 'GOVERSION').removeprefix('go')}")
    rule = "=" * 79
    return "".join(f"{rule}\n" + "".join(f"{name}\n" for name in names) + f"{rule}\n\n{text}\n\n" for text, names in named.items())


def bill(program):
    """The bill of materials, without what differs between two builds of the tool that writes it."""
    bom = json.loads(run("cyclonedx-gomod", "bin", "-json", "-licenses", "-assert-licenses", "-noserial", "-notimestamp", "-output-version=1.5", program))
    for tool in bom["metadata"]["tools"]:
        del tool["hashes"]
    return json.dumps(bom, indent=2, ensure_ascii=False) + "\n"


def check(program, folder):
    wanted = modules(program)
    bom = json.loads((folder / "bom.cdx.json").read_text())
    parts = [bom["metadata"]["component"], *bom["components"]]
    listed = {(part["name"], part["version"]) for part in parts}
    if listed != set(wanted):
        raise SystemExit(f"{folder}/bom.cdx.json lacks {sorted(set(wanted) - listed)}, and has more {sorted(listed - set(wanted))}")
    without = [part["name"] for part in parts if not part.get("licenses")]
    text = (folder / "LICENSES.txt").read_text()
    without += [path for path, version in wanted if f"\n{path} {version}\n" not in text]
    if without or not re.search(r"^Go \d", text, flags=re.MULTILINE):
        raise SystemExit(f"{folder}: no licence of {without or 'Go'}")
    print(f"{Path(program).name}: {len(wanted)} modules in the bill of materials and in the licences, as in the program")


def main(action, program, folder):
    program, folder = str(Path(program).resolve()), Path(folder)
    if action == "write":
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "LICENSES.txt").write_text(licences(program))
        (folder / "bom.cdx.json").write_text(bill(program))
    check(program, folder)


main(*sys.argv[1:])
