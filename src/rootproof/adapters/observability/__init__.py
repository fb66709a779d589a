"""Measurements for Prometheus, spans for OpenTelemetry, log lines as JSON."""
