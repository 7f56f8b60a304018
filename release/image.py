"""`image.py STAGE TO [--tools DIR] [--certificates FILE] ARCHIVE…`: writes the images of a stage of the Dockerfile into an OCI archive, without a
container engine.

Each ARCHIVE is a Linux tarball of `release/build`; an image has one variant for each. Without DIR there is one image. DIR has a folder with helm, kustomize
and what is in them (`about/helm`, of release/modules.py) for each Argo CD and architecture (`3.4/amd64`); there is one image for each Argo CD that has a folder. Any tool that
reads `oci-archive:` can push an image: `skopeo copy --all oci-archive:TO:TAG docker://…`.
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
        #: Layers by the digest of what is in them: images have most of them in common.
        self.layers = {}

    def add(self, kind, content, **more):
        """Stores a blob, and returns its descriptor."""
        digest = hashlib.sha256(content).hexdigest()
        self.files[f"blobs/sha256/{digest}"] = (content, 0o644)
        return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(content), **more}

    def layer(self, content):
        """Stores a layer, and returns the digest of what is in it and its descriptor."""
        digest = "sha256:" + hashlib.sha256(content).hexdigest()
        if digest not in self.layers:
            self.layers[digest] = self.add(LAYER, archive.compressed(content))
        return digest, self.layers[digest]


def encoded(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def annotations(stage, tools):
    """https://github.com/opencontainers/image-spec/blob/main/annotations.md; addresses only once there are some."""
    package = facts.package()
    own = {"title": package["name"], "description": package["description"], "licenses": package["license"],
           "version": facts.version(), "revision": facts.commit(), "created": created()}
    if facts.repository():
        own |= {"source": facts.repository(), "url": facts.repository(), "documentation": facts.site() or facts.repository()}
    named = {f"org.opencontainers.image.{key}": value for key, value in own.items()}
    if facts.repository():
        # https://artifacthub.io/docs/topics/repositories/container-images/
        named |= {"io.artifacthub.package.readme-url": f"{facts.repository()}/raw/v{facts.version()}/README.md",
                  "io.artifacthub.package.license": package["license"], "io.artifacthub.package.category": "integration-delivery",
                  "io.artifacthub.package.keywords": ",".join(package["keywords"]),
                  "io.artifacthub.package.prerelease": str("-" in facts.version()).lower()}
    named |= {f"argocd-jobs.{key}": value for key, value in zip(("argocd", "helm", "kustomize"), tools)}
    return dict(sorted({**stage.labels, **named}.items()))


def created():
    return datetime.fromtimestamp(facts.epoch(), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def variant(layout, stage, tools, tarball, options):
    """Adds the image for the processor of a tarball, and returns the descriptor of its manifest. `tools` are a row of `argocd_tools`, or nothing."""
    architecture = ARCHITECTURES[Path(tarball).name.removeprefix(f"argocd-jobs-{facts.version()}-").split("-")[0]]
    layers, digests = [], []
    for copies in stage.layers:
        if not copies:
            continue
        files = {to.lstrip("/"): find(tarball, architecture, tools, lender, source, options) for lender, source, to in copies}
        files |= {name: file for lender, source, _ in copies if lender == "argocd" for name, file in about(tools, architecture, source, options)}
        digest, layer = layout.layer(archive.tar(files, facts.epoch()))
        digests.append(digest)
        layers.append(layer)
    config = {
        "architecture": architecture, "os": "linux", "created": created(),
        "config": {"Env": stage.env, "Labels": annotations(stage, tools), "User": stage.user, "Entrypoint": stage.entrypoint},
        "rootfs": {"type": "layers", "diff_ids": digests},
        "history": [{"created": created(), "created_by": "release/image.py"} for _ in layers],
    }
    config = layout.add(CONFIG, encoded(config))
    manifest = {"schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": layers, "annotations": annotations(stage, tools)}
    return layout.add(MANIFEST, encoded(manifest), platform={"os": "linux", "architecture": architecture})


def find(tarball, architecture, tools, lender, source, options):
    """The content and mode of the file that a COPY line takes."""
    if lender == "argocd" and Path(source).name == "ca-certificates.crt":
        return Path(options.certificates).read_bytes(), 0o644
    if lender == "argocd":
        return (Path(options.tools) / tools[0] / architecture / Path(source).name).read_bytes(), 0o755
    if lender not in ("", "build"):
        raise SystemExit(f"Dockerfile: where does {source} of the stage {lender} come from?")
    name = f"{Path(tarball).name.removesuffix('.tar.gz')}/{Path(source).name}"
    with tarfile.open(tarball) as opened:
        entry = opened.getmember(name)
        return opened.extractfile(entry).read(), entry.mode


def about(tools, architecture, source, options):
    """Where the licences and the bill of materials of a tool are in the image, and what they are."""
    folder = Path(options.tools) / tools[0] / architecture / "about" / Path(source).name
    for path in sorted(folder.glob("*")):
        yield f"usr/share/licenses/{folder.name}/{path.name}", (path.read_bytes(), 0o644)


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
    images = []
    for tools in [row for row in facts.argocd_tools() if (Path(options.tools) / row[0]).is_dir()] if options.tools else [()]:
        tag = facts.version() + (f"-argocd{tools[0]}" if tools else "")
        manifests = [variant(layout, stage, tools, each, options) for each in sorted(options.tarballs)]
        index = {"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests, "annotations": annotations(stage, tools)}
        images.append(layout.add(INDEX, encoded(index), annotations={"org.opencontainers.image.ref.name": tag}))
        print(f"{tag} {images[-1]['digest']}")
    layout.files["index.json"] = (encoded({"schemaVersion": 2, "mediaType": INDEX, "manifests": images}), 0o644)
    Path(options.to).write_bytes(archive.tar(layout.files, facts.epoch()))


main()
