"""Makes wheels of the distributions that Debian's python3-* packages hold: run in a root where these are installed.

    python3 make_wheels.py FOLDER NAME...

A stand-in for what the Python index has, where only Debian's servers are reached: metadata, entry points and
requirements are those of the distribution; libraries that a minimal root lacks go into the wheel, as in those of the
index. What a distribution requires is made, too. Takes patchelf.
"""

import base64
import hashlib
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

from pip._vendor.packaging.requirements import Requirement

SITE = "/usr/lib/python3/dist-packages"
MORE_PACKAGES = {"pandas": ["python3-pandas-lib"]}
# name -> a folder of data that Debian keeps elsewhere, where it belongs in the wheel, and expressions in the module
# beside it that lead there instead
DATA = {"matplotlib": ("/usr/share/matplotlib/mpl-data", "matplotlib/mpl-data", {
    "'/usr/share/matplotlib/mpl-data'": 'str(Path(__file__).with_name("mpl-data"))',
    "'/etc/matplotlibrc'": 'str(Path(__file__).with_name("mpl-data") / "matplotlibrc")'})}
# Debian's copies do not say it themselves.
REQUIRES = {
    "beautifulsoup4": ["soupsieve"], "jinja2": ["MarkupSafe"], "openpyxl": ["et-xmlfile"],
    "pandas": ["numpy", "python-dateutil", "pytz"], "python-dateutil": ["six"], "python-docx": ["lxml"],
    "matplotlib": ["contourpy", "cycler", "fonttools", "kiwisolver", "numpy", "packaging", "pillow", "pyparsing",
                   "python-dateutil"],
    "requests": ["certifi", "chardet", "charset-normalizer", "idna", "urllib3"], "scipy": ["numpy"], "sympy": ["mpmath"],
}
BASE_LIBRARIES = re.compile(r"/(libc|libm|libdl|libpthread|librt|libutil|ld-linux[^/]*|libgcc_s|libstdc\+\+|libz|libbz2|liblzma|"
                            r"libexpat|libffi|libssl|libcrypto|libuuid|libcrypt|libzstd)[-.][^/]*$")


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def requirements_of(distribution):
    return [*(distribution.requires or []), *REQUIRES.get(canonical(distribution.metadata["Name"]), [])]


def files_of(distribution):
    """Paths below SITE that the Debian packages of the distribution hold."""
    metadata = str(distribution._path)
    owner = subprocess.run(["dpkg", "-S", metadata], capture_output=True, text=True, check=True).stdout.split(":")[0]
    packages = [owner, *MORE_PACKAGES.get(canonical(distribution.metadata["Name"]), [])]
    lines = subprocess.run(["dpkg", "-L", *packages], capture_output=True, text=True, check=True).stdout.splitlines()
    inside = [line[len(SITE) + 1:] for line in lines if line.startswith(SITE + "/")]
    return sorted(path for path in set(inside) if not re.search(r"\.(egg|dist)-info|__pycache__|/tests?(/|$)", path))


def copy_files(distribution, tree):
    for path in files_of(distribution):
        source, target = os.path.join(SITE, path), os.path.join(tree, path)
        if os.path.isfile(source):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(source, target)
    name = canonical(distribution.metadata["Name"])
    if name in DATA:
        source, place, expressions = DATA[name]
        shutil.copytree(source, os.path.join(tree, place))
        with open(os.path.join(tree, os.path.dirname(place), "__init__.py"), "r+", encoding="utf-8") as file:
            text = file.read()
            for old, new in expressions.items():
                text = text.replace(old, new)
            file.seek(0)
            file.write(text)
            file.truncate()


def libraries_of(path):
    """name -> path of the libraries that the dynamic linker finds for a file."""
    text = subprocess.run(["ldd", path], capture_output=True, text=True).stdout
    return {name: found for name, found in re.findall(r"^\s*(\S+) => (/\S+)", text, re.M) if not BASE_LIBRARIES.search(found)}


def bundle_libraries(tree, name):
    """True when there is anything for one kind of machine only."""
    modules = [os.path.join(folder, file) for folder, _, files in os.walk(tree) for file in files if file.endswith(".so")]
    folder = os.path.join(tree, name.replace("-", "_") + ".libs")
    for module in modules:
        found = libraries_of(module)
        for library, source in found.items():
            os.makedirs(folder, exist_ok=True)
            target = os.path.join(folder, library)
            if not os.path.exists(target):
                shutil.copy(os.path.realpath(source), target)
                subprocess.run(["patchelf", "--set-rpath", "$ORIGIN", target], check=True)
        if found:
            place = "$ORIGIN/" + os.path.relpath(folder, os.path.dirname(module))
            subprocess.run(["patchelf", "--set-rpath", place, module], check=True)
    return bool(modules)


def write_metadata(distribution, tree, stem, tag):
    folder = os.path.join(tree, stem + ".dist-info")
    os.makedirs(folder)
    text = next(filter(None, map(distribution.read_text, ("METADATA", "PKG-INFO", ""))))  # "": it is one file
    head, gap, rest = text.partition("\n\n")
    if "\nRequires-Dist:" not in head:
        head = head.rstrip("\n") + "".join(f"\nRequires-Dist: {line}" for line in requirements_of(distribution))
    points = distribution.read_text("entry_points.txt")
    pure = "true" if tag == "py3-none-any" else "false"
    wheel = f"Wheel-Version: 1.0\nGenerator: make_wheels\nRoot-Is-Purelib: {pure}\nTag: {tag}\n"
    for name, content in (("METADATA", head + gap + rest), ("entry_points.txt", points), ("WHEEL", wheel)):
        if content:
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(content)


def pack(tree, stem, tag, folder):
    record = stem + ".dist-info/RECORD"
    lines = []
    with zipfile.ZipFile(os.path.join(folder, f"{stem}-{tag}.whl"), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for place, _, files in os.walk(tree):
            for file in sorted(files):
                path = os.path.join(place, file)
                with open(path, "rb") as content:
                    data = content.read()
                digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                lines.append(f"{os.path.relpath(path, tree)},sha256={digest},{len(data)}")
                archive.write(path, os.path.relpath(path, tree))
        archive.writestr(record, "\n".join([*lines, f"{record},,"]) + "\n")


def make(name, folder):
    """Makes one wheel, and returns the names of what it requires."""
    distribution = importlib.metadata.distribution(name)
    with tempfile.TemporaryDirectory() as tree:
        copy_files(distribution, tree)
        title = canonical(distribution.metadata["Name"])
        tag = "py3-none-any"
        if bundle_libraries(tree, title):
            tag = "cp{0}{1}-cp{0}{1}-linux_{2}".format(*sys.version_info[:2], os.uname().machine)
        stem = f"{title.replace('-', '_')}-{distribution.version}"
        write_metadata(distribution, tree, stem, tag)
        pack(tree, stem, tag, folder)
    requirements = [Requirement(line) for line in requirements_of(distribution)]
    return [r.name for r in requirements if r.marker is None or r.marker.evaluate({"extra": ""})]


def main():
    folder, *names = sys.argv[1:]
    done = set()
    while names:
        name = canonical(names.pop())
        if name not in done:
            done.add(name)
            try:
                names += make(name, folder)
            except importlib.metadata.PackageNotFoundError:
                print(f"not installed: {name}", file=sys.stderr)
    print(len(done), "wheels")


if __name__ == "__main__":
    main()
