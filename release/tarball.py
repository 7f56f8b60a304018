"""`tarball.py ARCHIVE FOLDER FILE…`: an archive with one folder at its top, which has the name of the archive: everything in FOLDER, and the
FILEs. What is executable in FOLDER stays so. ARCHIVE ends in `.tar.gz` or `.zip`."""

import sys
from pathlib import Path

import archive
import facts


def main(to, folder, extra):
    top = Path(to).name.removesuffix(".tar.gz").removesuffix(".zip")
    files = {}
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file():
            mode = 0o755 if path.stat().st_mode & 0o100 else 0o644
            files[f"{top}/{path.relative_to(folder).as_posix()}"] = (path.read_bytes(), mode)
    for path in map(Path, extra):
        files[f"{top}/{path.name}"] = (path.read_bytes(), 0o644)
    epoch = facts.epoch()
    is_zip = to.endswith(".zip")
    Path(to).write_bytes(archive.zipped(files, epoch) if is_zip else archive.compressed(archive.tar(files, epoch)))


main(sys.argv[1], sys.argv[2], sys.argv[3:])
