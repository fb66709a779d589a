"""The system prompts, one Markdown file an agent; read when first used."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from rootproof.domain.step import Agent


@cache
def system_prompt(agent: Agent) -> str:
    """The system prompt of an agent, with the rules that hold for all in front."""
    folder = files(__name__)
    common = folder.joinpath("common.md").read_text(encoding="utf-8")
    own = folder.joinpath(f"{agent.value.lower()}.md").read_text(encoding="utf-8")
    return f"{common.strip()}\n\n{own.strip()}\n"
