"""`image.py STAGE TO [--tools DIR] [--certificates FILE] ARCHIVE…`: the image of a stage of the Dockerfile, as an OCI archive, without a
container engine.

Each ARCHIVE is a Linux tarball of `release/build`; the image has one variant for each. DIR has a folder for each architecture (`amd64`,
`arm64`) with helm and kustomize. Any tool that reads `oci-archive:` pushes the file: `skopeo copy --all oci-archive:TO docker://…`.
https://github.com/opencontainers/image-spec/blob/main/image-layout.md
"""

import argparse
import hashlib
import json
import tarfile
from datetime import datetime, timezone
from pathlib import Path

import archive
import dockerfile
import facts

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"


class Layout:
    """Blobs by their digest, and at the end the archive with them."""

    def __init__(self):
        self.files = {"oci-layout": (encoded({"imageLayoutVersion": "1.0.0"}), 0o644)}

    def add(self, kind, content, **more):
        """Stores a blob, and returns its descriptor."""
        digest = hashlib.sha256(content).hexdigest()
        self.files[f"blobs/sha256/{digest}"] = (content, 0o644)
        return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(content), **more}


def encoded(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def annotations(stage):
    """https://github.com/opencontainers/image-spec/blob/main/annotations.md; addresses only once there are some."""
    package = facts.package()
    own = {"title": package["name"], "description": package["description"], "licenses": package["license"],
           "version": facts.version(), "revision": facts.commit(), "created": created()}
    if facts.repository():
        own |= {"source": facts.repository(), "url": facts.repository(), "documentation": facts.repository()}
    return dict(sorted({**stage.labels, **{f"org.opencontainers.image.{key}": value for key, value in own.items()}}.items()))


def created():
    return datetime.fromtimestamp(facts.epoch(), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def variant(layout, stage, tarball, options):
    """Adds the image for the processor of a tarball, and returns the descriptor of its manifest."""
    architecture = ARCHITECTURES[Path(tarball).name.removeprefix(f"argocd-jobs-{facts.version()}-").split("-")[0]]
    layers, digests = [], []
    for copies in stage.layers:
        if not copies:
            continue
        files = {to.lstrip("/"): find(tarball, architecture, lender, source, options) for lender, source, to in copies}
        content = archive.tar(files, facts.epoch())
        digests.append("sha256:" + hashlib.sha256(content).hexdigest())
        layers.append(layout.add(LAYER, archive.compressed(content)))
    config = {
        "architecture": architecture, "os": "linux", "created": created(),
        "config": {"Env": stage.env, "Labels": annotations(stage), "User": stage.user, "Entrypoint": stage.entrypoint},
        "rootfs": {"type": "layers", "diff_ids": digests},
        "history": [{"created": created(), "created_by": "release/image.py"} for _ in layers],
    }
    config = layout.add(CONFIG, encoded(config))
    manifest = {"schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": layers, "annotations": annotations(stage)}
    return layout.add(MANIFEST, encoded(manifest), platform={"os": "linux", "architecture": architecture})


def find(tarball, architecture, lender, source, options):
    """The content and mode of the file that a COPY line takes."""
    if lender == "argocd" and Path(source).name == "ca-certificates.crt":
        return Path(options.certificates).read_bytes(), 0o644
    if lender == "argocd":
        return (Path(options.tools) / architecture / Path(source).name).read_bytes(), 0o755
    if lender not in ("", "build"):
        raise SystemExit(f"Dockerfile: where does {source} of the stage {lender} come from?")
    name = f"{Path(tarball).name.removesuffix('.tar.gz')}/{Path(source).name}"
    with tarfile.open(tarball) as opened:
        entry = opened.getmember(name)
        return opened.extractfile(entry).read(), entry.mode


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stage")
    parser.add_argument("to")
    parser.add_argument("--tools")
    parser.add_argument("--certificates")
    parser.add_argument("tarballs", nargs="+")
    options = parser.parse_args()
    stage = dockerfile.stage(options.stage)
    layout = Layout()
    manifests = [variant(layout, stage, each, options) for each in sorted(options.tarballs)]
    index = {"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests, "annotations": annotations(stage)}
    index = layout.add(INDEX, encoded(index), annotations={"org.opencontainers.image.ref.name": facts.version()})
    layout.files["index.json"] = (encoded({"schemaVersion": 2, "mediaType": INDEX, "manifests": [index]}), 0o644)
    Path(options.to).write_bytes(archive.tar(layout.files, facts.epoch()))
    print(index["digest"])


main()
