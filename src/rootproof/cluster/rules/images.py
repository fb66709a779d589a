"""Images that cannot be pulled: why, from the registry's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rootproof.cluster.fact import ClusterFact, Weight, one_line, sentence
from rootproof.cluster.model import Pod
from rootproof.cluster.observations import Event
from rootproof.cluster.rules.health import waiting_reason
from rootproof.cluster.rules.messages import Meaning, image_meaning, is_pull, telling_part
from rootproof.cluster.rules.view import View, pod_fact

_IMAGE_WORDS = frozenset(
    {"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError"}
)
_QUOTED = re.compile(r'image "(?P<image>[^"\s]{1,400})"')


def image_facts(view: View) -> Iterator[ClusterFact]:
    """One fact a failing pod whose image cannot be had."""
    for pod in view.state.pods.values():
        if not view.is_bad(pod):
            continue
        waiting = waiting_reason(pod)
        pulls = [event for event in view.pod_events(pod) if is_pull(event)]
        if waiting not in _IMAGE_WORDS and (waiting is not None or not pulls):
            continue
        if not pulls and not any(c.image or (c.state is not None and c.state.message) for c in pod.spec.containers):
            # Only a table row was seen: the status says as much.
            continue
        yield _fact(view, pod, waiting, pulls)


def _fact(view: View, pod: Pod, waiting: str | None, pulls: list[Event]) -> ClusterFact:
    messages = [(event, image_meaning(event.message)) for event in pulls]
    event, meaning = next((pair for pair in messages if pair[1] is not None), (None, None))
    stated = next(
        (
            c.state.message
            for c in pod.spec.containers
            if c.state is not None and c.state.message and c.state.kind == "waiting"
        ),
        None,
    )
    if meaning is None and stated:
        meaning = image_meaning(stated)
    if waiting == "InvalidImageName":
        meaning = Meaning("image", "image_not_found", Weight.CAUSE)
    reason = meaning.reason if meaning is not None else "image_pull_back_off"
    image = _image(pod, pulls)
    secrets = _pull_secrets(view, pod)
    words = sentence(
        f"image {image} cannot be pulled" if image else "image cannot be pulled",
        f"waiting with {waiting}" if waiting else None,
        _secret_words(view, pod, secrets)
        if reason in {"image_pull_unauthorized", "image_pull_access_denied"}
        else None,
        f"message: {one_line(telling_part(event.message if event is not None else stated or '', 370), 380)}"
        if event or stated
        else None,
    )
    first, last = view.times(event) if event is not None else (None, None)
    return pod_fact(
        view,
        pod,
        "image",
        reason,
        words,
        values={"image": image or ""},
        weight=meaning.weight if meaning is not None else Weight.FAILURE,
        first_at=first,
        last_at=last,
        count=event.count if event is not None else None,
    )


def _image(pod: Pod, pulls: list[Event]) -> str | None:
    match = next((found for event in pulls if (found := _QUOTED.search(event.message))), None)
    if match is not None:
        return match["image"]
    waiting = [c.image for c in pod.spec.containers if c.state is not None and c.state.kind == "waiting"]
    return next((image for image in (*waiting, *(c.image for c in pod.spec.containers)) if image), None)


def _pull_secrets(view: View, pod: Pod) -> tuple[str, ...] | None:
    account = view.state.others.get(("serviceaccount", pod.namespace, pod.spec.service_account or "default"))
    declared = view.declared_spec(pod.namespace, view.app_of(pod))
    known = [
        names
        for names in (
            pod.spec.image_pull_secrets,
            declared.image_pull_secrets,
            account.image_pull_secrets if account is not None else None,
        )
        if names is not None
    ]
    return tuple(dict.fromkeys(name for names in known for name in names)) if known else None


def _secret_words(view: View, pod: Pod, secrets: tuple[str, ...] | None) -> str | None:
    if secrets is None:
        return None
    if not secrets:
        return "no image pull secret is set on the pod or its service account"
    missing = [name for name in secrets if view.state.exists("secret", pod.namespace, name) is False]
    if missing:
        return f"image pull secret {', '.join(missing)} does not exist"
    return f"image pull secrets: {', '.join(secrets)}"
