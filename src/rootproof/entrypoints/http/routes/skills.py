"""Skills: the playbooks that runs follow."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi import Path as PathPart
from pydantic import Field

from rootproof.diagnosis.present import View
from rootproof.domain.playbook import Playbook
from rootproof.entrypoints.http.deps import Reader
from rootproof.entrypoints.http.library import Library
from rootproof.entrypoints.http.problems import absent
from rootproof.redaction import structure_without_credentials, without_credentials

router = APIRouter(tags=["skills"])


class SkillView(View):
    """What a planner sees of a skill."""

    name: str = Field(description="The skill's name.", examples=["cpu-throttling"])
    description: str = Field(description="When to use it.")


class SkillListView(View):
    """Every skill, by name."""

    items: list[SkillView] = Field(description="By name; at most 2,000.")
    complete: bool = Field(
        description="False where the configured skills cannot be read; `rootproof config check` says why."
    )


class EvidenceRequestView(View):
    """A call that the playbook reasoner makes."""

    tool: str = Field(description="The tool that is called.", examples=["query_logs"])
    arguments: dict[str, Any] = Field(description="Its arguments.")
    why: str = Field(description="What its answer tells.")


class HypothesisView(View):
    """A cause that the skill weighs."""

    id: str = Field(description="The cause id that reports name.", examples=["oom_killed"])
    title: str = Field(description="The cause in words.")
    category: str = Field(description="The kind of cause.", examples=["RESOURCE_EXHAUSTION"])


class WholeSkillView(SkillView):
    """A skill with its text and what its sidecar says."""

    body: str = Field(description="The text that an executor reads, Markdown.")
    evidence: list[EvidenceRequestView] = Field(description="What the playbook reasoner asks, in order.")
    hypotheses: list[HypothesisView] = Field(description="What it weighs.")


@router.get(
    "/api/skills",
    response_model=SkillListView,
    summary="List the skills",
    description="Names and descriptions of the built-in skills and of those in the configured folders.",
)
async def list_skills(principal: Reader, request: Request) -> SkillListView:  # noqa: ARG001 - checks the caller
    """Every skill."""
    library: Library = request.app.state.library
    skills = await library.skills()
    items = [
        SkillView(name=info.name, description=without_credentials(info.description)) for info in skills.catalog.infos()
    ]
    return SkillListView(items=items, complete=skills.complete)


@router.get(
    "/api/skills/{name}",
    response_model=WholeSkillView,
    summary="Show a skill",
    description="The text of a skill, and what its sidecar tells the playbook reasoner.",
)
async def show_skill(
    principal: Reader,  # noqa: ARG001 - checks the caller
    request: Request,
    name: Annotated[str, PathPart(max_length=100, description="The skill's name.")],
) -> WholeSkillView:
    """One skill."""
    library: Library = request.app.state.library
    catalog = (await library.skills()).catalog
    if name not in catalog:
        raise absent("skill", name)
    skill = catalog.read(name)
    playbook = next((one for one in catalog.playbooks() if one.skill == name), Playbook(name))
    view = WholeSkillView(
        name=skill.name,
        description=skill.description,
        body=skill.body,
        evidence=[
            EvidenceRequestView(tool=one.tool, arguments=dict(one.arguments), why=one.why) for one in playbook.evidence
        ],
        hypotheses=[
            HypothesisView(id=spec.cause_id, title=spec.title, category=spec.category.value)
            for spec in playbook.hypotheses
        ],
    )
    return WholeSkillView.model_validate(structure_without_credentials(view.model_dump()))
