# SPDX-License-Identifier: Apache-2.0
"""Wheels of any content, packed as Python's zipfile packs them, or worse."""

import base64
import hashlib
import io
import struct
import warnings
import zipfile

NEVER = (1980, 1, 1, 0, 0, 0)
NOTHING = b"sha256=" + base64.urlsafe_b64encode(hashlib.sha256(b"").digest()).rstrip(b"=")


class Pipe(io.RawIOBase):
    """A stream that cannot seek: sizes come behind the data, in descriptors."""

    def __init__(self):
        super().__init__()
        self.data = bytearray()

    def writable(self):
        return True

    def write(self, data):
        self.data += data
        return len(data)


def packed(members, method=zipfile.ZIP_DEFLATED, stream=False, zip64=False, comment=b"", flags=0):
    """The archive of [(name, bytes)]."""
    out = Pipe() if stream else io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", method) as archive:
        warnings.simplefilter("ignore")  # of names that occur twice
        for name, data in members:
            info = zipfile.ZipInfo(name, NEVER)
            info.compress_type = method
            with archive.open(info, "w", force_zip64=zip64) as member:
                member.write(data)
        archive.comment = comment
    data = bytearray(out.data if stream else out.getvalue())
    if flags:
        for at in entries(data):
            data[at + 8:at + 10] = struct.pack("<H", flags)
    return bytes(data)


def entries(data):
    """Offsets of the entries of the directory."""
    at = bytes(data).find(b"PK\1\2")
    while at >= 0:
        yield at
        at = bytes(data).find(b"PK\1\2", at + 4)


def with_zip64_end(data):
    """The same archive, whose end is that of zip64."""
    at = data.rindex(b"PK\5\6")
    count, size, begin = struct.unpack("<HII", data[at + 10:at + 20])
    record = b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, count, count, size, begin)
    locator = b"PK\6\7" + struct.pack("<IQI", 0, at, 1)
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 0xffff, 0xffff, 0xffffffff, 0xffffffff, 0)
    return data[:at] + record + locator + end


def members(name, version, files, requires=(), metadata=None, record=None, wheel=b"Wheel-Version: 1.0\n"):
    """[(name, bytes)] of a wheel that is right, or has these files in the place of the right ones."""
    info = f"{name}-{version}.dist-info/"
    head = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    head += "".join(f"Requires-Dist: {line}\n" for line in requires)
    rows = [*files, (info + "METADATA", metadata if metadata is not None else head.encode()),
            (info + "WHEEL", wheel)]
    if record is None:
        record = b"".join(path.encode() + b",sha256=" +
                          base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=") +
                          f",{len(data)}\n".encode() for path, data in rows)
        record += info.encode() + b"RECORD,,\n"
    return [*rows, (info + "RECORD", record)]


def onnxruntime(build, **more):
    """A wheel of the family, `cpu` or `gpu`; they differ in one file."""
    name = "onnxruntime" if build == "cpu" else "onnxruntime_gpu"
    files = [("onnxruntime/__init__.py", b"same"), ("onnxruntime/capi/onnxruntime_pybind11_state.so", build.encode())]
    if build == "gpu":
        files.append(("onnxruntime/capi/libonnxruntime_providers_cuda.so", b"provider"))
    return members(name, "1.24.4", files, **more)
