"""From a file's bytes to text: byte order marks, encodings, line ends, and what is no text at all.

The core sees LF line ends only. CRLF and lone CR end a line as well (LSP 3.17, "Text Documents"); form feed,
vertical tab, U+0085, U+2028 and U+2029 do not, which is why nothing here calls ``str.splitlines``.
"""

from __future__ import annotations

import codecs
import re

import msgspec

_CR = "\r"
_LF = "\n"
_CRLF = "\r\n"

#: Longest first: UTF-32's little-endian mark begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BYTE_MARKS = tuple(mark for mark, _ in _MARKS)

#: An encoding named in one of the first two lines (PEP 263; Emacs and Vim write it in any language).
_COOKIE = re.compile(rb"\A(?:[^\n]*\n)?[^\n]{0,200}?coding[:=][ \t]*([-\w.]{1,40})")

#: Codecs that keep ASCII and every line end where it is; ``unicode_escape`` would make new lines out of text.
_COOKIE_CODECS = re.compile(r"iso8859|cp125\d|cp437|cp85\d|cp866|cp874|cp932|cp949|koi8|gb|big5|euc|shift_jis|mac-")

#: Control characters that no text file holds in number (all but BEL, BS, TAB, LF, VT, FF, CR, ESC and NUL).
_CONTROLS = bytes(set(range(1, 32)) - set(b"\a\b\t\n\v\f\r\x1b") | {0x7F})

#: Bytes without a meaning in Windows-1252.
_NOT_CP1252 = b"\x81\x8d\x8f\x90\x9d"

_SAMPLE = 64 * 1024


class Decoded(msgspec.Struct, frozen=True, kw_only=True):
    """A file's text with LF line ends.

    ``encoding`` is a codec's name. ``eol`` is how the file ended its lines: LF, CRLF, CR, ``"mixed"``, or empty
    for a file of one line. ``bom`` says that a byte order mark was taken off. ``lossy`` says that some bytes
    could not be decoded and stand in the text as U+FFFD.
    """

    text: str
    encoding: str
    eol: str
    bom: bool = False
    lossy: bool = False


def decode(data: bytes) -> Decoded | None:
    """Decodes a file.

    Returns:
        The text, or None when the bytes are not text.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decoded(data[len(mark) :], encoding, bom=True)
    if b"\0" in data:
        wide = _wide_encoding(data)
        return _decoded(data, wide) if wide else None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _decode_foreign(data)
    if _has_many_controls(data):
        return None
    text, eol = normalise_eol(text)
    return Decoded(text=text, encoding="utf-8", eol=eol)


def is_binary(data: bytes) -> bool:
    """Whether ``decode`` would take the bytes for no text; cheaper than decoding for ordinary files."""
    if b"\0" in data:
        return decode(data) is None
    return not data.startswith(_BYTE_MARKS) and _has_many_controls(data)


def normalise_eol(text: str) -> tuple[str, str]:
    r"""Turns CRLF and lone CR into LF.

    Returns:
        The text, and its line end: ``"\n"``, ``"\r\n"``, ``"\r"``, ``"mixed"``, or ``""`` without any.
    """
    if _CR not in text:
        return text, _LF if _LF in text else ""
    crlf = text.count(_CRLF)
    found = [
        eol for eol, count in ((_CRLF, crlf), (_CR, text.count(_CR) - crlf), (_LF, text.count(_LF) - crlf)) if count
    ]
    return text.replace(_CRLF, _LF).replace(_CR, _LF), found[0] if len(found) == 1 else "mixed"


def _decoded(data: bytes, encoding: str, *, bom: bool = False) -> Decoded | None:
    try:
        text, lossy = data.decode(encoding), False
    except UnicodeDecodeError:
        text, lossy = data.decode(encoding, "replace"), True
    if "\0" in text:
        return None
    text, eol = normalise_eol(text)
    return Decoded(text=text, encoding=encoding, eol=eol, bom=bom, lossy=lossy)


def _wide_encoding(data: bytes) -> str:
    """The UTF-16 without a mark that the bytes seem to be, by which half of each pair is mostly zero; or empty."""
    sample = data[:_SAMPLE]
    if len(data) % 2 or sample.count(b"\0\0") > len(sample) // 64:
        return ""
    pairs = len(sample) // 2
    zeros_first, zeros_second = sample[0::2].count(0), sample[1::2].count(0)
    if zeros_second > 0.6 * pairs and zeros_first <= 0.02 * pairs:
        return "utf-16-le"
    if zeros_first > 0.6 * pairs and zeros_second <= 0.02 * pairs:
        return "utf-16-be"
    return ""


def _decode_foreign(data: bytes) -> Decoded | None:
    """Decodes bytes that are not UTF-8: a declared encoding, broken UTF-8, Windows-1252 or Latin-1."""
    if _has_many_controls(data):
        return None
    declared = _declared_encoding(data)
    if declared:
        return _decoded(data, declared)
    replaced = data.decode("utf-8", "replace")
    broken = replaced.count("\ufffd")
    good = sum(len(run) for run in re.findall(r"[^\x00-\x7f\ufffd]+", replaced))
    if good >= broken or any(byte in data for byte in _NOT_CP1252):
        text, eol = normalise_eol(replaced)
        return Decoded(text=text, encoding="utf-8", eol=eol, lossy=True)
    has_c1 = len(data.translate(None, bytes(range(0x80, 0xA0)))) != len(data)
    return _decoded(data, "cp1252" if has_c1 else "latin-1")


def _declared_encoding(data: bytes) -> str:
    match = _COOKIE.match(data[:1024])
    if not match:
        return ""
    try:
        name = codecs.lookup(match[1].decode("ascii")).name
    except (LookupError, UnicodeDecodeError):
        return ""
    return name if _COOKIE_CODECS.match(name) else ""


def _has_many_controls(data: bytes) -> bool:
    sample = data[:_SAMPLE]
    return len(sample) - len(sample.translate(None, _CONTROLS)) > len(sample) * 0.02
