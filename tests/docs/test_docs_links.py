"""The documents tell the truth about what can be checked: links, command lines, the list of decisions."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer

from rootproof.entrypoints.cli.main import app

ROOT = Path(__file__).resolve().parents[2]
_SKIPPED = frozenset({"build", "dist", "htmlcov", "node_modules"})
_FENCE = re.compile(r"^(?P<indent> {0,3})(?P<mark>`{3,}|~{3,})(?P<language>[^`\n]*)$")
_LINK = re.compile(r"!?\[[^\[\]]{0,300}\]\((?P<target>[^()\s]{1,400})\)")
_CODE = re.compile(r"`[^`\n]*`")
_HEADING = re.compile(r"^#{1,6} +(?P<text>.+?) *#*$")
_ASSIGNMENT = re.compile(r"[A-Z_][A-Z0-9_]*=.*")
_NO_SHELL = frozenset({"json", "jsonl", "toml", "yaml", "markdown", "md", "python", "csv", "ini", "sql"})
_SHELL_ENDS = frozenset({"|", "||", "&&", ";", "&", ">", ">>", "<", "<<<", "2>", "2>&1"})


class CommandLine(NamedTuple):
    """A `rootproof` command line and where it stands."""

    where: str
    arguments: list[str]


class Document(NamedTuple):
    """A Markdown file as prose lines and fenced blocks, each line with its number."""

    path: Path
    prose: list[tuple[int, str]]
    blocks: list[tuple[str, list[tuple[int, str]]]]


def documents() -> list[Path]:
    """The Markdown files of the project, without hidden and generated folders."""
    found = []
    for path in ROOT.rglob("*.md"):
        parts = path.relative_to(ROOT).parts
        if not any(part.startswith(".") or part in _SKIPPED for part in parts):
            found.append(path)
    return sorted(found)


def read(path: Path) -> Document:
    """`path` taken apart."""
    return take_apart(path, path.read_text(encoding="utf-8"))


def take_apart(path: Path, text: str) -> Document:
    """Prose and fenced blocks of `text`."""
    document = Document(path, [], [])
    fence = ""
    for number, line in enumerate(text.splitlines(), start=1):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark["mark"].startswith(fence) and not mark["language"].strip():
                fence = ""
            else:
                document.blocks[-1][1].append((number, line))
        elif mark:
            fence = mark["mark"]
            document.blocks.append((mark["language"].strip().lower(), []))
        else:
            document.prose.append((number, line))
    return document


def anchors(path: Path) -> set[str]:
    """The names that headings of a document can be linked by."""
    found: set[str] = set()
    for _, line in read(path).prose:
        heading = _HEADING.match(line)
        if heading:
            text = re.sub(r"\[([^\[\]]*)\]\([^()]*\)", r"\1", heading["text"]).replace("`", "").lower()
            slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            number = 0
            while (name := f"{slug}-{number}" if number else slug) in found:
                number += 1
            found.add(name)
    return found


def links(document: Document) -> Iterator[tuple[str, Path, str]]:
    """(where, file, anchor) of each relative link."""
    for number, line in document.prose:
        for match in _LINK.finditer(_CODE.sub("", line)):
            target = match["target"]
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            name, _, anchor = target.partition("#")
            file = (document.path.parent / name).resolve() if name else document.path
            yield f"{document.path.name}:{number}: {target}", file, anchor


def broken_links(document: Document) -> list[str]:
    """The relative links that lead nowhere."""
    broken = []
    for where, file, anchor in links(document):
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file)):
            broken.append(where)
    return broken


def command_lines(document: Document) -> Iterator[CommandLine]:
    """The `rootproof` calls of the fenced blocks; in a block with prompts only the prompt's lines are commands."""
    for language, lines in document.blocks:
        if language in _NO_SHELL:
            continue
        prompted = any(line.lstrip().startswith("$ ") for _, line in lines)
        pending = ""
        for number, line in lines:
            text = line.strip()
            if prompted and not pending:
                if not text.startswith("$ "):
                    continue
                text = text[2:]
            text = pending + text
            if text.endswith("\\"):
                pending = text[:-1]
                continue
            pending = ""
            for arguments in calls_in(text):
                yield CommandLine(f"{document.path.name}:{number}", arguments)


def calls_in(text: str) -> Iterator[list[str]]:
    """The arguments of each `rootproof` call in one shell line."""
    if "rootproof" not in text:
        return
    lexer = shlex.shlex(text, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    words: list[str] = []
    try:
        tokens = [*lexer, ";"]
    except ValueError:
        return  # an apostrophe in a transcript: no command
    for token in tokens:
        if token not in _SHELL_ENDS:
            words.append(token)
            continue
        while words and _ASSIGNMENT.fullmatch(words[0]):
            words.pop(0)
        if words and (words[0] == "rootproof" or words[0].endswith("/rootproof")):
            yield words[1:]
        words = []


def refusal(arguments: list[str]) -> str:
    """Why the command line would be refused before it did anything; empty when it would not."""
    command: Any = typer.main.get_command(app)
    name, parent = "rootproof", None
    rest = list(arguments)
    while True:
        if any(word in ("--help", "-h", "--version") for word in rest):
            rest = [word for word in rest if word not in ("--help", "-h", "--version")]
            if not rest:
                return ""
        if not hasattr(command, "commands"):
            break
        if not rest:
            return f"{name}: a command is missing"
        if rest[0] not in command.commands:
            return f"{name}: there is no command {rest[0]!r}"
        parent = command.make_context(name, [rest[0]], parent=parent, resilient_parsing=True)
        command, name, rest = command.commands[rest[0]], f"{name} {rest[0]}", rest[1:]
    try:
        command.make_context(name, rest, parent=parent)
    except Exception as error:  # noqa: BLE001 - Typer's own exception classes are private
        return f"{name}: {type(error).__name__}: {error}"
    return ""


@pytest.mark.parametrize("path", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_relative_link_leads_somewhere(path: Path) -> None:
    assert broken_links(read(path)) == []


@pytest.mark.parametrize("path", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_line_would_be_accepted(path: Path) -> None:
    refused = [f"{where}: {why}" for where, arguments in command_lines(read(path)) if (why := refusal(arguments))]
    assert refused == []


def test_the_readme_shows_commands() -> None:
    shown = {" ".join(line.arguments[:1]) for line in command_lines(read(ROOT / "README.md"))}
    assert {"demo", "diagnose"} <= shown


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "adr"
    records = set(folder.glob("[0-9]*.md"))
    listed = {file for _, file, _ in links(read(folder / "README.md"))}
    assert records
    assert sorted(path.name for path in records - listed) == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        path = waiting.pop()
        if path in reached or path.suffix != ".md" or not path.is_file():
            continue
        reached.add(path)
        waiting += [file for _, file, _ in links(read(path))]
    pages = set((ROOT / "docs").rglob("*.md"))
    assert sorted(str(page.relative_to(ROOT)) for page in pages - reached) == []


def test_the_link_check_finds_a_broken_link(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A title\n\n[a](#a-title) [b](#another) [c](gone.md) `[d](gone.md)`\n```\n[e](gone.md)\n```\n")
    assert [problem.rsplit(": ", 1)[1] for problem in broken_links(read(page))] == ["#another", "gone.md"]


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ("rootproof diagnose 'why?' --logs a --logs b", ""),
        ("FOO=1 .venv/bin/rootproof runs list --limit 3 | head", ""),
        ("cat x | rootproof redact --json > y", ""),
        ("rootproof runs show latest --help", ""),
        ("rootproof observe", "there is no command 'observe'"),
        ("rootproof runs gone", "there is no command 'gone'"),
        ("rootproof runs", "a command is missing"),
        ("rootproof diagnose --log a", "--log"),
        ("rootproof runs list --limit many", "integer"),
        ("rootproof verify", "file"),
    ],
)
def test_the_command_check_finds_what_does_not_exist(line: str, refused: str) -> None:
    [arguments] = calls_in(line)
    why = refusal(arguments)
    assert (refused in why) if refused else why == ""


def test_only_prompt_lines_of_a_transcript_are_commands() -> None:
    transcript = "```text\n$ rootproof demo\nrootproof runs trace run-1 shows every step\n```\n"
    text = transcript + "```sh\nrootproof skills \\\n  list\n```\n"
    found = [line.arguments for line in command_lines(take_apart(Path("page.md"), text))]
    assert found == [["demo"], ["skills", "list"]]
