# A folder seen through a disk of another kind. `case` and `form` take names for one: without regard to case, as on macOS and Windows, or to
# the form of an accent. `held` has files open in a program: as long as `held` is there none is written or replaced, with `kept` none replaced.
# `open` and `closed` have one mode for all files, and take no other.
import errno, os, sys, unicodedata
from fusepy import FUSE, FuseOSError, Operations

root, place, kind = sys.argv[1:]
modes = {"open": 0o777, "closed": 0o700}


def fold(name):
    if kind not in ("case", "form"):
        return name
    name = unicodedata.normalize("NFC", name)
    return name.casefold() if kind == "case" else name


def real(path):
    folder = root
    for part in filter(None, path.split("/")):
        there = os.listdir(folder) if os.path.isdir(folder) else []
        found = part if part in there else next((n for n in there if fold(n) == fold(part)), part)
        folder = os.path.join(folder, found)
    return folder


def refuse(*marks):
    mark = next((m for m in marks if kind == "held" and os.path.exists(os.path.join(root, m))), None)
    if mark:
        open(os.path.join(root, "refused"), "w").close()
        raise FuseOSError(errno.EBUSY)


class Disk(Operations):
    def __call__(self, name, *given):
        try:
            return getattr(self, name)(*given)
        except OSError as error:
            raise FuseOSError(error.errno or errno.EIO)

    def getattr(self, path, handle=None):
        found = os.lstat(real(path)) if handle is None else os.fstat(handle)
        named = {name: getattr(found, name) for name in dir(found) if name.startswith("st_")}
        if kind in modes:
            named["st_mode"] = named["st_mode"] & ~0o777 | modes[kind]
        return named

    def chmod(self, path, mode):
        if kind in modes:
            raise FuseOSError(errno.EPERM)
        os.chmod(real(path), mode)

    def create(self, path, mode, info=None):
        return os.open(real(path), os.O_RDWR | os.O_CREAT, mode)

    def statfs(self, path):
        found = os.statvfs(root)
        return {name: getattr(found, name) for name in dir(found) if name.startswith("f_")}

    def open(self, path, flags):
        if flags & os.O_ACCMODE and ".pdi-" not in path and "journal" not in path:
            refuse("held")
        return os.open(real(path), flags & ~(os.O_EXCL | os.O_CREAT))

    def rename(self, old, new):
        if os.path.exists(real(new)):
            refuse("held", "kept")
        os.rename(real(old), real(new))

    readdir = lambda self, path, handle: [".", "..", *os.listdir(real(path))]
    read = lambda self, path, size, offset, handle: os.pread(handle, size, offset)
    write = lambda self, path, data, offset, handle: os.pwrite(handle, data, offset)
    truncate = lambda self, path, length, handle=None: os.truncate(real(path), length)
    flush = lambda self, path, handle: 0
    fsync = lambda self, path, only_data, handle: os.fsync(handle)
    release = lambda self, path, handle: os.close(handle)
    unlink = lambda self, path: os.unlink(real(path))
    mkdir = lambda self, path, mode: os.mkdir(real(path), mode)
    rmdir = lambda self, path: os.rmdir(real(path))
    utimens = lambda self, path, times=None: os.utime(real(path), times)


FUSE(Disk(), place, foreground=True, nothreads=True, use_ino=True, attr_timeout=0, entry_timeout=0)
