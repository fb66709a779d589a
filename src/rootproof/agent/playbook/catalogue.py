"""All causes the reasoner can name."""

from __future__ import annotations

from rootproof.agent.playbook.causes_application import APPLICATION_CAUSES
from rootproof.agent.playbook.causes_database import DATABASE_CAUSES
from rootproof.agent.playbook.causes_workload import WORKLOAD_CAUSES
from rootproof.agent.playbook.hypothesis import CauseSpec

CAUSES: tuple[CauseSpec, ...] = DATABASE_CAUSES + WORKLOAD_CAUSES + APPLICATION_CAUSES
BY_ID: dict[str, CauseSpec] = {spec.cause_id: spec for spec in CAUSES}
