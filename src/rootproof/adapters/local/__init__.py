"""Files of this machine: the embedded twin of what Redis keeps."""
