"""Alert payloads of any vendor, made into `domain.alert` values. Pure: bytes or text in, values out."""
