"""Claims that find no volume: what the claim asks, held against what each volume offers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rootproof.cluster.fact import ClusterFact, Weight, one_line, sentence
from rootproof.cluster.model import Claim, Pod, Volume
from rootproof.cluster.observations import Event
from rootproof.cluster.quantities import bytes_text
from rootproof.cluster.rules.messages import meaning_of
from rootproof.cluster.rules.view import View, claim_app, fact, selects
from rootproof.cluster.rules.wording import pairs_text
from rootproof.cluster.state import merge

_CLASS = re.compile(r'storageclass\S{0,40} "(?P<name>[^"]{1,253})" not found', re.IGNORECASE)


def storage_facts(view: View) -> Iterator[ClusterFact]:
    """Every claim's state; for a pending one, why no volume fits; then mounts that cannot be written."""
    for claim in view.state.claims.values():
        whole = _whole(view, claim)
        if whole.phase == "Pending":
            yield _unused(view, whole) or _pending(view, whole)
        elif whole.phase == "Lost":
            yield _claim_fact(view, whole, "volume_lost", f"Lost, its volume {whole.volume} is gone", Weight.CAUSE)
        elif whole.phase == "Bound":
            yield fact(
                "pvc", whole.name, "volume", "bound", f"Bound to volume {whole.volume}", namespace=whole.namespace,
                app=claim_app(view, whole.namespace, whole.name), abnormal=False,
            )  # fmt: skip
    yield from _missing_claims(view)
    yield from _host_paths(view)


def _whole(view: View, claim: Claim) -> Claim:
    """The claim with what only its manifest tells: size, selector, access modes."""
    declared = next(
        (
            d
            for d in view.state.declared
            if isinstance(d, Claim) and (d.namespace, d.name) == (claim.namespace, claim.name)
        ),
        None,
    )
    return claim if declared is None else merge(declared, claim)


def _events(view: View, claim: Claim) -> list[Event]:
    return list(view.events_of.get(("pvc", claim.namespace, claim.name), ()))


def _unused(view: View, claim: Claim) -> ClusterFact | None:
    """The claim's state where it is Pending by design: its class binds when a pod uses the claim, and none does."""
    events = _events(view, claim)
    waits = any(event.reason == "WaitForFirstConsumer" for event in events)
    known = view.state.others.get(("storageclass", "", claim.storage_class or ""))
    late = waits or (known is not None and known.details.get("VOLUMEBINDINGMODE") == "WaitForFirstConsumer")
    used = claim.used_by or claim_app(view, claim.namespace, claim.name) is not None
    if not late or used or any(event.type == "Warning" for event in events):
        return None
    return fact(
        "pvc", claim.name, "volume", "waits_for_consumer",
        f"Pending until a pod uses it, storage class {claim.storage_class} binds late", namespace=claim.namespace,
        abnormal=False,
    )  # fmt: skip


def _pending(view: View, claim: Claim) -> ClusterFact:
    events = _events(view, claim)
    said = next((event for event in events if meaning_of(event) is not None), None)
    reason, why = _why_pending(view, claim, events)
    words = sentence(
        "Pending",
        why,
        _wishes(claim),
        f"event {said.reason}: {one_line(said.message, 240)}" if said is not None else None,
        f"used by {', '.join(claim.used_by)}" if claim.used_by else None,
    )
    weight = Weight.FAILURE if reason == "pvc_pending" else Weight.CAUSE
    first, last = view.times(said) if said is not None else (None, None)
    values: dict[str, str | float] = {"storage_class": claim.storage_class or ""}
    if claim.requested_bytes is not None:
        values["requested_bytes"] = claim.requested_bytes
    return fact(
        "pvc", claim.name, "volume", reason, words, namespace=claim.namespace,
        app=claim_app(view, claim.namespace, claim.name), values=values, weight=weight,
        first_at=first, last_at=last, count=said.count if said is not None else None,
    )  # fmt: skip


def _claim_fact(view: View, claim: Claim, reason: str, words: str, weight: Weight) -> ClusterFact:
    app = claim_app(view, claim.namespace, claim.name)
    return fact("pvc", claim.name, "volume", reason, words, namespace=claim.namespace, app=app, weight=weight)


def _wishes(claim: Claim) -> str | None:
    return sentence(
        f"asks for {bytes_text(claim.requested_bytes)}" if claim.requested_bytes is not None else None,
        f"access modes {', '.join(claim.access_modes)}" if claim.access_modes else None,
        f"storage class {claim.storage_class}" if claim.storage_class else None,
        f"selector {pairs_text(claim.selector)}" if claim.selector else None,
    )


def _why_pending(view: View, claim: Claim, events: list[Event]) -> tuple[str, str | None]:
    volumes = list(view.state.volumes.values())
    named = next((match for event in events if (match := _CLASS.search(event.message))), None)
    missing_class = named["name"] if named is not None else None
    if missing_class is None and claim.storage_class and _no_volume_has(volumes, claim):
        exists = view.state.exists("storageclass", "", claim.storage_class)
        missing_class = claim.storage_class if exists is False else None
    if missing_class is not None:
        offered = sorted({volume.storage_class for volume in volumes if volume.storage_class})
        tail = f"; volumes offer {', '.join(offered)}" if offered else ""
        return "storage_class_not_found", f'storage class "{missing_class}" does not exist{tail}'
    best = min(volumes, key=lambda volume: len(_misfits(claim, volume)), default=None)
    if best is None:
        return "pvc_pending", None
    misfits = _misfits(claim, best)
    if not misfits:
        return "pvc_pending", None
    reason, words = misfits[0]
    others = [more for _, more in misfits[1:]]
    return reason, sentence(f"volume {best.name} does not fit: {words}", *others)


def _no_volume_has(volumes: list[Volume], claim: Claim) -> bool:
    return all(volume.storage_class != claim.storage_class for volume in volumes)


def _misfits(claim: Claim, volume: Volume) -> list[tuple[str, str]]:
    """Why the volume cannot serve the claim, the plainest reason first; empty when it could."""
    found: list[tuple[str, str]] = []
    wanted = claim.storage_class or ""
    if claim.storage_class is not None and volume.storage_class is not None and wanted != volume.storage_class:
        have = volume.storage_class or "none"
        found.append(
            ("pvc_storage_class_mismatch", f"the claim's storage class is {wanted or 'none'}, the volume's is {have}")
        )
    asked, there = claim.requested_bytes, volume.capacity_bytes
    if asked is not None and there is not None and asked > there:
        found.append(("pvc_capacity_mismatch", f"{bytes_text(asked)} asked, {bytes_text(there)} there"))
    if claim.access_modes and volume.access_modes is not None:
        lacking = [mode for mode in claim.access_modes if mode not in volume.access_modes]
        if lacking:
            words = f"access mode {', '.join(lacking)} asked, the volume has {', '.join(volume.access_modes)}"
            found.append(("pvc_access_mode_mismatch", words))
    if claim.selector and volume.labels is not None and not selects(claim.selector, volume.labels):
        words = f"selector {pairs_text(claim.selector)} asked, the volume's labels are {pairs_text(volume.labels)}"
        found.append(("pvc_selector_mismatch", words))
    own = f"{claim.namespace}/{claim.name}"
    if volume.phase in {"Bound", "Released"} and volume.claim and volume.claim != own:
        found.append(("volume_bound_elsewhere", f"it is {volume.phase} to claim {volume.claim}"))
    return found


def _missing_claims(view: View) -> Iterator[ClusterFact]:
    seen: set[tuple[str, str]] = set()
    for pod in view.state.pods.values():
        if not view.is_bad(pod):
            continue
        for volume in pod.spec.volumes:
            key = (pod.namespace, volume.target or "")
            if volume.kind == "pvc" and key not in seen and view.state.exists("pvc", *key) is False:
                seen.add(key)
                words = f"does not exist, but pod {pod.name} mounts it"
                yield fact(
                    "pvc", key[1], "volume", "pvc_not_found", words, namespace=pod.namespace, app=view.app_of(pod),
                    weight=Weight.FAILURE,
                )  # fmt: skip


def _host_paths(view: View) -> Iterator[ClusterFact]:
    """A crashing container that runs as a plain user and keeps its data in a directory of the node."""
    for pod in view.state.pods.values():
        restarts = pod.restarts or 0
        if not view.is_bad(pod) or not (restarts or pod.status == "CrashLoopBackOff"):
            continue
        paths = {volume.name: volume.target for volume in pod.spec.volumes if volume.kind == "hostpath"}
        user = _plain_user(view, pod)
        mounted = [(name, path) for c in pod.spec.containers for name, path in c.mounts if name in paths]
        if mounted and user is not None:
            name, path = mounted[0]
            words = (
                f"crashes, mounts node directory {paths[name]} at {path} and runs as user {user}, "
                "which may not write there (fsGroup does not apply to host paths)"
            )
            yield fact(
                "pod", pod.name, "mount", "host_path_as_plain_user", words, namespace=pod.namespace,
                app=view.app_of(pod), values={"host_path": paths[name] or "", "user": user}, weight=Weight.LEAD,
            )  # fmt: skip


def _plain_user(view: View, pod: Pod) -> int | str | None:
    specs = (pod.spec, view.declared_spec(pod.namespace, view.app_of(pod)))
    for container in (c for spec in specs for c in spec.containers):
        if container.run_as_user:
            return container.run_as_user
        if container.run_as_non_root:
            return "other than root"
    return None
