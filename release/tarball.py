"""`tarball.py ARCHIVE FOLDER FILE…`: an archive with one folder at its top, which has the name of the archive: everything in FOLDER, and the
FILEs. What is executable in FOLDER stays so."""

import sys
from pathlib import Path

import archive
import facts


def main(to, folder, extra):
    top = Path(to).name.removesuffix(".tar.gz")
    files = {}
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file():
            mode = 0o755 if path.stat().st_mode & 0o100 else 0o644
            files[f"{top}/{path.relative_to(folder).as_posix()}"] = (path.read_bytes(), mode)
    for path in map(Path, extra):
        files[f"{top}/{path.name}"] = (path.read_bytes(), 0o644)
    Path(to).write_bytes(archive.compressed(archive.tar(files, facts.epoch())))


main(sys.argv[1], sys.argv[2], sys.argv[3:])
