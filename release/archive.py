"""Archives whose bytes depend on nothing but their content: sorted, owned by nobody in particular, with one time for all files."""

import gzip
import io
import tarfile
import time
import zipfile


def tar(files, epoch):
    """The bytes of a tar archive. `files` maps paths to pairs of content and mode; directories above them come first."""
    folders = {"/".join(path.split("/")[:depth]) for path in files for depth in range(1, path.count("/") + 1)}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(folders | set(files)):
            entry = tarfile.TarInfo(path)
            entry.mtime = epoch
            if path in files:
                content, entry.mode = files[path]
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
            else:
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
                archive.addfile(entry)
    return out.getvalue()


def compressed(content):
    """As `gzip -n` does: without a name and a time."""
    out = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=out, mtime=0) as file:
        file.write(content)
    return out.getvalue()


def zipped(files, epoch):
    """The bytes of a zip archive of the same files, for Windows."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(files):
            content, mode = files[path]
            entry = zipfile.ZipInfo(path, time.gmtime(epoch)[:6])
            # Otherwise it says on which system it was made.
            entry.create_system = 3
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return out.getvalue()
