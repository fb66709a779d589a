"""Sidecars: what is read from one, every kind of problem with its place and a way out, and phrases that stay linear."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootproof.aci import requests
from rootproof.domain.claim import CauseCategory
from rootproof.domain.playbook import SeriesState, Source
from rootproof.domain.vocabulary import CustomKind, Kind, Scope, Topic
from rootproof.skills.builtin import builtin_sidecars, builtin_texts
from rootproof.skills.catalog import Catalog, load_playbooks
from rootproof.skills.phrase import parse_phrase, phrase_faults
from rootproof.skills.sidecar import check_sidecar, read_playbook
from rootproof.skills.tool_shapes import RANGES, REQUIRED, TOOLS, faults
from tests.docs.skill_vocabulary import PAGE, page

GOOD = """\
schema = 1

[[evidence]]
tool = "query_metrics"
arguments = { contains = ["spool"] }
why = "does the spool grow?"

[[pattern]]
name = "custom.spool_full"
source = "logs"
topics = ["APPLICATION"]
any_of = ["spool of {printer} is full"]

[[pattern]]
name = "custom.spool_grows"
source = "metrics"
series = ["Spool"]
state = "rising"

[[hypothesis]]
id = "printer_stuck"
category = "DEPENDENCY_FAILURE"
title = "a stuck printer"
sentence = "{subject} waits for the printer {printer}"
fallback = "{subject} waits for its printer"
explains = ["latency", "errors"]
needs = [
  { any_of = ["custom.spool_full", "log.call_timeout"], words = ["Spool"] },
]
confirming = { "custom.spool_grows" = 0.5 }
ruled_out_by = ["metric.cpu.saturated"]
consequence_of = ["oom_killed"]
decide = "query_logs contains='spool'"
ruled_out = "No printer is stuck"
[[hypothesis.actions]]
text = "Restart the printer."
risk = "low: one label is lost"
"""
HYPOTHESIS = GOOD.index("[[hypothesis]]")


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new, 1)


def test_everything_that_a_sidecar_says_is_read() -> None:
    playbook, problems = read_playbook("diagnose-print", GOOD)

    assert problems == []
    assert playbook is not None
    (spec,) = playbook.hypotheses
    assert (spec.cause_id, spec.category, spec.scope) == (
        "printer_stuck",
        CauseCategory.DEPENDENCY_FAILURE,
        Scope.WORKLOAD,
    )
    assert spec.needs[0].kinds == {CustomKind("custom.spool_full"), Kind.CALL_TIMEOUT}
    assert spec.needs[0].words == ("spool",)
    assert spec.explains == {Topic.LATENCY, Topic.ERRORS}
    assert spec.confirming == {CustomKind("custom.spool_grows"): 0.5}
    assert (spec.refuted_by, spec.consequence_of) == ({Kind.CPU_SATURATED}, {"oom_killed"})
    assert [(a.text, a.risk) for a in spec.actions] == [("Restart the printer.", "low: one label is lost")]
    assert (playbook.evidence[0].tool, playbook.evidence[0].arguments) == ("query_metrics", {"contains": ["spool"]})
    full, grows = playbook.patterns
    assert (full.source, full.topics, full.any_of) == (Source.LOGS, ("APPLICATION",), ("spool of {printer} is full",))
    assert (grows.series, grows.state) == (("spool",), SeriesState.RISING)


@pytest.mark.parametrize(
    ("text", "said", "at"),
    [
        (GOOD + "[[", "not valid TOML", None),
        (changed("schema = 1", "schema = 2"), "playbook.toml, schema: must be 1", None),
        (changed("schema = 1", ""), "playbook.toml, schema: must be 1", None),
        (GOOD + '\n[[hypotheses]]\nid = "x"\n', "hypotheses: is no key here; did you mean 'hypothesis'?", None),
        (changed('title = "a stuck printer"\n', ""), "hypothesis 1 (printer_stuck), title: is missing", "[[hypo"),
        (changed('title = "a', 'titel = "a'), "titel: is no key here; did you mean 'title'?", "titel ="),
        (changed('"a stuck printer"', "12"), "title: must be a text that is not empty, not 12", "title ="),
        (changed('"a stuck printer"', f'"{"x" * 121}"'), "title: has 121 characters; at most 120", "title ="),
        (changed('"printer_stuck"', '"Printer stuck"'), "id: 'Printer stuck' may hold lower-case", "id ="),
        (changed("DEPENDENCY_FAILURE", "DEPENDENCY_FAILED"), "did you mean 'DEPENDENCY_FAILURE'?", "category ="),
        (changed('"latency", ', '"latencey", '), "'latencey' is not known; did you mean 'latency'?", "explains ="),
        (changed('["latency", "errors"]', "[]"), "explains: has 0 entries; 1 to", "explains ="),
        (changed('["latency", "errors"]', '"errors"'), "explains: must be a list of texts", "explains ="),
        (changed("log.call_timeout", "log.call_timeouts"), "did you mean 'log.call_timeout'", "[[hypo"),
        (changed("log.call_timeout", "custom.paper"), "'custom.paper' is not known", "[[hypo"),
        (changed('any_of = ["custom.spool_full", "log.call_timeout"], ', ""), "needs 1, any_of: has 0", "[[hypo"),
        (changed(', words = ["Spool"]', ', word = ["x"]'), "word: is no key here; did you mean 'words'?", "[[hypo"),
        (
            changed('"custom.spool_grows" = 0.5', '"custom.spool_grow" = 0.5'),
            "did you mean 'custom.spool",
            "confirming =",
        ),
        (changed("= 0.5 }", "= 9 }"), "the weight of custom.spool_grows must be a number over 0", "confirming ="),
        (changed("= 0.5 }", "= true }"), "the weight of custom.spool_grows must be a number over 0", "confirming ="),
        (
            changed("metric.cpu.saturated", "metric.cpu.satured"),
            "did you mean 'metric.cpu.saturated'",
            "ruled_out_by =",
        ),
        (changed("printer {printer}", "printer {printr}"), "did you mean 'printer'?", "sentence ="),
        (changed("printer {printer}", "printer {printer.x}"), "write no others", "sentence ="),
        (changed('fallback = "{subject} waits for its printer"\n', ""), "fallback: is missing; say it", "[[hypo"),
        (changed("for its printer", "for {printer}"), "fallback: 'printer' is not known", "fallback ="),
        (changed('risk = "low: one', 'risks = "low: one'), "actions 1, risks: is no key", "risks ="),
        (GOOD[:HYPOTHESIS] + GOOD[HYPOTHESIS:] * 2, "'printer_stuck' is defined twice", None),
        (changed('"query_metrics"', '"query_metric"'), "tool: 'query_metric' is not known; did you", "tool ="),
        (changed('["spool"]', '"spool"'), "contains must be a list of 1 to 20 texts", "arguments ="),
        (changed("contains = [", "contain = ["), "takes no 'contain'; did you mean 'contains'?", "arguments ="),
        (changed('{ contains = ["spool"] }', '"spool"'), "arguments: must be a table", "arguments ="),
        (changed('["spool"] }', '["spool"], lookback_minutes = 0 }'), "a whole number from 1 to 10080", "arguments ="),
        (changed('why = "does the spool grow?"\n', ""), "evidence 1, why: is missing", "[[evid"),
        (changed('"custom.spool_full"\nsource', '"spool_full"\nsource'), "must be custom.<name>", "name ="),
        (changed('source = "logs"', 'source = "log"'), "source: 'log' is not known; did you mean 'logs'?", "source ="),
        (changed('"APPLICATION"', '"APPLICATIONS"'), "did you mean 'APPLICATION'?", "topics ="),
        (changed("spool of {printer} is full", "*"), "would match nearly everything", "any_of ="),
        (changed("spool of {printer} is", "spool {a}{b} is"), "two names need a literal", "any_of ="),
        (changed("spool of {printer} is", "spool {Printer is"), "braces hold a name", "any_of ="),
        (changed("spool of {printer} is", "spool {a} of {a} is"), "a name stands twice", "any_of ="),
        (changed("spool of {printer} is", "x" * 200), "at most 200 are allowed", "any_of ="),
        (changed('series = ["Spool"]\n', ""), "series: has 0 entries", "[[pattern]]"),
        (changed('state = "rising"', 'state = "raising"'), "did you mean 'rising'?", "state ="),
        (changed('state = "rising"', 'any_of = ["spool"]'), "any_of: is no key here", "any_of ="),
    ],
)
def test_a_problem_says_where_what_and_what_to_do(text: str, said: str, at: str | None) -> None:
    playbook, problems = read_playbook("diagnose-print", text)

    assert playbook is None, "a file with a problem is not used in part"
    found = [problem for problem in problems if said in problem.message]
    assert found, [problem.message for problem in problems]
    if at is not None:
        line = text.split("\n")[(found[0].line or 0) - 1]
        assert line.startswith(at), (line, found[0])


def test_a_syntax_error_names_its_line() -> None:
    _, (problem,) = read_playbook("x", "schema = 1\n[[hypothesis]]\nid = oom\n")

    assert problem.line == 3


def test_a_file_that_is_wrong_everywhere_is_told_of_in_part() -> None:
    text = GOOD + "".join(f"[[pattern]]\nname = {number}\n" for number in range(40))
    _, problems = read_playbook("x", "".join(f"k{number} = 1\n" for number in range(8_000)) + text)

    assert len(problems) == 50


def test_a_cause_that_nobody_defines_is_a_warning_with_the_nearest() -> None:
    (problem,) = check_sidecar("x", changed('["oom_killed"]', '["oom_kiled"]'), {"oom_killed"})

    assert problem.severity == "warning"
    assert "there is no cause 'oom_kiled'; did you mean 'oom_killed'?" in problem.message
    assert check_sidecar("x", GOOD, {"oom_killed"}) == []


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_judged(text: str) -> None:
    for written in (text, GOOD[: len(text) * 4] + text):
        playbook, problems = read_playbook("x", written)
        assert playbook is not None or problems


def test_the_shapes_are_those_of_the_tools() -> None:
    models: dict[str, Any] = {
        "query_logs": requests.QueryLogsRequest,
        "query_metrics": requests.QueryMetricsRequest,
        "query_alerts": requests.QueryAlertsRequest,
        "query_cluster": requests.QueryClusterRequest,
        "lookup_knowledge": requests.RagToolRequest,
    }
    assert set(TOOLS) == set(models)
    for tool, model in models.items():
        fields = model.model_fields
        assert set(TOOLS[tool]) == set(fields), tool
        assert {name for name, field in fields.items() if field.is_required()} == {*REQUIRED.get(tool, "").split()}
        sample = {"query_logs": {"topic": "APPLICATION"}, "lookup_knowledge": {"query": "x"}}.get(tool, {})
        sample |= {"view": "list"} if tool == "query_cluster" else {}
        for name, shape in TOOLS[tool].items():
            for word in shape if isinstance(shape, tuple) else ():
                model(**{**sample, name: word})
            if isinstance(shape, tuple):
                with pytest.raises(ValueError, match=name):
                    model(**{**sample, name: "nothing"})
    for key, (least, most) in RANGES.items():
        tool = "lookup_knowledge" if key == "top_k" else "query_metrics"
        sample: dict[str, Any] = {"query": "x"} if key == "top_k" else {}
        models[tool](**sample, **{key: least})
        models[tool](**sample, **{key: most})
        with pytest.raises(ValueError, match=key):
            models[tool](**sample, **{key: most + 1})


def test_every_built_in_request_is_one_the_tool_takes() -> None:
    playbooks, problems = load_playbooks(builtin_sidecars())
    assert problems == []
    models: dict[str, Any] = {
        "query_logs": requests.QueryLogsRequest,
        "query_metrics": requests.QueryMetricsRequest,
        "query_alerts": requests.QueryAlertsRequest,
        "query_cluster": requests.QueryClusterRequest,
    }
    for playbook in playbooks:
        assert playbook.evidence, playbook.skill
        for one in playbook.evidence:
            models[one.tool](**one.arguments)
            assert faults(one.tool, one.arguments) == []


def test_the_built_in_causes_are_defined_once_and_refer_to_each_other() -> None:
    playbooks, _ = load_playbooks(builtin_sidecars())
    ids = [spec.cause_id for playbook in playbooks for spec in playbook.hypotheses]

    assert len(ids) == len(set(ids))
    assert len(ids) >= 50
    for path, text in builtin_sidecars():
        assert check_sidecar(path.split("/")[1], text, ids) == [], path
    assert {path.split("/")[1] for path, _ in builtin_sidecars()} == {path.split("/")[1] for path, _ in builtin_texts()}


def skill(name: str) -> str:
    return f"---\nname: {name}\ndescription: Looks.\n---\n\nLook.\n"


def test_a_users_sidecar_replaces_the_built_in_one_of_its_skill() -> None:
    shipped = [("builtin/a/playbook.toml", GOOD), ("builtin/b/playbook.toml", GOOD)]
    mine = [("mine/a/playbook.toml", changed("printer_stuck", "paper_jam"))]
    texts = [("builtin/a/SKILL.md", skill("a")), ("builtin/b/SKILL.md", skill("b")), ("mine/a/SKILL.md", skill("a"))]
    catalog = Catalog(texts, mine, builtin_sidecars=lambda: shipped)

    assert [(one.skill, one.hypotheses[0].cause_id) for one in catalog.playbooks()] == [
        ("a", "paper_jam"),
        ("b", "printer_stuck"),
    ]


def test_a_broken_sidecar_is_told_and_the_built_in_one_stays() -> None:
    shipped = [("builtin/a/playbook.toml", GOOD)]
    catalog = Catalog([], [("mine/a/playbook.toml", "schema = 3")], builtin_sidecars=lambda: shipped)

    assert [one.hypotheses[0].cause_id for one in catalog.playbooks()] == ["printer_stuck"]
    assert catalog.problems[0].path == "mine/a/playbook.toml"
    assert catalog.problems[0].skipped


def test_built_in_sidecars_are_read_when_they_are_used_and_once() -> None:
    reads: list[int] = []

    def shipped() -> list[tuple[str, str]]:
        reads.append(1)
        return [("builtin/a/playbook.toml", GOOD)]

    catalog = Catalog([("builtin/a/SKILL.md", skill("a"))], builtin_sidecars=shipped)
    assert catalog.infos()
    assert reads == []
    catalog.playbooks()
    catalog.playbooks()
    assert reads == [1]


@pytest.mark.parametrize(
    ("phrase", "text", "words", "values"),
    [
        ("spool is full", "ERROR The SPOOL IS FULL now", "SPOOL IS FULL", {}),
        ("spool * full", "spool of lp1 is full", "spool of lp1 is full", {}),
        ("spool of {printer}: full", "spool of lp-1: full", "spool of lp-1: full", {"printer": "lp-1"}),
        (
            'printer "{printer}" stuck',
            'printer "lp 1" printer "lp-2" stuck',
            'printer "lp-2" stuck',
            {"printer": "lp-2"},
        ),
        ("job {job} of {user} waits", "job 17 of ann waits", "job 17 of ann waits", {"job": "17", "user": "ann"}),
        ("a.b (c)", "x A.B (C) y", "A.B (C)", {}),
    ],
)
def test_a_phrase_is_found_with_what_its_names_caught(
    phrase: str, text: str, words: str, values: dict[str, str]
) -> None:
    found = parse_phrase(phrase).find(text)

    assert found is not None
    assert (found.words, dict(found.values)) == (words, values)


@pytest.mark.parametrize(
    ("phrase", "text"),
    [("spool * full", "full spool"), ("a.b.c", "axbxc"), ("job {job} waits", "job  waits"), ("spool full", "spool")],
)
def test_a_phrase_that_is_not_there_is_not_found(phrase: str, text: str) -> None:
    assert parse_phrase(phrase).find(text) is None


@pytest.mark.parametrize(
    ("phrase", "unit"),
    [("aaaa*aaaa*aaaa*b!!!", "a"), ("jobs {a}-{b}-{c}-{d}!!!", "jobs a-a-"), ("{a}.{b}.{c} stop", "a.")],
)
def test_matching_takes_time_in_proportion_to_the_text(phrase: str, unit: str) -> None:
    assert phrase_faults(phrase) == []
    found = parse_phrase(phrase)

    def took(size: int) -> float:
        text = unit * (size // len(unit))
        best = 1e9
        for _ in range(5):
            started = time.perf_counter()
            assert found.find(text) is None
            best = min(best, time.perf_counter() - started)
        return best

    assert took(160_000) < 24 * took(16_000), "ten times the text, ten times the time"


DOCS = Path(__file__).parents[2] / "docs"


def test_the_reference_names_every_word_of_the_vocabulary() -> None:
    text = PAGE.read_text(encoding="utf-8")

    assert text == page(), "run `python -m tests.docs.skill_vocabulary` and commit docs/reference/skill-sidecar.md"
    for words in (Kind, Topic, CauseCategory, Scope, SeriesState, Source):
        assert [word.value for word in words if f"`{word.value}`" not in text] == []


def test_the_guides_sidecar_is_valid() -> None:
    text = (DOCS / "guides/write-a-skill.md").read_text(encoding="utf-8")
    sidecar = next(block for block in re.findall(r"```toml\n(.*?)```", text, re.DOTALL) if "[[hypothesis]]" in block)
    ids = [spec.cause_id for playbook in load_playbooks(builtin_sidecars())[0] for spec in playbook.hypotheses]

    assert check_sidecar("diagnose-print-queue", sidecar, ids) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("schema = true\n", "must be 1"),
        ("schema = 1.0\n", "must be 1"),
        ("schema = " + "9" * 5000, "not valid TOML"),
        ("schema = 1\n" + ".".join("a" * 50_000) + " = 1", "not valid TOML"),
        ("schema = 1\nx = " + "[" * 5000 + "]" * 5000, "not valid TOML"),
    ],
)
def test_what_the_parser_cannot_take_is_a_problem(text: str, said: str) -> None:
    playbook, problems = read_playbook("spool", text)
    assert playbook is None
    assert said in problems[0].message


def test_a_pattern_looks_in_logs_where_it_says_nothing_else() -> None:
    playbook, problems = read_playbook("spool", GOOD.replace('source = "logs"\n', "", 1))
    assert not problems
    assert playbook is not None
    assert playbook.patterns[0].source is Source.LOGS


def test_words_behind_the_last_problem_told_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("rootproof.skills.tables.near", lambda word, _: asked.append(word) or "")
    weights = ", ".join(f"k{number} = 1" for number in range(3000))
    read_playbook("spool", f'schema = 1\n[[hypothesis]]\nid = "spool_full"\nconfirming = {{ {weights} }}\n')
    assert len(asked) <= 60
