"""A file's or pod's name says the workload where it has a pod's shape, and nothing where it has not."""

from __future__ import annotations

import pytest

from rootproof.adapters.sources.workload import stem_of, workload_of


@pytest.mark.parametrize(
    ("pod", "workload"),
    [
        ("kiosk-api-6c9d7b5f48-x2k8p", "kiosk-api"),
        ("kiosk-api-51-59d94fd7cc-927wn", "kiosk-api-51"),
        ("log-shipper-7z9gm", "log-shipper"),
        ("kiosk-db-0", "kiosk-db"),
        ("kiosk-api", None),
        ("front-proxy", None),
        ("kiosk-cache-redis", None),
        ("order-intake", None),
        ("v2", None),
        ("", None),
    ],
)
def test_workload_of_a_pod_name(pod, workload):
    assert workload_of(pod) == workload


@pytest.mark.parametrize(
    ("file_name", "stem"),
    [
        ("kiosk.log", "kiosk"),
        ("kiosk.log.2.gz", "kiosk"),
        ("kiosk.log.3.zst", "kiosk"),
        ("kiosk-2026-05-01.jsonl", "kiosk"),
        ("kiosk.log-20260501", "kiosk"),
        ("kiosk", "kiosk"),
        (".log", ".log"),
        ("kiosk-api-6c9d7b5f48-x2k8p.log", "kiosk-api-6c9d7b5f48-x2k8p"),
        ("kiosk-0_shop_main-" + "ab" * 32 + ".log", "kiosk-0"),
    ],
)
def test_stem_of_a_file_name(file_name, stem):
    assert stem_of(file_name) == stem
