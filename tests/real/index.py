# SPDX-License-Identifier: Apache-2.0
"""A package index on this machine, of a folder of wheels, for tools that take no folder.

Serves the simple API (PEP 503) with hashes and with the metadata of each wheel beside it (PEP 658),
so that a tool which only resolves reads no wheel.
"""

import contextlib
import functools
import hashlib
import html
import http.server
import pathlib
import re
import shutil
import threading
import zipfile


def normalized(name):
    return re.sub(r"[-_.]+", "-", name).lower()


@functools.cache
def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@functools.cache
def metadata(path):
    with zipfile.ZipFile(path) as wheel:
        [name] = [name for name in wheel.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", name)]
        return wheel.read(name)


class Handler(http.server.BaseHTTPRequestHandler):
    """One request; the server knows the wheels."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def page(self, links):
        text = "".join(f"<a {attributes}>{html.escape(name)}</a><br>\n" for name, attributes in links)
        self.answer(f"<!DOCTYPE html><html><body>\n{text}</body></html>\n".encode(), "text/html")

    def do_GET(self):  # pylint: disable=invalid-name
        wheels = self.server.wheels
        parts = self.path.strip("/").split("/")
        if parts == ["simple"]:
            return self.page((name, f'href="/simple/{name}/"') for name in sorted(wheels))
        if len(parts) == 2 and parts[0] == "simple" and parts[1] in wheels:
            return self.page(
                (path.name, f'href="/files/{path.name}#sha256={digest(path)}" data-core-metadata='
                 f'"sha256={hashlib.sha256(metadata(path)).hexdigest()}"') for path in wheels[parts[1]])
        if len(parts) == 2 and parts[0] == "files":
            name = parts[1].removesuffix(".metadata")
            for path in wheels.get(normalized(name.split("-")[0]), []):
                if path.name == name and parts[1] != name:
                    return self.answer(metadata(path), "text/plain")
                if path.name == name:
                    return self.send_wheel(path)
        return self.send_error(404)

    do_HEAD = do_GET

    def send_wheel(self, path):
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(path.stat().st_size))
        self.end_headers()
        if self.command == "GET":
            with open(path, "rb") as file, contextlib.suppress(ConnectionError):
                shutil.copyfileobj(file, self.wfile, 1 << 20)


def write_empty_wheel(folder, name, version):
    """A wheel of nothing, for what is only required on other systems: tools resolve for all."""
    stem = f"{name.replace('-', '_')}-{version}"
    with zipfile.ZipFile(pathlib.Path(folder) / f"{stem}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{stem}.dist-info/METADATA",
                       f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel.writestr(f"{stem}.dist-info/WHEEL",
                       "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{stem}.dist-info/RECORD", "")


@contextlib.contextmanager
def served(*folders):
    """The address of the index, for as long as the block lasts."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.wheels = {}
    for path in sorted(path for folder in folders for path in pathlib.Path(folder).glob("*.whl")):
        server.wheels.setdefault(normalized(path.name.split("-")[0]), []).append(path)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/simple/"
    finally:
        server.shutdown()
        server.server_close()
