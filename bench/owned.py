# SPDX-License-Identifier: Apache-2.0
"""A generated environment whose lists have hashes: 200 distributions, 60,000 rows, two of them over
each other; and the peers that read the same lists and hash the same files."""

import base64
import hashlib
import pathlib
import subprocess

DISTRIBUTIONS, ROWS = 200, 300
SMALL, LARGE = 2048, 4 << 20  # bytes of a module, and of the one library of each distribution


def hash_of(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def write_list(site, name, rows):
    info = site / f"{name}-1.0.dist-info"
    info.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n\n".encode()
    (info / "METADATA").write_bytes(metadata)
    own = [f"{name}-1.0.dist-info/METADATA,{hash_of(metadata)},{len(metadata)}",
           f"{name}-1.0.dist-info/RECORD,,"]
    (info / "RECORD").write_text("\n".join(rows + own) + "\n", encoding="utf-8")


def make_environment(folder):
    """The environment; its last distribution overwrote half of the one before."""
    folder = pathlib.Path(folder)
    subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", str(folder)], check=True)
    site = next((folder / "lib").glob("python3*")) / "site-packages"
    module, library = b"# a module\n" * (SMALL // 11), bytes(range(256)) * (LARGE // 256)
    said_of_module, said_of_library = hash_of(module), hash_of(library)
    for number in range(DISTRIBUTIONS - 1):
        name = f"package{number}"
        (site / name / "core").mkdir(parents=True)
        (site / name / "data.bin").write_bytes(library)
        rows = [f"{name}/data.bin,{said_of_library},{len(library)}"]
        for at in range(ROWS - 3):
            path = f"{name}/core/module_with_a_name_{at}.py"
            (site / path).write_bytes(module)
            rows.append(f"{path},{said_of_module},{len(module)}")
        write_list(site, name, rows)
    # The same paths with another content, which never came.
    lost = [row.split(",")[0] + f",{hash_of(b'another')},7" for row in rows[: ROWS // 2]]
    write_list(site, f"package{DISTRIBUTIONS}", lost + rows[ROWS // 2:])
    return folder


READ_LISTS = """
import importlib.metadata, sys
rows = 0
for distribution in importlib.metadata.distributions(path=sys.argv[1:]):
    rows += len(distribution.files or [])
print(rows)
"""


def files_of(folder):
    """The files that a full comparison reads, as one list for `xargs -0`."""
    return [str(path) for path in sorted(folder.rglob("*"))
            if path.is_file() and not path.is_symlink() and path.name != "RECORD"
            and "site-packages" in path.parts]
