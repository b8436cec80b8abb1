"""Builds and describes file trees for the engine suite: what Node cannot set or see (extended attributes, FIFOs,
nanosecond times, names that are not UTF-8). Independent of the programs under test, so that it can judge them.

    tree.py build ROOT      entries on standard input, one JSON object a line
    tree.py describe ROOT   one JSON object a line on standard output, the root first, sorted by path
    tree.py digest ROOT     count and hash of that description, for trees too large to compare line by line
    tree.py many ROOT N     N small files, a thousand to a folder
"""

import base64
import hashlib
import json
import os
import random
import socket
import stat
import sys


def raw(text):
    return base64.b64decode(text)


def write_file(path, content):
    with open(path, "wb") as out:
        if "text" in content:
            out.write(raw(content["text"]))
        elif "random" in content:
            out.write(random.Random(content["random"]["seed"]).randbytes(content["random"]["bytes"]))
        elif "sparse" in content:
            out.truncate(content["sparse"]["size"])
            for piece in content["sparse"]["pieces"]:
                out.seek(piece["offset"])
                out.write(raw(piece["text"]))


def make(path, entry):
    kind, value = next((k, entry[k]) for k in ("folder", "file", "symlink", "hardLink", "fifo", "socket") if k in entry)
    if kind == "folder":
        os.makedirs(path, exist_ok=True)
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if kind == "file":
        write_file(path, value)
    elif kind == "symlink":
        os.symlink(raw(value), path)
    elif kind == "hardLink":
        os.link(os.path.join(root, raw(value)), path, follow_symlinks=False)
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "socket":
        server = socket.socket(socket.AF_UNIX)
        server.bind(path)
        server.close()


def dress(path, entry):
    is_link = os.path.islink(path)
    if "uid" in entry or "gid" in entry:
        os.lchown(path, entry.get("uid", -1), entry.get("gid", -1))
    if "mode" in entry and not is_link:
        os.chmod(path, entry["mode"])
    for name, value in entry.get("xattrs", {}).items():
        os.setxattr(path, name, raw(value), follow_symlinks=False)


def set_time(path, entry):
    if "mtime" in entry:
        time = int(entry["mtime"])
        os.utime(path, ns=(time, time), follow_symlinks=False)


def build():
    os.makedirs(root, exist_ok=True)
    entries = [json.loads(line) for line in sys.stdin if line.strip()]
    placed = [(os.path.join(root, raw(e["path"])) if e["path"] else root, e) for e in entries]
    for step in (make, dress):
        for path, entry in placed:
            step(path, entry)
    for path, entry in reversed(placed):
        set_time(path, entry)


def content_hash(path):
    digest = hashlib.sha256()
    with open(path, "rb") as source:
        while chunk := source.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


KINDS = {
    stat.S_IFDIR: "folder",
    stat.S_IFREG: "file",
    stat.S_IFLNK: "symlink",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
}


first_name = {}


def look(path, relative):
    info = os.lstat(path)
    kind = KINDS.get(stat.S_IFMT(info.st_mode), "other")
    entry = {
        "path": relative.decode("utf-8", "backslashreplace"),
        "kind": kind,
        "uid": info.st_uid,
        "gid": info.st_gid,
        "mtime": str(info.st_mtime_ns),
    }
    if kind != "symlink":
        entry["mode"] = oct(stat.S_IMODE(info.st_mode))[2:]
    else:
        entry["target"] = os.readlink(path).decode("utf-8", "backslashreplace")
    if kind == "file":
        entry["size"] = info.st_size
        entry["sha256"] = content_hash(path)
    attributes = {
        name: base64.b64encode(os.getxattr(path, name, follow_symlinks=False)).decode()
        for name in sorted(os.listxattr(path, follow_symlinks=False))
    }
    if attributes:
        entry["xattrs"] = attributes
    if info.st_nlink > 1 and kind != "folder":
        entry["sameAs"] = first_name.setdefault((info.st_dev, info.st_ino), entry["path"])
    # Not compared by itself: how much a file occupies depends on the file system.
    allocated = info.st_blocks * 512 if kind == "file" else 0
    return entry, allocated


def describe(path, relative=b""):
    try:
        found = look(path, relative)
        names = sorted(os.listdir(path)) if found[0]["kind"] == "folder" else []
    except FileNotFoundError:
        if path == root:
            raise
        return  # A workload that is at work removed it after its folder was read.
    yield found
    for name in names:
        yield from describe(os.path.join(path, name), os.path.join(relative, name))


def many(count):
    for i in range(count):
        folder = os.path.join(root, b"%06d" % (i // 1000))
        if i % 1000 == 0:
            os.makedirs(folder)
        with open(os.path.join(folder, b"%03d" % (i % 1000)), "wb") as out:
            out.write(b"file %d\n" % i)


root = os.fsencode(sys.argv[2])
command = sys.argv[1]
sys.setrecursionlimit(10_000)
if command == "build":
    build()
elif command == "describe":
    for entry, allocated in describe(root):
        print(json.dumps({**entry, "allocated": allocated}))
elif command == "digest":
    total, seen = hashlib.sha256(), 0
    for entry, _ in describe(root):
        total.update(json.dumps(entry).encode())
        seen += 1
    print(json.dumps({"entries": seen, "sha256": total.hexdigest()}))
elif command == "many":
    many(int(sys.argv[3]))
