"""Runs a command with BASHCELL_TEST_PIP_INDEX: the URL of an index of Python packages on loopback, with a wheel of
opencv-python-headless (a stand-in, made here) and only a source of PyYAML."""
import functools
import http.server
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import threading
import zipfile

FILES = {
    "cv2.py": "answer = 42\n\n\ndef main():\n    print('from a script')\n",
    "opencv_python_headless-9.9.dist-info/METADATA": "Metadata-Version: 2.1\nName: opencv-python-headless\nVersion: 9.9\n",
    "opencv_python_headless-9.9.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "opencv_python_headless-9.9.dist-info/entry_points.txt": "[console_scripts]\nask-cv2 = cv2:main\n",
}
SOURCE = "import os; open('/workspace/out/built', 'w')\n"


def make_index(folder):
    for name in ("opencv-python-headless", "pyyaml"):
        os.makedirs(f"{folder}/simple/{name}")
    with zipfile.ZipFile(f"{folder}/opencv_python_headless-9.9-py3-none-any.whl", "w") as wheel:
        for name, text in FILES.items():
            wheel.writestr(name, text)
        record = "".join(f"{name},,\n" for name in FILES) + "opencv_python_headless-9.9.dist-info/RECORD,,\n"
        wheel.writestr("opencv_python_headless-9.9.dist-info/RECORD", record)
    with tarfile.open(f"{folder}/PyYAML-9.9.tar.gz", "w:gz") as source:
        entry = tarfile.TarInfo("PyYAML-9.9/setup.py")
        entry.size = len(SOURCE)
        source.addfile(entry, io.BytesIO(SOURCE.encode()))
    for name, file in (("opencv-python-headless", "opencv_python_headless-9.9-py3-none-any.whl"), ("pyyaml", "PyYAML-9.9.tar.gz")):
        with open(f"{folder}/simple/{name}/index.html", "w", encoding="ascii") as page:
            page.write(f"<!DOCTYPE html><html><body><a href='/{file}'>{file}</a></body></html>")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def main():
    with tempfile.TemporaryDirectory() as folder:
        make_index(folder)
        handler = functools.partial(Quiet, directory=folder)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            environment = dict(os.environ, BASHCELL_TEST_PIP_INDEX=f"http://127.0.0.1:{server.server_port}/simple/")
            code = subprocess.run(sys.argv[1:], env=environment, check=False).returncode
            server.shutdown()
    return code


if __name__ == "__main__":
    sys.exit(main())
