"""The HTTP face: routes, errors as problems, keys, streams."""
