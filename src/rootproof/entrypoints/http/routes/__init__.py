"""One file a topic; `app.py` mounts them."""
