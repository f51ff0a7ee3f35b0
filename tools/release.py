"""``make release``: build the sdist and the wheel, check them, and tag the commit. Nothing is uploaded.

The version is that of pyproject.toml. It must be that of ``clew.__version__`` and of the newest entry of CHANGELOG.md,
which must have a date. The tree must be clean, since the tag names the commit. ``--build FOLDER`` builds and checks
what is there, without those conditions and without a tag.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BACKEND = "import sys; from setuptools import build_meta as made; print(getattr(made, sys.argv[1])(sys.argv[2]))"
#: Parts of an installation that are no Python modules.
DATA = ("py.typed", "datasets/debian12.parquet", "reporting/templates/page.html", "algorithms/bfs/bfs.cuh")


def main(arguments: list[str]) -> int:
    """Build and check; tag, unless --build is given."""
    if arguments[:1] == ["--build"]:
        print(*built(Path(arguments[1])), sep="\n")
        return 0
    version = project()["version"]
    if troubles := list(why_not(version)):
        print(*(f"not released: {trouble}" for trouble in troubles), sep="\n", file=sys.stderr)
        return 1
    files = built(ROOT / "dist")
    git("tag", "--annotate", f"v{version}", "--message", f"clew {version}")
    print(f"Tagged v{version}. Upload nothing before you have tried these:", *files, sep="\n  ")
    return 0


def project() -> dict[str, str]:
    """The project's table in pyproject.toml."""
    found: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def why_not(version: str) -> list[str]:
    """The reasons not to release this version, as sentences."""
    troubles = []
    written = re.search(r'^__version__ = "(.+)"$', (ROOT / "src/clew/__init__.py").read_text(encoding="utf-8"), re.M)
    if written is None or written[1] != version:
        troubles.append(f"clew.__version__ is not {version}, which pyproject.toml has.")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    entries = re.findall(r"^## \[(.+?)\](?: - (\d{4}-\d\d-\d\d))?$", changes, re.M)
    newest = next((entry for entry in entries if entry[0] != "Unreleased"), ("", ""))
    if newest[0] != version or not newest[1]:
        troubles.append(f"the newest entry of CHANGELOG.md is {newest[0]!r}; expected {version} with its date.")
    if git("status", "--porcelain"):
        troubles.append("the tree has changes that are not committed.")
    if git("tag", "--list", f"v{version}"):
        troubles.append(f"there is a tag v{version} already; raise the version.")
    return troubles


def built(folder: Path) -> tuple[Path, Path]:
    """The sdist, and the wheel made from it, both checked."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="clew-build-") as name:
        tools, source = Path(name) / "venv", Path(name) / "source"
        subprocess.run([sys.executable, "-m", "venv", str(tools)], check=True)
        python = tools / "bin" / "python"
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "setuptools>=77"]
        subprocess.run(install, check=True)
        copied = git("ls-files", "--cached", "--others", "--exclude-standard").splitlines()
        for part in (line for line in copied if (ROOT / line).is_file()):
            (source / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / part, source / part)
        sdist = folder / made(python, source, "build_sdist", folder)
        with tarfile.open(sdist) as archive:
            archive.extractall(name, filter="data")
        wheel = folder / made(python, Path(name) / sdist.name.removesuffix(".tar.gz"), "build_wheel", folder)
    check(wheel)
    return sdist, wheel


def made(python: Path, source: Path, what: str, folder: Path) -> str:
    """The name of the file that the build backend makes."""
    command = [str(python), "-c", BACKEND, what, str(folder.resolve())]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{what} failed:\n{done.stderr}")
    return done.stdout.split()[-1]


def check(wheel: Path) -> None:
    """Stop if a wheel lacks something, or has what users do not need."""
    names = zipfile.ZipFile(wheel).namelist()
    modules = {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src").rglob("*.py")}
    missing = sorted((modules | {f"clew/{part}" for part in DATA}) - set(names))
    foreign = [name for name in names if not name.startswith(("clew/", "_clew_nx/", "clew-")) or "__pycache__" in name]
    if missing or foreign:
        raise SystemExit(f"{wheel.name}: missing {missing[:5]}, not wanted {foreign[:5]}")


def git(*arguments: str) -> str:
    """What git says."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
