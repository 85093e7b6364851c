"""Build backend (PEP 517) that puts libcscg.so into a wheel.

It needs only the standard library, so that a wheel is built offline:

    make wheel                                # or
    python3 cscg_build.py DIRECTORY           # with the library in ../../build

CSCG_LIBRARY names another library.  The same sources give the same bytes.
"""

import base64
import hashlib
import os
import re
import sys
import sysconfig
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
EPOCH = (1980, 1, 1, 0, 0, 0)


def version():
    with open(os.path.join(HERE, "..", "..", "Makefile")) as f:
        return re.search(r"^VERSION = (\S+)", f.read(), re.M).group(1)


def library():
    path = os.environ.get("CSCG_LIBRARY") or \
        os.path.join(HERE, "..", "..", "build", "libcscg.so")
    if not os.path.exists(path):
        sys.exit("cscg_build: no '%s': run make first" % path)
    return path


def contents():
    """Names in the wheel and their bytes."""
    name = "cscg-%s.dist-info" % version()
    platform = re.sub("[-.]", "_", sysconfig.get_platform())
    tag = "py3-none-" + platform
    files = []
    package = os.path.join(HERE, "cscg")
    for f in sorted(os.listdir(package)):
        if f.endswith((".py", ".typed")):
            with open(os.path.join(package, f), "rb") as g:
                files.append(("cscg/" + f, g.read()))
    with open(library(), "rb") as g:
        files.append(("cscg/libcscg.so", g.read()))
    with open(os.path.join(HERE, "..", "..", "LICENSE"), "rb") as g:
        files.append((name + "/LICENSE", g.read()))
    files.append((name + "/METADATA", (
        "Metadata-Version: 2.1\nName: cscg\nVersion: %s\nSummary: Learn "
        "latent graphs from actions and aliased observations\n"
        "Requires-Python: >=3.8\nRequires-Dist: numpy\n"
        % version()).encode()))
    files.append((name + "/WHEEL", (
        "Wheel-Version: 1.0\nGenerator: cscg_build\n"
        "Root-Is-Purelib: false\nTag: %s\n" % tag).encode()))
    record = ""
    for path, data in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
        record += "%s,sha256=%s,%d\n" % (
            path, digest.rstrip(b"=").decode(), len(data))
    record += name + "/RECORD,,\n"
    files.append((name + "/RECORD", record.encode()))
    return files, "cscg-%s-%s.whl" % (version(), tag)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files, name = contents()
    os.makedirs(wheel_directory, exist_ok=True)
    path = os.path.join(wheel_directory, name)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for file, data in files:
            info = zipfile.ZipInfo(file, EPOCH)
            info.external_attr = (0o755 if file.endswith(".so") else
                                  0o644) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(info, data)
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the source of cscg is that of the toolkit")


if __name__ == "__main__":
    print(os.path.join(sys.argv[1], build_wheel(sys.argv[1])))
