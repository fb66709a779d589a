"""The playbook reasoner: a deterministic model behind the Model port. It needs no key and no network."""
