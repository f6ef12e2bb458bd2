"""Whether the system tells of changes on a file system at all."""

from __future__ import annotations

import os
import sys
from pathlib import Path

#: Types whose files other machines change without this one being told; fuse types come with a subtype.
_SILENT = frozenset(
    {
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "gpfs", "beegfs", "vboxsf",
        "vmhgfs", "prl_fs", "fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.gcsfuse", "fuse.glusterfs",
        "fuse.vmhgfs-fuse", "fuse.grpcfuse", "fuse.osxfs", "fakeowner",
    }
)  # fmt: skip
_MOUNTS = Path("/proc/self/mountinfo")


def silent_type(folder: Path) -> str:
    """The type of a folder's file system if nobody tells of what others change on it; else empty. Linux only."""
    if sys.platform != "linux":
        return ""
    try:
        lines = os.fsdecode(_MOUNTS.read_bytes()).splitlines()
    except OSError:
        return ""
    kind = type_of(os.fspath(folder), lines)
    return kind if kind in _SILENT else ""


def type_of(folder: str, mounts: list[str]) -> str:
    """The type of the innermost mount above a folder, by the lines of ``mountinfo``; see proc(5)."""
    best = kind = ""
    for line in mounts:
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not after:
            continue
        point = _unescaped(fields[4])
        within = folder == point or folder.startswith(point.rstrip("/") + "/")
        if within and len(point) >= len(best):  # of two on one point, the later one covers the other
            best, kind = point, after.split(" ")[0]
    return kind


def _unescaped(text: str) -> str:
    """Space, tab, line feed and backslash are written as octal numbers."""
    for code in ("040", "011", "012", "134"):
        text = text.replace(f"\\{code}", chr(int(code, 8)))
    return text
