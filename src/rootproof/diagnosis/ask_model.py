"""Ask a model within its deadline, with bounded retries where the provider says that another try may work."""

from __future__ import annotations

import asyncio

from rootproof.domain.limits import RunLimits
from rootproof.errors import ModelError
from rootproof.ports.clock import Clock
from rootproof.ports.model import Model, ModelReply, ModelRequest

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 30.0


async def ask_model(
    model: Model, request: ModelRequest, limits: RunLimits, clock: Clock, *, within_s: float
) -> ModelReply:
    """The reply, within `limits.model_deadline_s` and `within_s`, tries and waits included.

    A retry is made only where nothing was received (`ModelError.retryable`), after the provider's own waiting time
    where it gives one. A provider that asks for a longer wait than a run can give is not asked again.
    Raises: ModelError when the tries or the time are used up.
    """
    deadline_s = min(limits.model_deadline_s, within_s)
    deadline = clock.monotonic() + deadline_s
    wait_s = _FIRST_WAIT_S
    for tries_left in reversed(range(limits.max_model_retries + 1)):
        left_s = deadline - clock.monotonic()
        if left_s <= 0:
            break
        try:
            async with asyncio.timeout(left_s):
                return await model.complete(request, deadline_s=left_s)
        except TimeoutError:
            break
        except ModelError as error:
            if not error.retryable or not tries_left:
                raise
            pause = wait_s if error.retry_after_s is None else error.retry_after_s
            if pause > _LONGEST_WAIT_S or clock.monotonic() + pause >= deadline:
                raise ModelError(f"{error} (another try would be in {pause:g} s: later than the run waits)") from error
            await asyncio.sleep(pause)
            wait_s *= 3
    raise ModelError(f"{model.name} gave no whole reply within {max(deadline_s, 0):g} s")
