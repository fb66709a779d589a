"""What a follow-up question leaves unsaid: "and why did it start?" is about what the session spoke of before.

A question that names anything of its own is about that and nothing else. Told by words alone: what is not in the list
of words that name nothing in particular is taken for a name, so in doubt nothing is carried over. Pure.
"""

from __future__ import annotations

import re

from rootproof.agent.briefing import Briefing
from rootproof.agent.grounding.wordlists import words

MAX_CARRIED_CHARS = 1_000
_WORD = re.compile(r"<[^<>\s]{1,120}>|[A-Za-z][A-Za-z'’]*(?:[._/-][A-Za-z0-9]+|[0-9]+)*")
_RUN = re.compile(r"\brun-[0-9A-Za-z-]+")
_OBJECTS = re.compile(r"^At fault: (?P<names>.+)$", re.MULTILINE)
_ABOUT = re.compile(r"^The alerts are about (?P<name>\S{1,255})\.?$", re.MULTILINE)
_NAMELESS = words("""
    a about actually after again ago alert alerts all already also am an and another any anything app application are
    around as at back backend bad be because been before began begin behind being better between both break broke broken
    but by came can case cause caused causes certain change changed changes check client clients close cluster code come
    compare config configuration confirm connection connections container containers correlate could cpu crash crashed
    cron customer customers data database databases day days db debug deep deeper deploy deployed deployment deployments
    details deployed did die died disk dns do does doing done down during each earlier else end ended error errors
    evidence ever every exactly exception exceptions explain fail failed failing fails failure failures far fault find
    first fix fixed follow for from further get getting give go going gone got graph had happen happened happening
    happens has have healthy help her here high higher his hour hours how however i if impact impacted in increase
    increased infrastructure instance instances into is isn issue issues it its itself job jobs just keep know last
    latency later least let level limit limits load log logs long look low lower machine make many may maybe me mean
    memory metric metrics might min mins minute minutes month more morning most much my near network new next night no
    node nodes normal not nothing now occur occurred of off ok okay on once one ones only or other others our out outage
    over own part past people place please pod pods point pool possible previous probably problem problems process
    production proof prove queries query queue quick quickly rather really reason recent recently recover recovered
    related replica replicas replication report request requests resolve resolved restart restarted restarts result
    right role roll rollback root said same saw say says second seconds see seen server servers service services session
    several should show side since slow slower so some something soon spike start started starting starts state status
    still stop stopped storage such summarise summarize summary sure symptom symptoms system take tell than thank thanks
    that that's the their them then there these they thing things think this those though threshold time timeline times
    to today together told too traffic trigger triggered true trouble try two under understand up upstream us use user
    users usage very want was way we week weeks well went were what what's when where whether which while who why will
    with without worse would wrong yes yesterday yet you your downstream dependency dependencies doesn don
    didn wasn weren aren won hasn haven couldn wouldn shouldn
""")


def carried(briefing: Briefing) -> str:
    """What the session spoke of last, where the question names nothing of its own; else empty.

    Shape: the last question that named something and what its answer found at fault, bounded.
    """
    if briefing.alerts or not briefing.question or not briefing.history or names_something(briefing.question):
        return ""
    last = next((each for each in reversed(briefing.history) if names_something(each.question)), None)
    # Follow-ups of follow-ups keep the subject of the first.
    since = briefing.history[briefing.history.index(last) :] if last is not None else briefing.history[-1:]
    found = [name for each in since for part in _OBJECTS.findall(each.answer) for name in part.split(", ")]
    asked = (last or briefing.history[-1]).question
    about = _ABOUT.findall(asked)
    spoken = " ".join(about) if about else asked
    return " ".join(dict.fromkeys((spoken, *found)))[:MAX_CARRIED_CHARS].strip()


def names_something(question: str) -> bool:
    """Whether a question names what it is about."""
    return any(_plain(word) not in _NAMELESS for word in _WORD.findall(_RUN.sub(" ", question)))


def _plain(word: str) -> str:
    lowered = word.lower().replace("’", "'")
    return re.sub(r"'(?:s|t|re|ve|ll|d)$", "", lowered)
