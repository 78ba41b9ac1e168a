# SPDX-License-Identifier: Apache-2.0
"""What a source of rtl/formal states: its assertions, assumptions and cover points by label, each
with the sentence that stands before it, and the comment at its head."""

import re
from dataclasses import dataclass
from pathlib import Path

from common.errors import ToolError

STATEMENT = re.compile(r"(?:\b(?P<label>[A-Za-z_]\w*)\s*:\s*)?\b(?P<what>assert|assume|cover)\s*\(")
# The one statement that needs no label: reset in the first cycle, and never again.
RESET = re.compile(r"assume\s*\(\s*!?\s*rst_ni\s*\)")

PROPERTY, HELPER, ASSUMPTION, COVER = "property", "helper", "assumption", "cover point"
PREFIXES = {"helper_": HELPER, "env_": ASSUMPTION, "reached_": COVER}
VERBS = {PROPERTY: "assert", HELPER: "assert", ASSUMPTION: "assume", COVER: "cover"}


def kind_of(label: str) -> str:
    """What a label's prefix says."""
    for prefix, kind in PREFIXES.items():
        if label.startswith(prefix):
            return kind
    return PROPERTY


@dataclass(frozen=True)
class Statement:
    label: str
    kind: str
    sentence: str
    file: str
    line: int


def without_comments(text: str) -> str:
    """The same lines, with blanks for what is said in comments."""
    return re.sub(r"//[^\n]*", lambda found: " " * len(found.group()), text)


def _sentence_before(lines: list[str], number: int) -> str:
    """The comment before the statement whose label is on this line (from 0); empty without."""
    at = number - 1
    while at >= 0 and not lines[at].strip().startswith("//"):
        # The statement may begin on a line before, with a condition; not before another one.
        if not lines[at].strip() or re.search(r"(;|\bbegin\b.*|\bend\b)\s*$", lines[at].strip()):
            return ""
        at -= 1
    words: list[str] = []
    while at >= 0 and lines[at].strip().startswith("//"):
        words.insert(0, lines[at].strip().removeprefix("//").strip())
        at -= 1
    return " ".join(words)


def read_statements(path: Path) -> list[Statement]:
    """Raises ToolError for a statement without label or sentence, or with a prefix that does not
    fit it."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    plain = without_comments(text)
    found: dict[str, Statement] = {}
    for match in STATEMENT.finditer(plain):
        line = plain.count("\n", 0, match.start("label" if match["label"] else "what"))
        where = f"rtl/formal/{path.name}:{line + 1}"
        label = match["label"]
        if label is None:
            if RESET.match(plain, match.start("what")):
                continue
            raise ToolError(f"{where}: this {match['what']} has no label; give it one")
        kind = kind_of(label)
        if VERBS[kind] != match["what"]:
            raise ToolError(
                f"{where}: {label} is an {match['what']}, but its prefix says {kind} (helper_... "
                "and others are assert, env_... assume, reached_... cover)"
            )
        if label in found:
            raise ToolError(f"{where}: the label {label} stands twice; a label is one statement's")
        sentence = _sentence_before(lines, line)
        if not sentence:
            raise ToolError(
                f"{where}: {label} has no sentence; write one as a comment (//) before it"
            )
        found[label] = Statement(label, kind, sentence, path.name, line + 1)
    return list(found.values())


def head_of(path: Path) -> str:
    """The comment at the head of a source, in paragraphs."""
    paragraphs: list[list[str]] = [[]]
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            break
        words = line.removeprefix("//").strip()
        if words.startswith("SPDX-License-Identifier"):
            continue
        if words:
            paragraphs[-1].append(words)
        elif paragraphs[-1]:
            paragraphs.append([])
    return "\n\n".join(" ".join(each) for each in paragraphs if each)
