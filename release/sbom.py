"""`sbom.py FROM TO TARGET`: the bill of materials that cargo-cyclonedx has written, without what is not compiled.

cargo-cyclonedx asks `cargo metadata`, which also names crates that only another system or a feature that is off would need. `cargo tree` names
what is compiled. The folder of this machine goes, too.
"""

import json
import sys
from pathlib import Path

import facts


def tree(target):
    """Names and versions of all that is compiled for the program: tests are not."""
    lines = facts.run("cargo", "tree", "--package=argocd-jobs", "--locked", "--edges=normal,build", "--target", target, "--prefix=none", "--format={p}")
    return {tuple(line.split()[:2]) for line in lines.splitlines()}


def main(source, to, target):
    compiled = tree(target)
    bom = json.loads(Path(source).read_text().replace(f"path+{facts.ROOT.as_uri()}", "path+file:///argocd-jobs"))
    bom["components"] = [part for part in bom["components"] if (part["name"], "v" + part["version"]) in compiled]
    kept = {part["bom-ref"] for part in [bom["metadata"]["component"], *bom["components"]]}
    bom["dependencies"] = [entry for entry in bom["dependencies"] if entry["ref"] in kept]
    for entry in bom["dependencies"]:
        if "dependsOn" in entry:
            entry["dependsOn"] = [ref for ref in entry["dependsOn"] if ref in kept]
    Path(to).write_bytes((json.dumps(bom, indent=2, ensure_ascii=False) + "\n").encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
