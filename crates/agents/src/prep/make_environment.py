"""Makes a virtual environment with pip in it.

Run by the interpreter that the environment is for, with its folder and `own` or `system`: whether it sees the packages
of the system. `python -m venv` starts pip to install pip, which takes longer than many a project's own installation.
Here the same wheel is unpacked, and pip compiles what it uses of itself when it is first used. Whatever is unusual
about an interpreter is left to `python -m venv`.
"""

import glob
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile

folder, sees_system = os.path.abspath(sys.argv[1]), sys.argv[2] == "system"


def wheel():
    """The wheel of pip that came with the interpreter, or that the system has in its place."""
    import ensurepip

    bundled = os.path.join(os.path.dirname(ensurepip.__file__), "_bundled")
    for place in [sysconfig.get_config_var("WHEEL_PKG_DIR"), bundled]:
        found = sorted(glob.glob(os.path.join(place, "pip-*.whl"))) if place else []
        if found:
            return found[-1]
    raise FileNotFoundError("no wheel of pip")


def unpack_pip():
    venv.create(folder, system_site_packages=sees_system, symlinks=True)
    python = os.path.join(folder, "bin", "python")
    asked = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = subprocess.run(asked, stdout=subprocess.PIPE, check=True, cwd="/").stdout.decode().strip()
    with zipfile.ZipFile(wheel()) as packed:
        packed.extractall(site)
    sys.path.insert(0, site)
    from pip._vendor.distlib.scripts import ScriptMaker

    maker = ScriptMaker(None, os.path.join(folder, "bin"))
    maker.executable = python
    maker.variants = {""}
    maker.set_mode = True
    major, minor = sys.version_info[:2]
    for name in ["pip", f"pip{major}", f"pip{major}.{minor}"]:
        maker.make(f"{name} = pip._internal.cli.main:main")
    subprocess.run([os.path.join(folder, "bin", "pip"), "--version"], stdout=subprocess.DEVNULL, check=True, cwd="/")


try:
    unpack_pip()
except Exception as error:
    print(f"pip could not be unpacked ({error}); installing it", file=sys.stderr)
    venv.create(folder, system_site_packages=sees_system, symlinks=True, with_pip=True, clear=True)
