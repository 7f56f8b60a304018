"""`recipes.py RECIPES AQUA_SCHEMA`: fails unless the recipes for aqua, mise and SchemaStore are what these read, and lead to files that there are.
AQUA_SCHEMA is the schema of aqua's registry, RECIPES/aqua.json the recipe as JSON.

The schema of SchemaStore's catalogue is that of github.com/SchemaStore/schemastore (Apache-2.0). mise's own checks the file when it is proposed there.
"""

import json
import re
import sys
import tomllib
from pathlib import Path

import facts
import jsonschema_rs

RECIPES, AQUA = map(Path, sys.argv[1:])


def fits(schema, value, name):
    errors = [f"{name}: {error.instance_path}: {error.message}" for error in jsonschema_rs.validator_for(schema).iter_errors(value)]
    if errors:
        raise SystemExit("\n".join(errors))


def assets(recipe):
    """The archives that aqua looks for, by its rules for `asset`."""
    [package] = recipe["packages"]
    [version] = package["version_overrides"]
    formats = {override["goos"]: override["format"] for override in version["format_overrides"]}
    for environment in version["supported_envs"]:
        system, _, only = environment.partition("/")
        for processor in [only] if only else ["amd64", "arm64"]:
            words = {"trimV .Version": facts.version(), "Arch": processor, "OS": system, "Format": formats.get(system, version["format"])}
            name = re.sub(r"\{\{\.?(.*?)\}\}", lambda found: version["replacements"].get(words[found[1]], words[found[1]]), version["asset"])
            yield name


def main():
    aqua = json.loads((RECIPES / "aqua.json").read_text())
    fits(json.loads(AQUA.read_text()), aqua, "aqua.yaml")
    names = set(assets(aqua))
    targets = re.findall(r"- target: (\S+)", (facts.ROOT / ".github/workflows/release.yml").read_text())
    released = {f"argocd-jobs-{facts.version()}-{target}.{'zip' if 'windows' in target else 'tar.gz'}" for target in targets}
    if names != released:
        raise SystemExit(f"aqua.yaml looks for {sorted(names)}, the workflow builds {sorted(released)}")

    mise = tomllib.loads((RECIPES / "mise.toml").read_text())
    owner = "/".join(aqua["packages"][0][key] for key in ("repo_owner", "repo_name"))
    if mise["backends"] != [f"aqua:{owner}", "pipx:argocd-jobs"] or mise["test"]["expected"] != "argocd-jobs {{version}}":
        raise SystemExit(f"mise.toml: {mise}")

    entry = json.loads((RECIPES / "schemastore.json").read_text())
    catalogue = json.loads((facts.ROOT / "release/channels/schemas/schemastore-catalog.json").read_text())
    fits(catalogue, {"$schema": "https://json.schemastore.org/schema-catalog.json", "version": 1, "schemas": [entry]}, "schemastore.json")
    file = entry["url"].partition("/raw/main/")[2]
    jsonschema_rs.meta.validate(json.loads((facts.ROOT / file).read_text()))
    print(f"{len(names)} archives for aqua and mise; SchemaStore's entry leads to {file}")


main()
