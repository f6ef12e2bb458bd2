"""What is kept out of the index, and why.

Judged by path: ignore files with git's semantics, folders that never hold a workspace's own text, nested
repositories, files of secrets, generated names. Judged by content: size, binary, generated. Which languages are
indexed is not decided here.

A ``Policy`` reads each folder's ignore files once, when a path in it is first asked for. When an ignore file
changes, a new ``Policy`` is loaded.
"""

from __future__ import annotations

import os
import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from granum.index import gitdir
from granum.index.ignore import IgnoreRules, read_lines
from granum.text.decode import is_binary

if TYPE_CHECKING:
    from granum.model.settings import Settings

#: Names of the files whose change calls for a new ``Policy``.
RULE_FILES = frozenset({".gitignore", ".granumignore"})


class Reason(StrEnum):
    """Why a path is kept or left out."""

    KEPT = "kept"
    VERSION_CONTROL = "version_control"
    DEPENDENCIES = "dependencies"
    VIRTUAL_ENVIRONMENT = "virtual_environment"
    CACHE = "cache"
    NESTED_REPOSITORY = "nested_repository"
    IGNORED = "ignored"
    EXCLUDED = "excluded"
    SECRET = "secret"  # noqa: S105 -- a reason, not a secret
    MINIFIED = "minified"
    GENERATED = "generated"
    LOCK_FILE = "lock_file"
    BAD_NAME = "bad_name"
    TOO_LARGE = "too_large"
    BINARY = "binary"


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a file or folder is indexed. ``problem`` says that people should be told that it is not."""

    keep: bool
    reason: Reason
    problem: bool = False


KEEP = Verdict(keep=True, reason=Reason.KEPT)
_SKIP = {
    reason: Verdict(keep=False, reason=reason, problem=reason in {Reason.BAD_NAME, Reason.TOO_LARGE, Reason.BINARY})
    for reason in Reason
}

_FOLDERS = {
    **dict.fromkeys((".git", ".hg", ".svn", ".bzr", ".jj", "CVS"), Reason.VERSION_CONTROL),
    **dict.fromkeys(
        ("node_modules", "bower_components", "jspm_packages", "site-packages", ".yarn", ".pnpm-store"),
        Reason.DEPENDENCIES,
    ),
    **dict.fromkeys((".venv", ".virtualenv", ".direnv", "__pypackages__"), Reason.VIRTUAL_ENVIRONMENT),
    **dict.fromkeys(
        (
            "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".tox", ".nox", ".cache",
            ".eggs", ".ipynb_checkpoints", ".import_linter_cache", ".pytype", ".pyre", ".gradle", ".next", ".nuxt",
            ".svelte-kit", ".parcel-cache", ".turbo", ".terraform", ".serverless", ".nyc_output", ".sass-cache",
        ),
        Reason.CACHE,
    ),
}  # fmt: skip
_FOLDER_SUFFIXES = (".dist-info", ".egg-info")

_KEPT_PRIVATE = r"""
    \.env(?:rc)?(?:\..+)?|.+\.env|\.netrc|_netrc|\.npmrc|\.yarnrc\.yml|\.pypirc|\.pgpass|\.my\.cnf|\.htpasswd|\.dockercfg
    |\.git-credentials|\.boto|\.s3cfg|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?
    |(?:aws_?|gcp_?|google_?|client_?|service[-_]?account[-_]?)?(?:credentials?|secrets?)(?:\.(?:json|ya?ml|toml|ini|env|txt|csv))
    |credentials|service[-_]?account(?:[-_]?key)?\.json|application_default_credentials\.json
    |.+\.(?:pem|key|p12|pfx|pkcs12|p8|jks|keystore|kdbx?|ppk|asc|gpg|ovpn|tfstate|tfvars)
"""
#: Examples of environment files are written to be read.
_PRIVATE_EXAMPLE = re.compile(r"\.env\.(?:example|sample|template|dist|defaults?)|(?:example|sample|template)\.env")
_LOCK_NAMES = r"""
    .+\.lock|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum|\.pnp\.c?js|packages\.lock\.json|gradle\.lockfile
    |bun\.lockb
"""
_GENERATED_NAMES = r".+_pb2(?:_grpc)?\.pyi?|.+\.pb\.(?:go|cc|h)|.+\.g\.dart|.+\.designer\.cs|.+\.generated\.\w+"
_MINIFIED_NAMES = r".+[.-]min\.(?:js|mjs|css|html)|.+\.(?:bundle|chunk)\.js|.+\.map"

_NAMES = re.compile(
    rf"(?P<secret>{_KEPT_PRIVATE})|(?P<lock_file>{_LOCK_NAMES})|(?P<generated>{_GENERATED_NAMES})|(?P<minified>{_MINIFIED_NAMES})",
    re.VERBOSE,
)

#: How generators mark their output, in a comment among the first lines.
_GENERATED = re.compile(
    rb"""^[ \t]*(?:\#|//|/?\*+|<!--|--|;+|\.\.[ ]|"{3}|'{3})[^\n]*?
    (?:@generated\b|\bdo[ ]not[ ](?:edit|modify)\b|\bcode[ ]generated[ ](?:by|from)\b|<auto-?generated
    |\b(?:auto[- ]?|automatically[ ]|machine[- ])generated[ ](?:by|from|file|code|with|using)\b
    |\bgenerated[ ]by[ ](?:the[ ]protocol[ ]buffer|swig|cython|antlr|django[ ]\d))""",
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_HEAD = 1024
_LONG_LINES = 1000


class _Folder(NamedTuple):
    """A folder's own verdict, and the rules that hold in it, the strongest first."""

    verdict: Verdict
    own: tuple[IgnoreRules, ...] = ()
    git: tuple[IgnoreRules, ...] = ()


class Policy:
    """The verdicts for one workspace. ``root`` must be a real path."""

    def __init__(self, root: Path, settings: Settings) -> None:
        self._root = os.fspath(root)
        self._settings = settings
        self._largest = settings.max_file_size
        self._excluded = IgnoreRules(settings.exclude)
        self._folders: dict[str, _Folder] = {"": self._read("", own=(), git=_outer_rules(root))}

    @classmethod
    def load(cls, root: Path, settings: Settings) -> Policy:
        """Reads the root's ignore files; those of other folders follow when they are asked for."""
        return cls(root, settings)

    def fresh(self) -> Policy:
        """The policy by the ignore files as they are now."""
        return Policy(Path(self._root), self._settings)

    def forget(self, folder: str) -> None:
        """Judges a folder and all below it anew when next asked: another may stand at its path now."""
        if folder in self._folders:
            gone = [path for path in self._folders if path == folder or path.startswith(f"{folder}/")]
            for path in gone:
                del self._folders[path]

    def verdict(self, path: str, *, is_dir: bool) -> Verdict:
        """Judges a file or folder by its path (POSIX, relative to the root) alone."""
        if is_dir:
            return self._folder(path).verdict
        parent, _, name = path.rpartition("/")
        folder = self._folder(parent)
        if not folder.verdict.keep:
            return folder.verdict
        return _named(name) or self._ruled(folder, path) or KEEP

    def content_verdict(self, path: str, data: bytes) -> Verdict:  # noqa: ARG002 -- rules by kind of file come here
        """Judges a file by what it holds, after its path was kept."""
        if len(data) > self._largest:
            return _SKIP[Reason.TOO_LARGE]
        if is_binary(data):
            return _SKIP[Reason.BINARY]
        if _GENERATED.search(data[:_HEAD]):
            return _SKIP[Reason.GENERATED]
        if _is_minified(data):
            return _SKIP[Reason.MINIFIED]
        return KEEP

    def _folder(self, path: str) -> _Folder:
        folder = self._folders.get(path)
        if folder is None:
            folder = self._folders[path] = self._judged(path)
        return folder

    def _judged(self, path: str) -> _Folder:
        parent_path, _, name = path.rpartition("/")
        parent = self._folder(parent_path)
        if not parent.verdict.keep:
            return parent
        refused = _folder_named(name) or self._ruled(parent, path + "/") or self._marked(path)
        return _Folder(refused) if refused else self._read(path + "/", own=parent.own, git=parent.git)

    def _marked(self, path: str) -> Verdict | None:
        """What the folder's entries tell: another repository, or a virtual environment (PEP 405; conda)."""
        folder = f"{self._root}/{path}/"
        if os.path.lexists(folder + ".git"):
            return _SKIP[Reason.NESTED_REPOSITORY]
        if os.access(folder + "pyvenv.cfg", os.F_OK) or os.access(folder + "conda-meta", os.F_OK):
            return _SKIP[Reason.VIRTUAL_ENVIRONMENT]
        return None

    def _ruled(self, folder: _Folder, path: str) -> Verdict | None:
        """What the ignore rules say: the settings before .granumignore before git's, the nearest file first."""
        excluded = self._excluded.ignores(path)
        if excluded is not None:
            return _SKIP[Reason.EXCLUDED] if excluded else None
        for rules in (*folder.own, *folder.git):
            ignores = rules.ignores(path)
            if ignores is not None:
                return _SKIP[Reason.IGNORED] if ignores else None
        return None

    def _read(self, base: str, *, own: tuple[IgnoreRules, ...], git: tuple[IgnoreRules, ...]) -> _Folder:
        folder = f"{self._root}/{base}"
        return _Folder(
            KEEP,
            _nearest(read_lines(folder + ".granumignore"), own, base=base),
            _nearest(read_lines(folder + ".gitignore"), git, base=base),
        )


def _nearest(
    lines: list[str], outer: tuple[IgnoreRules, ...], *, base: str = "", above: str = ""
) -> tuple[IgnoreRules, ...]:
    """The rules of an ignore file before those of the folders around it."""
    rules = IgnoreRules(lines, base=base, above=above) if lines else None
    return (rules, *outer) if rules else outer


def _outer_rules(root: Path) -> tuple[IgnoreRules, ...]:
    """Git's rules from outside the root: of the folders above it in its work tree, and the repository's own."""
    repository = gitdir.find(root)
    if repository is None:
        return ()
    inner = root.relative_to(repository.work_tree)
    exclude = read_lines(os.fspath(repository.common_dir / "info" / "exclude"))
    rules = _nearest(exclude, (), above=_as_prefix(inner))
    for folder in reversed(list(root.parents)[: len(inner.parts)]):
        lines = read_lines(os.fspath(folder / ".gitignore"))
        rules = _nearest(lines, rules, above=_as_prefix(root.relative_to(folder)))
    return rules


def _as_prefix(path: Path) -> str:
    return f"{path.as_posix()}/" if path.parts else ""


def _folder_named(name: str) -> Verdict | None:
    if not _is_storable(name):
        return _SKIP[Reason.BAD_NAME]
    if name.endswith(_FOLDER_SUFFIXES):
        return _SKIP[Reason.CACHE]
    reason = _FOLDERS.get(name)
    return _SKIP[reason] if reason else None


def _named(name: str) -> Verdict | None:
    if not _is_storable(name):
        return _SKIP[Reason.BAD_NAME]
    if name == ".git":
        return _SKIP[Reason.VERSION_CONTROL]
    lowered = name.lower()
    match = _NAMES.fullmatch(lowered)
    if not match or (match.lastgroup == "secret" and _PRIVATE_EXAMPLE.fullmatch(lowered)):
        return None
    return _SKIP[Reason(match.lastgroup or "")]


def _is_storable(name: str) -> bool:
    """Whether the name can be stored and sent: bytes that are no UTF-8 come from the system as lone surrogates."""
    if name.isascii():
        return True
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_minified(data: bytes) -> bool:
    """Whether the lines are far longer than people write, without the white space of prose."""
    lines = data.count(b"\n") + data.count(b"\r") + 1
    return len(data) > _LONG_LINES * lines and data.count(b" ") * 12 < len(data)
