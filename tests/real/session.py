# SPDX-License-Identifier: Apache-2.0
"""What the real runtime does in a state: a session of one Add node, the classic guard, the driver.

A machine without a GPU shows two ends of a session that asks for the CUDA provider. The provider
cannot be loaded: stderr names what was missing first. Or it was loaded, and only then a CUDA call
failed: stdout says so. Both end with exit status 0, on the CPU.
"""

import dataclasses
import json
import os
import pathlib
import re
import subprocess

DRIVER = "libcuda.so.1"

CHILD = r"""
import json, sys
steps = json.loads(sys.argv[1])
import onnxruntime
if "preload" in steps:
    onnxruntime.preload_dlls()
session = onnxruntime.InferenceSession(bytes.fromhex(sys.argv[2]),
    providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
print(json.dumps({"listed": onnxruntime.get_available_providers(), "got": session.get_providers(),
                  "mapped": sorted({line.split(None, 5)[5].strip()
                                    for line in open("/proc/self/maps") if ".so" in line})}))
"""

CUDNN_CHILD = r"""
import ctypes, sys
cudnn = ctypes.CDLL(sys.argv[1])
for name in sys.argv[2:]:
    print(name, getattr(cudnn, name)(), flush=True)
"""


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def field(number, value):
    """One field of a protocol buffer: a number, a text or a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def add_model():
    """An ONNX model that adds two vectors of one float (IR version 8, operator set 13)."""
    shape = field(1, field(1, 1))
    tensor = field(2, field(1, field(1, 1) + field(2, shape)))
    node = field(1, "x") + field(1, "y") + field(2, "z") + field(4, "Add")
    graph = (field(1, node) + field(2, "add") + field(11, field(1, "x") + tensor)
             + field(11, field(1, "y") + tensor) + field(12, field(1, "z") + tensor))
    return field(1, 8) + field(8, field(1, "") + field(2, 13)) + field(7, graph)


def clean_environment(folders=(), **variables):
    """The variables of a child: nothing of the caller's counts."""
    clean = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1"}
    if folders:
        clean["LD_LIBRARY_PATH"] = ":".join(str(folder) for folder in folders)
    return {**clean, **variables}


@dataclasses.dataclass
class Outcome:
    """How a session ended."""

    kind: str  # "not loaded", "loaded" (a CUDA call failed after that), "import failed", "crash"
    library: str = ""  # the library that the error text names
    symbol: str = ""  # the symbol that it names
    failure: int = 0  # the number of the CUDA failure
    listed: tuple = ()  # get_available_providers()
    got: tuple = ()  # get_providers() of the session
    mapped: tuple = ()  # the libraries in the process at its end
    text: str = ""


def judged(done):
    """The outcome that the text of a finished child tells."""
    text = done.stdout + done.stderr
    library = re.search(r"(lib[\w.+-]+): cannot open shared object file", done.stderr)
    symbol = re.search(r"undefined symbol: (\w+)", done.stderr)
    named = {"library": library.group(1) if library else "",
             "symbol": symbol.group(1) if symbol else "", "text": text}
    if done.returncode != 0:
        failed = "ImportError" in done.stderr
        return Outcome("import failed" if failed else "crash", **named)
    answer = json.loads(done.stdout.splitlines()[-1])
    failure = re.search(r"CUDA failure (\d+)", done.stdout)
    if failure:
        kind = "loaded"
    elif "Failed to load library" in done.stderr or named["library"] or named["symbol"]:
        kind = "not loaded"
    else:
        kind = "unexplained"
    return Outcome(kind, failure=int(failure.group(1)) if failure else 0,
                   listed=tuple(answer["listed"]), got=tuple(answer["got"]),
                   mapped=tuple(answer["mapped"]), **named)


def run_session(state, folders=(), preload=False, cwd="/", **variables):
    """Runs the session with the state's own interpreter, in a child process."""
    steps = json.dumps(["preload"] if preload else [])
    done = subprocess.run([str(state.python), "-I", "-c", CHILD, steps, add_model().hex()],
                          env=clean_environment(folders, **variables), cwd=cwd, check=False,
                          capture_output=True, text=True, timeout=120)
    return judged(done)


def not_found(file, folders=(), ldd_options=()):
    """The names that `ldd` does not find, in its order, each once."""
    done = subprocess.run(["ldd", *ldd_options, str(file)], env=clean_environment(folders),
                          cwd="/", check=False, capture_output=True, text=True, timeout=60)
    return list(dict.fromkeys(re.findall(r"^\s*(\S+) => not found", done.stdout, re.M)))


def guard_passes(state, folders=()):
    """The classic guard of image builds: ldd, fail on anything unresolved but the driver."""
    return not [name for name in not_found(state.provider, folders) if name != DRIVER]


def cudnn_answers(state, folders, *functions):
    """What functions of the real cuDNN return: {name: number}; a missing name: it aborted."""
    done = subprocess.run([str(state.python), "-I", "-c", CUDNN_CHILD,
                           str(state.library("libcudnn.so.9")), *functions],
                          env=clean_environment(folders), cwd="/", check=False,
                          capture_output=True, text=True, timeout=120)
    return {name: int(number) for name, number in re.findall(r"^(cudnn\w+) (-?\d+)$",
                                                             done.stdout, re.M)}


def undefined(file, prefix):
    """The symbols of a name's beginning that a file needs from elsewhere."""
    done = subprocess.run(["nm", "-D", "--undefined-only", str(file)], check=True,
                          capture_output=True, text=True)
    return {line.split()[-1].partition("@")[0] for line in done.stdout.splitlines()
            if line.split()[-1].startswith(prefix)}


# What 1.19.2 looks up by name while it is loaded (a static object of its driver wrapper). When the
# driver or one of these is not there, it throws before it has what throwing needs: SIGSEGV.
LOOKED_UP = """cuDeviceGetAttribute cuFuncSetAttribute cuFuncSetCacheConfig cuGetErrorName
cuLaunchCooperativeKernel cuLaunchKernel cuLinkAddData_v2 cuLinkAddFile_v2 cuLinkComplete
cuLinkCreate_v2 cuLinkDestroy cuModuleGetFunction cuModuleLoadData cuModuleUnload""".split()


def driver_symbols(state):
    """Every cu* driver function that a library of the environment binds, e.g. cuInit."""
    names = {"cuInit", "cuDriverGetVersion", "cuGetProcAddress", "cuGetProcAddress_v2", *LOOKED_UP}
    for file in [*state.capi.glob("*.so*"), *state.site.glob("nvidia/*/lib/*.so*")]:
        names |= {name for name in undefined(file, "cu") if re.match(r"cu[A-Z]", name)}
    return names


def build_stub(folder, symbols):
    """A stub libcuda.so.1 as the CUDA toolkit ships it: every function returns 34."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "stub.c"
    source.write_text("".join(f"int {name}(void) {{ return 34; }}\n" for name in sorted(symbols)),
                      encoding="utf-8")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-nostdlib", "-Wl,-soname,libcuda.so.1",
                    "-o", str(folder / DRIVER), str(source)], check=True)
    os.remove(source)
    return folder


DRIVER_SOURCE = r"""
#include <string.h>
int cuInit(unsigned flags) { (void)flags; return 100; }
int cuDriverGetVersion(int* version) { *version = 13020; return 0; }
static int no_device(void) { return 100; }
int cuGetProcAddress_v2(const char* name, void** function, int version, unsigned long long flags,
                        int* status) {
  (void)version, (void)flags;
  if (status) *status = 0;
  *function = (void*)no_device;
  if (!strcmp(name, "cuInit")) *function = (void*)cuInit;
  if (!strcmp(name, "cuDriverGetVersion")) *function = (void*)cuDriverGetVersion;
  if (!strncmp(name, "cuGetProcAddress", 16)) *function = (void*)cuGetProcAddress_v2;
  return 0;
}
int cuGetProcAddress(const char* name, void** function, int version, unsigned long long flags) {
  return cuGetProcAddress_v2(name, function, version, flags, 0);
}
"""


def build_driver(folder, symbols):
    """A driver library on a machine without a device: no stub, every call fails with 100."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "driver.c"
    known = set(re.findall(r"\b(cu[A-Z]\w+)\(", DRIVER_SOURCE))
    rest = "".join(f"int {name}(void) {{ return 100; }}\n" for name in sorted(symbols - known))
    source.write_text(DRIVER_SOURCE + rest, encoding="utf-8")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-Wl,-soname,libcuda.so.1",
                    "-o", str(folder / DRIVER), str(source)], check=True)
    os.remove(source)
    return folder
