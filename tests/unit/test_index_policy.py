"""What is kept out of the index, against git's own judgement where git has one."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from granum.index.policy import Policy, Reason
from granum.model.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

GIT_ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


def git(root: Path, *arguments: str, given: bytes = b"") -> bytes:
    done = subprocess.run(
        ["git", *arguments], cwd=root, env=GIT_ENVIRONMENT, input=given, stdout=subprocess.PIPE, check=False, timeout=60
    )
    assert done.returncode in (0, 1)
    return done.stdout


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def ignored_by_git(root: Path, paths: list[str]) -> set[str]:
    answer = git(root, "check-ignore", "--no-index", "-z", "--stdin", given="\0".join(paths).encode())
    return {path for path in answer.decode().split("\0") if path}


def left_out(root: Path, paths: list[str], configured: Settings | None = None) -> set[str]:
    policy = Policy.load(root, configured or Settings())
    return {path for path in paths if not policy.verdict(path, is_dir=(root / path).is_dir()).keep}


def everything(root: Path) -> list[str]:
    found = [path.relative_to(root) for path in root.rglob("*")]
    return sorted(path.as_posix() for path in found if ".git" not in path.parts)


TREE = dict.fromkeys(
    (
        *("a.py", "b.log", "keep.log", "#hash.py", "!bang.py", "trailing ", "x[1].py", "caf\u00e9.md"),
        *("build/out.py", "build/keep/in.py", "src/build/deep.py", "src/build.py"),
        *("docs/a/b/c.md", "docs/b.md", "docs/a/only.txt", "vendor/lib/x.py", "vendor/ours/y.py"),
        *("deep/one/two/three/z.tmp", "deep/one/keep.tmp", "deep/z.tmp"),
        *("wild/abc.py", "wild/abd.py", "wild/xyz.py", "star/x/y/z.py", "only/dir/f.py", "only/file", "mixed/Case.PY"),
    ),
    "",
)

IGNORE_FILES = [
    {".gitignore": "*.log\n!keep.log\nbuild/\n"},
    {".gitignore": "/build\n# comment\n\\#hash.py\n\\!bang.py\ntrailing\\ \n"},
    {".gitignore": "build/*\n!build/keep/\n"},
    {".gitignore": "build/\n!build/keep/in.py\n"},
    {".gitignore": "*\n!*/\n!*.py\n"},
    {".gitignore": "*\n!src/\n!a.py\n"},
    {".gitignore": "docs/**/c.md\n**/three\nstar/**\n!star/x/\n"},
    {".gitignore": "docs/*\n!docs/a\ndocs/a/*\n!docs/a/b/\n", "docs/.gitignore": "!b.md\n"},
    {".gitignore": "*.tmp\n", "deep/.gitignore": "!keep.tmp\n", "deep/one/.gitignore": "!*.tmp\n/two/\n"},
    {".gitignore": "vendor/*/\n!vendor/ours/\n", "vendor/lib/.gitignore": "!*\n"},
    {".gitignore": "wild/ab?.py\nx\\[1\\].py\n!wild/ab[!c].py\n*.[pP][yY]c\nmixed/[A-Z]*.PY\n"},
    {".gitignore": "only/*/\ncaf*.md\r\n  \n/\n**\n!a.py\n"},
    {".gitignore": "only/file/\nfile\n[broken\nz.tmp \nmissing/escape\\\n"},
    {".git/info/exclude": "*.md\n/deep/\n", ".gitignore": "!docs/b.md\n"},
    {"src/.gitignore": "/build\nbuild.py/\n", ".gitignore": "\ufeff*.log\n"},
]


@pytest.mark.parametrize("rules", IGNORE_FILES, ids=range(len(IGNORE_FILES)))
def test_ignore_files_mean_what_git_takes_them_for(tmp_path: Path, rules: dict[str, str]) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, {**TREE, **rules})
    paths = everything(tmp_path)
    assert left_out(tmp_path, paths) == ignored_by_git(tmp_path, paths)


SEGMENTS = st.sampled_from(["a", "b", "c.py", "*", "*.py", "**", "?", "[ab]", "[!a]", "a*", "d e"])
PATTERNS = st.builds(
    lambda negated, rooted, segments, folder: f"{negated}{rooted}{'/'.join(segments)}{folder}",
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "", "/"]),
    st.lists(SEGMENTS, min_size=1, max_size=3),
    st.sampled_from(["", "", "/"]),
)
RULES = st.lists(PATTERNS, max_size=5).map("\n".join)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    git(root, "init", "-q")
    names = ("a", "b", "d e")
    files = [f"{x}/{y}/{z}" for x in names for y in names for z in ("c.py", "x", "ab")]
    write(root, dict.fromkeys([*files, "c.py", "x", "a/c.py", "b/x"], ""))
    return root


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(outer=RULES, inner=RULES, exclude=RULES)
def test_any_rules_mean_what_git_takes_them_for(repository: Path, outer: str, inner: str, exclude: str) -> None:
    write(repository, {".gitignore": outer, "a/.gitignore": inner, ".git/info/exclude": exclude})
    paths = everything(repository)
    assert left_out(repository, paths) == ignored_by_git(repository, paths)


def test_a_root_inside_a_repository_obeys_the_rules_above_it(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, {".gitignore": "*.log\n/pkg/sub/gone.py\n/gone.py\npkg\n", ".git/info/exclude": "secretly.py\n"})
    write(tmp_path, {f"pkg/sub/{name}": "" for name in ("a.log", "gone.py", "secretly.py", "kept.py")})
    root = tmp_path / "pkg" / "sub"
    # the opened folder is ignored as a whole, but whoever opens it wants it
    assert left_out(root, everything(root)) == {"a.log", "gone.py", "secretly.py"}


def test_granumignore_is_nested_and_stronger_than_gitignore(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "gen.py\n", ".granumignore": "big.py\n!gen.py\n", "sub/.granumignore": "!big.py\n"})
    write(tmp_path, dict.fromkeys(["gen.py", "big.py", "sub/gen.py", "sub/big.py"], ""))
    assert left_out(tmp_path, everything(tmp_path)) == {"big.py"}


def test_the_exclude_setting_adds_patterns(tmp_path: Path) -> None:
    write(tmp_path, dict.fromkeys(["a.py", "legacy/b.py"], ""))
    policy = Policy.load(tmp_path, Settings(exclude=("legacy/",)))
    assert policy.verdict("legacy", is_dir=True).reason is Reason.EXCLUDED
    assert policy.verdict("legacy/b.py", is_dir=False).reason is Reason.EXCLUDED
    assert policy.verdict("a.py", is_dir=False).keep


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (".git", Reason.VERSION_CONTROL),
        ("web/node_modules", Reason.DEPENDENCIES),
        ("pkg/__pycache__", Reason.CACHE),
        (".mypy_cache", Reason.CACHE),
        (".tox", Reason.CACHE),
        (".venv", Reason.VIRTUAL_ENVIRONMENT),
        ("lib/thing-1.0.dist-info", Reason.CACHE),
    ],
)
def test_folders_that_hold_nothing_of_the_workspace_are_never_entered(
    tmp_path: Path, path: str, reason: Reason
) -> None:
    write(tmp_path, {".granumignore": "!*\n", f"{path}/x.py": ""})
    policy = Policy.load(tmp_path, Settings())
    assert policy.verdict(path, is_dir=True).reason is reason
    assert policy.verdict(f"{path}/x.py", is_dir=False).reason is reason


def test_a_virtual_environment_is_known_by_its_mark_whatever_its_name(tmp_path: Path) -> None:
    write(tmp_path, {"tools/py311/pyvenv.cfg": "home = /usr\n", "tools/py311/lib/x.py": "", "tools/x.py": ""})
    policy = Policy.load(tmp_path, Settings())
    assert policy.verdict("tools/py311/lib/x.py", is_dir=False).reason is Reason.VIRTUAL_ENVIRONMENT
    assert policy.verdict("tools/x.py", is_dir=False).keep


def test_nested_repositories_and_submodules_are_not_swallowed(tmp_path: Path) -> None:
    write(tmp_path, {"inner/.git/HEAD": "ref: refs/heads/main\n", "inner/x.py": "", "module/.git": "gitdir: ../x\n"})
    write(tmp_path, {"module/deep/y.py": "", ".git/HEAD": "ref: refs/heads/main\n", "z.py": ""})
    policy = Policy.load(tmp_path, Settings())
    assert policy.verdict("inner", is_dir=True).reason is Reason.NESTED_REPOSITORY
    assert policy.verdict("module/deep/y.py", is_dir=False).reason is Reason.NESTED_REPOSITORY
    assert policy.verdict("z.py", is_dir=False).keep


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (".env", Reason.SECRET),
        (".env.local", Reason.SECRET),
        ("prod.env", Reason.SECRET),
        ("id_rsa", Reason.SECRET),
        ("ID_ED25519", Reason.SECRET),
        ("server.pem", Reason.SECRET),
        ("server.KEY", Reason.SECRET),
        ("store.p12", Reason.SECRET),
        (".netrc", Reason.SECRET),
        (".npmrc", Reason.SECRET),
        (".pypirc", Reason.SECRET),
        ("credentials.json", Reason.SECRET),
        ("client_secret.json", Reason.SECRET),
        ("secrets.yaml", Reason.SECRET),
        ("jquery.min.js", Reason.MINIFIED),
        ("poetry.lock", Reason.LOCK_FILE),
        ("package-lock.json", Reason.LOCK_FILE),
        ("message_pb2.py", Reason.GENERATED),
        (".env.example", Reason.KEPT),
        ("secrets.py", Reason.KEPT),
        ("credentials.md", Reason.KEPT),
        ("keys.py", Reason.KEPT),
        ("environment.py", Reason.KEPT),
        ("locks.py", Reason.KEPT),
        ("minify.js", Reason.KEPT),
    ],
)
def test_files_of_secrets_and_of_machines_are_known_by_name(tmp_path: Path, name: str, reason: Reason) -> None:
    verdict = Policy.load(tmp_path, Settings()).verdict(f"any/where/{name}", is_dir=False)
    assert (verdict.reason, verdict.keep, verdict.problem) == (reason, reason is Reason.KEPT, False)


def test_a_name_that_is_not_unicode_is_a_problem(tmp_path: Path) -> None:
    policy = Policy.load(tmp_path, Settings())
    verdict = policy.verdict(os.fsdecode(b"caf\xe9.py"), is_dir=False)
    assert (verdict.reason, verdict.problem) == (Reason.BAD_NAME, True)
    assert policy.verdict(os.fsdecode(b"d\xe9/x.py"), is_dir=False).reason is Reason.BAD_NAME


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x = 1\n", Reason.KEPT),
        (b"", Reason.KEPT),
        (b"\xef\xbb\xbfx = 1\r\n", Reason.KEPT),
        ("x = 'é'\n".encode("utf-16"), Reason.KEPT),
        (b"x" * 2001, Reason.TOO_LARGE),
        (b"GIF89a\0\0\1", Reason.BINARY),
        (b"# Code generated by protoc. DO NOT EDIT.\nx = 1\n", Reason.GENERATED),
        (b"// @generated by relay\n", Reason.GENERATED),
        (b'"""This file was automatically generated by SWIG."""\n', Reason.GENERATED),
        (b'MARK = "DO NOT EDIT"  # what generators write\n', Reason.KEPT),
        (b"def is_generated(text):\n    return '@generated' in text\n", Reason.KEPT),
        (b"a=1;" * 450, Reason.MINIFIED),
        (b"One long paragraph of prose goes on and on. " * 40, Reason.KEPT),
    ],
)
def test_content_is_judged(tmp_path: Path, data: bytes, reason: Reason) -> None:
    verdict = Policy.load(tmp_path, Settings(max_file_size=2000)).content_verdict("x.py", data)
    assert verdict.reason is reason
    assert verdict.problem is (reason in {Reason.TOO_LARGE, Reason.BINARY})


def test_an_ignore_file_that_is_no_regular_file_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").mkdir()
    os.mkfifo(tmp_path / ".granumignore")
    assert Policy.load(tmp_path, Settings()).verdict("x.py", is_dir=False).keep
