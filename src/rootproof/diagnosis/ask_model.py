"""Ask a model within its deadline, with bounded retries where the provider says that another try may work."""

from __future__ import annotations

import asyncio

from rootproof.domain.limits import RunLimits
from rootproof.errors import ModelError
from rootproof.ports.clock import Clock
from rootproof.ports.model import Model, ModelReply, ModelRequest

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 20.0


async def ask_model(model: Model, request: ModelRequest, limits: RunLimits, clock: Clock) -> ModelReply:
    """The reply. A retry is made only where nothing was received (`ModelError.retryable`), after the provider's own
    waiting time where it gives one.

    Raises: ModelError when the tries or the time are used up.
    """
    deadline = clock.monotonic() + limits.model_deadline_s
    wait_s = _FIRST_WAIT_S
    for attempt in range(limits.max_model_retries + 1):
        left_s = deadline - clock.monotonic()
        if left_s <= 0:
            raise ModelError(f"{model.name} gave no reply within {limits.model_deadline_s:g} s")
        try:
            async with asyncio.timeout(left_s):
                return await model.complete(request, deadline_s=left_s)
        except TimeoutError as error:
            raise ModelError(f"{model.name} gave no reply within {limits.model_deadline_s:g} s") from error
        except ModelError as error:
            if not error.retryable or attempt == limits.max_model_retries:
                raise
            pause = min(error.retry_after_s if error.retry_after_s is not None else wait_s, _LONGEST_WAIT_S)
            if clock.monotonic() + pause >= deadline:
                raise
            await asyncio.sleep(pause)
            wait_s *= 3
    raise ModelError(f"{model.name} gave no reply in {limits.max_model_retries + 1} tries")
