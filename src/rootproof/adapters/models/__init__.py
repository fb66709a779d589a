"""Language models through pydantic-ai's model layer. Nothing here is imported until an LLM is used."""
