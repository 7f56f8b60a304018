"""What the stages of the Dockerfile on `scratch` hold, so that the images of a release are made of the same lines as `docker build`.

An instruction that is not understood is an error, so that none is left out.
"""

import json
import shlex
from dataclasses import dataclass, field

from facts import ROOT


@dataclass
class Stage:
    #: One list for each stage on the way, of (stage that lends the file, path there, path in the image).
    layers: list = field(default_factory=list)
    #: NAME=value
    env: list = field(default_factory=list)
    labels: dict = field(default_factory=dict)
    user: str = ""
    entrypoint: list = field(default_factory=list)


def stage(name):
    stages = {}
    current = None
    for line in instructions((ROOT / "Dockerfile").read_text()):
        word, _, rest = line.partition(" ")
        if word == "FROM":
            image, _, own = rest.split()
            base = Stage() if image == "scratch" else stages.get(image)
            # The stages on other images only lend files.
            current = base and Stage([*base.layers, []], [*base.env], dict(base.labels), base.user, base.entrypoint)
            if current:
                stages[own] = current
        elif current:
            add(current, word, rest.strip())
    return stages[name]


def instructions(text):
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    return [line.strip() for line in "\n".join(lines).replace("\\\n", " ").splitlines() if line.strip()]


def add(to, word, rest):
    if word == "COPY":
        words = rest.split()
        lender = words.pop(0).removeprefix("--from=") if words[0].startswith("--from=") else ""
        source, target = words
        if source.startswith("--") or not target.startswith("/") or target.endswith("/"):
            raise SystemExit(f"Dockerfile: COPY with anything but one source and the path of a file: {rest}")
        to.layers[-1].append((lender, source, target))
    elif word == "ENV":
        to.env.append(rest)
    elif word == "LABEL":
        to.labels.update(pair.split("=", 1) for pair in shlex.split(rest))
    elif word == "USER":
        to.user = rest
    elif word == "ENTRYPOINT":
        to.entrypoint = json.loads(rest)
    else:
        raise SystemExit(f"Dockerfile: what does {word} do to the image?")
