"""Gives a run's virtual environment what the user's interpreter has and the project does not declare.

Run by the user's interpreter, with the environment and `declared` or `undeclared`. Nothing outside of the
environment is changed. A project that declares dependencies gets no more than pytest and its plugins: anything
else could hide a dependency that it forgot to declare, or bring an installed copy of the project itself.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib import metadata

venv, declared = sys.argv[1], sys.argv[2] == "declared"
python = os.path.join(venv, "bin", "python")


def ask(code):
    done = subprocess.run([python, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/")
    return done.stdout.decode().strip() if done.returncode == 0 else None


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def family():
    """pytest, its plugins, and all that they need."""
    known = {}
    for dist in metadata.distributions():
        if dist.metadata["Name"]:
            known.setdefault(normal(dist.metadata["Name"]), dist)
    wanted = ["pytest"]
    for name, dist in known.items():
        is_plugin = any(point.group == "pytest11" for point in dist.entry_points)
        is_editable = '"editable"' in (dist.read_text("direct_url.json") or "")
        if is_plugin and not is_editable:
            wanted.append(name)
    seen = {}
    while wanted:
        name = wanted.pop()
        if name in seen or name not in known:
            continue
        seen[name] = known[name]
        for requirement in known[name].requires or []:
            if "extra" not in requirement.partition(";")[2]:
                wanted.append(normal(re.match(r"[\w.-]+", requirement).group()))
    return seen.values()


def copy(source, target):
    if os.path.exists(target) or not os.path.exists(source):
        return
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.isdir(source):
        shutil.copytree(source, target)
    else:
        shutil.copy2(source, target)


def borrow(site):
    for dist in family():
        if dist.files is None:
            # A package of the system, which has no list of files.
            names = (dist.read_text("top_level.txt") or dist.metadata["Name"].replace("-", "_")).split()
            names += [name + ".py" for name in names]
        else:
            names = [str(file) for file in dist.files if ".." not in file.parts and file.suffix != ".pth"]
        for name in names:
            copy(str(dist.locate_file(name)), os.path.join(site, name))


site = ask("import sysconfig; print(sysconfig.get_path('purelib'))")
if site is None:
    sys.exit("the environment has no interpreter")
if not declared and sys.prefix != sys.base_prefix:
    # Behind all others by its name; and files of this kind that lie there do not count.
    with open(os.path.join(site, "zz_user_packages.pth"), "w") as file:
        file.write(sysconfig.get_path("purelib") + "\n")
if declared and ask("import pytest") is None:
    borrow(site)
script = os.path.join(venv, "bin", "pytest")
if not os.path.exists(script) and ask("import pytest") is not None:
    with open(script, "w") as file:
        file.write(f"#!{python}\nimport sys\n\nfrom pytest import console_main\n\nsys.exit(console_main())\n")
    os.chmod(script, 0o755)
