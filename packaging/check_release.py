"""What ``make release-check`` does: builds a release and uses it as others would.

The sdist and the wheel are built and looked through; the wheel is installed into an
empty environment, where the example of the README, the demonstration and a first
selection run without the source tree; then the tests of the sdist run against it.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
# No source tree is found by accident.
ENVIRONMENT = {name: os.environ[name] for name in os.environ if name != "PYTHONPATH"}
# A first selection as somebody would type it, by the library alone.
SMOKE = """
import sys, labelsieve
assert {folder!r} in labelsieve.__file__, labelsieve.__file__
data = labelsieve.load_segments()
print(labelsieve.Sieve(12).fit(data.X, data.Y).get_support(indices=True))
assert not {{"matplotlib", "jinja2", "pandas"}} & set(sys.modules)
"""


def main(tests: str, workers: str) -> None:
    """Check everything; the first failure ends it."""
    check_words()
    check_forms()
    sdist, wheel = build()
    look_through(sdist, wheel)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = install_alone(wheel, folder)
        use_alone(python, wheel, folder)
        run_tests(python, sdist, wheel, folder, tests, workers)
    print("\nThe release is ready: dist/")


def check_words() -> None:
    """The version is the same wherever it is written."""
    source = (ROOT / "src/labelsieve/__init__.py").read_text("utf-8")
    version = re.search(r'^__version__ = "(.+)"', source, re.MULTILINE).group(1)
    for file, line in (
        ("CHANGELOG.md", f"## {version} ("),
        ("CITATION.cff", f"version: {version}\n"),
        ("packaging/conda/recipe.yaml", f'version: "{version}"\n'),
    ):
        if line not in (ROOT / file).read_text("utf-8"):
            sys.exit(f"{file} has no line {line.strip()!r}")
    print(f"version {version}")


def check_forms() -> None:
    """Workflows, issue forms and the citation are what their readers expect."""
    for schema, files in (
        ("vendor.github-workflows", ".github/workflows/*.yml"),
        ("vendor.github-issue-forms", ".github/ISSUE_TEMPLATE/[!c]*.yml"),
        ("vendor.citation-file-format", "CITATION.cff"),
    ):
        tool = Path(sys.executable).parent / "check-jsonschema"
        run(tool, "--builtin-schema", schema, *sorted(ROOT.glob(files)))


def build() -> tuple[Path, Path]:
    """Return the sdist and the wheel, made from the sdist."""
    dist = ROOT / "dist"
    for old in dist.glob("labelsieve-*"):
        old.unlink()
    run(sys.executable, "-m", "build", "--outdir", dist, ROOT)
    (sdist,), (wheel,) = dist.glob("*.tar.gz"), dist.glob("*.whl")
    for file in (sdist, wheel):
        print(f"{file.name}: {file.stat().st_size / 1000:,.0f} kB")
    return sdist, wheel


def look_through(sdist: Path, wheel: Path) -> None:
    """Metadata, contents and description are as the package index wants them."""
    tools = Path(sys.executable).parent
    run(sys.executable, "-m", "twine", "check", "--strict", sdist, wheel)
    run(tools / "check-wheel-contents", wheel)
    # 8 of 10: addresses are known only where a release is published (hatch_build.py),
    # and the authors have no common mailbox.
    run(tools / "pyroma", "--min", "8", sdist)


def install_alone(wheel: Path, folder: Path) -> Path:
    """Return the Python of a new environment that holds the wheel and its needs."""
    venv.create(folder / "env", with_pip=True)
    (python,) = [
        place
        for part in ("bin/python", "Scripts/python.exe")
        if (place := folder / "env" / part).exists()
    ]
    start = time.perf_counter()
    install(python, wheel)
    middle = time.perf_counter()
    run(python, "-c", SMOKE.format(folder=str(folder)), cwd=folder)
    end = time.perf_counter()
    print(f"pip install {middle - start:.1f} s, first selection {end - middle:.1f} s")
    return python


def use_alone(python: Path, wheel: Path, folder: Path) -> None:
    """A missing extra is named; with it the README and the demonstration work."""
    command = python.parent / "labelsieve"
    refused = subprocess.run(
        [command, "demo"], cwd=folder, env=ENVIRONMENT, capture_output=True
    )
    if b"pip install 'labelsieve[report]'" not in refused.stderr:
        sys.exit(f"labelsieve demo without extras says: {refused.stderr.decode()}")
    install(python, f"{wheel}[report]")
    readme = (ROOT / "README.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    run(python, "-c", "\n".join(blocks), cwd=folder)
    run(command, "demo", cwd=folder)
    assert (folder / "demo" / "index.html").stat().st_size > 10_000


def run_tests(
    python: Path, sdist: Path, wheel: Path, folder: Path, tests: str, workers: str
) -> None:
    """The tests of the sdist, beside no source: they see the installed wheel."""
    install(python, f"{wheel}[test]")
    shutil.unpack_archive(sdist, folder)
    (unpacked,) = folder.glob("labelsieve-*")
    run(python, "-m", "pytest", "-q", "-n", workers, *tests.split(), cwd=unpacked)


def install(python: Path, what: object) -> None:
    """Install quietly."""
    quiet = ("--quiet", "--disable-pip-version-check")
    run(python, "-m", "pip", "install", *quiet, what)


def run(*words: object, cwd: Path = ROOT) -> None:
    """Run a command; its failure ends everything."""
    print("$", *(str(word).splitlines()[0] if str(word) else "" for word in words))
    sys.stdout.flush()
    done = subprocess.run([str(word) for word in words], cwd=cwd, env=ENVIRONMENT)
    if done.returncode:
        sys.exit(done.returncode)


if __name__ == "__main__":
    main(*sys.argv[1:])
