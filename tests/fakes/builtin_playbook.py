"""The built-in skills as a run has them."""

from __future__ import annotations

from rootproof.agent.playbook.catalogue import Catalogue
from rootproof.skills.builtin import builtin_sidecars, builtin_texts
from rootproof.skills.catalog import Catalog


def builtin_skills() -> Catalog:
    """The skills that ship, with their sidecars."""
    return Catalog(builtin_texts(), builtin_sidecars=builtin_sidecars)


BUILTIN = Catalogue.of(builtin_skills().playbooks())
"""What the playbook reasoner knows without a user's skills."""
