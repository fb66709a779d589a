"""Lists of words, written as running text so that they stay readable."""

from __future__ import annotations


def word_list(text: str) -> tuple[str, ...]:
    """The words of `text`, in order."""
    return tuple(text.split())


def word_set(text: str) -> frozenset[str]:
    """The words of `text`."""
    return frozenset(text.split())


STATE_WORDS = word_set(
    "failed failure failing fail error errors success succeeded successful successfully ok started starting "
    "start stopped stopping stop up down timeout timedout refused denied rejected accepted ready notready "
    "unready running killed crashed lost closed opened open connected disconnected reset aborted cancelled "
    "canceled expired healthy unhealthy degraded pending completed complete finished done active inactive "
    "enabled disabled online offline created deleted removed added updated restarted restarting exhausted "
    "exceeded full empty missing unavailable available invalid valid allowed forbidden unauthorized locked "
    "unlocked joined left paused resumed warning fatal critical info debug trace severe oomkilled evicted "
    "terminated died begin end enter exit leaving entering true false enable disable permit permitted deny allow "
    "grant granted reject attach attached detach detached connect disconnect mounted unmounted loaded "
    "unloaded register registered unregister unregistered suspend suspended resume initialized"
)
"""Words that say how something went; none of them is ever a value."""

CUES = word_set(
    "for from to at by in on of with via into onto over under user host node pod service server client file "
    "path name id key value topic queue table database bucket address port url uri method class type thread "
    "job task container image namespace as is was are not than using volume pool device partition group member session "
    "cluster region zone disk interface channel stream schema column role account provider adapter module plugin "
    "component unit process program command event rule filter sensor domain realm tenant project package driver "
    "reason version resource request option option parameter"
)
"""Words after which a value is to be expected."""

STRONG_CUES = word_set("for from to at by user host node pod service client file path name")
"""Words after which a value is all but certain."""

FUNCTION_WORDS = word_set(
    "a an the no not and or but if then else when while of for from to at by in on with via into onto over under "
    "is was are were be been has have had can cannot will would should must may might do does did this that these "
    "those it its all any some each every more less than too very only already still yet again never"
)
"""Words that hold a sentence together."""
