"""An engine that asks an endpoint: what it sends, what it keeps to itself, what it spends, when it asks no more."""

import json
import time
from pathlib import Path
from threading import Event

import pytest
from model_requests import GROUP, compiling, heard, policy, prompt_tokens, refuting, synthesize
from model_server import BEHAVIOURS, GOOD, NO_FINDING, ModelServer, patience

from review_agent.engines.earlier import largest_by
from review_agent.engines.messages import prompt
from review_agent.engines.openai import OpenAI
from review_agent.engines.replies import read
from review_agent.errors import UsageError
from review_agent.policy.model_engine import Price
from review_agent.vocabulary import Answer, Call, CallError, ContextItem, EngineRole, UnansweredCause, Usage

KEY = "sk-secret-0123456789"


def engine(server: ModelServer, **changes) -> OpenAI:
    more = {name: changes.pop(name) for name in ("headers", "key") if name in changes}
    return OpenAI(policy(**changes), model="m", base_url=server.base_url, backoff=0.01, **more)


def in_turn(*behaviours: str):
    """These in turn, the last for all that come after."""
    return lambda n, body: behaviours[min(n, len(behaviours) - 1)]


@pytest.mark.parametrize(
    ("request_", "field"),
    [(compiling(), "questions"), (synthesize(), "no_finding"), (refuting(), "refutation")],
    ids=["compile", "synthesize", "refute"],
)
def test_every_role_is_answered(request_, field: str) -> None:
    with ModelServer() as server:
        calls, answers = heard(engine(server), request_)
    assert getattr(answers[request_.request_id], field) is not None
    assert calls[0].form == "schema"
    assert calls[0].error is None
    assert calls[0].raw_usage == {**calls[0].raw_usage, "prompt_tokens": calls[0].usage.prompt_tokens}


def test_an_ablation_is_asked_as_a_synthesis_is() -> None:
    with ModelServer() as server:
        heard(engine(server), synthesize(1), synthesize(1, EngineRole.ABLATE))
    first, second = (one.body["messages"] for one in server.seen)
    assert first == second


def test_nonsense_of_the_right_shape_is_an_answer_for_the_contract_to_judge() -> None:
    with ModelServer(in_turn("nonsense")) as server:
        _, answers = heard(engine(server), synthesize())
    (answer,) = answers.values()
    assert answer.drafts[0]["severity"] == "catastrophic"


def test_a_repair_is_told() -> None:
    with ModelServer(in_turn("fenced", "trailing comma", "good")) as server:
        _, answers = heard(engine(server, concurrency=1), synthesize(1), synthesize(2), synthesize(3))
    details = [one.detail for one in answers.values()]
    assert details == ["repaired: text round it left out", "repaired: commas or closing brackets", ""]
    assert all(one.no_finding == NO_FINDING for one in answers.values())


def test_a_model_that_answers_badly_is_asked_once_more_with_another_seed() -> None:
    with ModelServer(in_turn("prose")) as server:
        calls, answers = heard(engine(server, retries=5), synthesize())
    assert [one.body["seed"] for one in server.seen] == [7, 8]
    assert [call.error for call in calls] == [CallError.NOT_JSON] * 2
    assert [one.failure for one in answers.values()] == [UnansweredCause.MALFORMED]


def test_tries_end_with_the_policy() -> None:
    with ModelServer(in_turn("503")) as server:
        calls, answers = heard(engine(server, retries=3), synthesize())
    assert [call.number for call in calls] == [1, 2, 3, 4]
    assert [one.failure for one in answers.values()] == [UnansweredCause.ENDPOINT_DOWN]


def test_a_server_is_not_asked_again_before_the_time_that_it_names() -> None:
    BEHAVIOURS["429 for a while"] = (lambda turn: turn.status(429, {"Retry-After": "0.7"}), None)
    try:
        with ModelServer(in_turn("429 for a while", "good")) as server:
            began = time.monotonic()
            calls, _ = heard(engine(server), synthesize())
            took = time.monotonic() - began
    finally:
        del BEHAVIOURS["429 for a while"]
    assert [call.error for call in calls] == [CallError.RATE_LIMITED, None]
    assert took >= 0.7


def _without(*kinds: str | None):
    """A server that knows no response format of these kinds."""

    def choose(n, body):
        return "400" if body.get("response_format", {}).get("type") in kinds else "good"

    return choose


@pytest.mark.parametrize(
    ("refused", "form", "tries"),
    [((), "schema", 1), (("json_schema",), "json", 2), (("json_schema", "json_object"), "text", 3)],
)
def test_the_form_that_the_server_takes_is_found_once(refused, form: str, tries: int) -> None:
    with ModelServer(_without(*refused)) as server:
        asked = engine(server, concurrency=4)
        calls, answers = heard(asked, *map(synthesize, range(6)))
        more, _ = heard(asked, synthesize(9))
    assert [call.form for call in calls].count(form) == 6
    assert len(calls) == 5 + tries
    assert [call.form for call in more] == [form]
    assert not any(answer.failure for answer in answers.values())


def test_who_refuses_every_form_is_not_asked_for_all_questions() -> None:
    with ModelServer(in_turn("400")) as server:
        calls, answers = heard(engine(server, concurrency=1), *map(synthesize, range(40)))
    assert len(calls) == 5 * 3
    assert {one.failure for one in answers.values()} == {UnansweredCause.ENGINE_FAILED}
    assert len(answers) == 40


@pytest.mark.parametrize("name", ["401", "404", "503", "reset at once"])
def test_an_endpoint_that_fails_throughout_is_soon_asked_no_more(name: str) -> None:
    with ModelServer(in_turn(name)) as server:
        asked = engine(server, concurrency=2, retries=1)
        calls, answers = heard(asked, *map(synthesize, range(60)))
        again, later = heard(asked, *map(synthesize, range(60, 70)))
    assert len(calls) <= 14
    assert len(again) <= 4  # one request is tried anew, and what was in flight beside it
    assert {one.failure for one in (answers | later).values()} == {UnansweredCause.ENDPOINT_DOWN}
    assert sum("not asked" in one.detail for one in answers.values()) >= 50


def test_nobody_listening_is_told_and_ends_soon() -> None:
    with ModelServer() as server:
        url = server.base_url
    calls, answers = heard(
        OpenAI(policy(retries=1), model="m", base_url=url, backoff=0.01), *map(synthesize, range(20))
    )
    assert {call.error for call in calls} == {CallError.UNREACHABLE}
    assert {one.failure for one in answers.values()} == {UnansweredCause.ENDPOINT_DOWN}
    assert not any(url in one.detail for one in calls)


def test_a_fallback_is_asked_only_where_policy_names_one() -> None:
    def choose(n, body):
        return "503" if body["model"] == "m" else "good"

    with ModelServer(choose) as server:
        calls, answers = heard(engine(server, retries=0, fallback_model="other", concurrency=1), synthesize())
        alone, unanswered = heard(engine(server, retries=0), synthesize())
    assert [(call.model, call.number) for call in calls] == [("m", 1), ("other", 2)]
    assert [one.failure for one in answers.values()] == [None]
    assert [call.model for call in alone] == ["m"]
    assert [one.failure for one in unanswered.values()] == [UnansweredCause.ENDPOINT_DOWN]


def test_key_and_headers_are_sent_and_are_in_no_record() -> None:
    def choose(n, body):
        return "echo"

    BEHAVIOURS["echo"] = (lambda turn: turn.status(401, message=str(turn.handler.headers)), None)
    try:
        with ModelServer(choose) as server:
            asked = engine(server, key=KEY, headers={"X-Team": "team-secret"})
            calls, answers = heard(asked, synthesize())
    finally:
        del BEHAVIOURS["echo"]
    assert server.seen[0].headers["Authorization"] == f"Bearer {KEY}"
    assert server.seen[0].headers["X-Team"] == "team-secret"
    said = repr([one.wire() for one in (*calls, *answers.values())]) + repr(asked._settings) + asked.identity
    assert "[masked:key]" in said
    assert KEY not in said
    assert "team-secret" not in said


def test_a_secret_in_the_name_of_a_file_is_not_sent_and_no_fence_is_swallowed() -> None:
    secret = "ghp_" + "a1B2" * 9
    asked = synthesize(
        1, group=GROUP.model_copy(update={"text": f"src/{secret}.py\n + -----BEGIN PRIVATE KEY-----\n + x"})
    )
    with ModelServer() as server:
        heard(engine(server), asked)
    system, user = (one["content"] for one in server.seen[0].body["messages"])
    assert secret not in user
    assert "src/[masked:github_token].py" in user
    assert user.count("\n[end of ") == user.count("[untrusted ") > 2
    assert system == prompt(asked, policy()).messages()[0]["content"]


def test_nothing_of_the_environment_goes_along(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "of-the-environment")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Env: of-the-environment")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/elsewhere")
    with ModelServer() as server:
        heard(engine(server), synthesize())
    headers = {name.lower(): value for name, value in server.seen[0].headers.items()}
    assert "of-the-environment" not in headers.values()
    assert set(headers) == {
        "host",
        "accept",
        "accept-encoding",
        "connection",
        "content-type",
        "content-length",
        "user-agent",
    }


def test_no_redirection_is_followed() -> None:
    with ModelServer(in_turn("307")) as server:
        heard(engine(server, retries=0), synthesize())
    assert len(server.seen) == 1


def test_a_part_of_the_request_that_the_model_does_not_know_is_said_otherwise() -> None:
    def choose(n, body):
        return "no max_tokens" if "max_tokens" in body else "no seed" if "seed" in body else "good"

    BEHAVIOURS["no max_tokens"] = (lambda turn: turn.status(400, param="max_tokens"), None)
    BEHAVIOURS["no seed"] = (lambda turn: turn.status(400, param="seed"), None)
    try:
        with ModelServer(choose) as server:
            calls, answers = heard(engine(server, concurrency=1), synthesize(1), synthesize(2))
    finally:
        del BEHAVIOURS["no max_tokens"], BEHAVIOURS["no seed"]
    assert [call.form for call in calls] == ["schema"] * 4
    assert not any(one.failure for one in answers.values())
    assert server.seen[-1].body["max_completion_tokens"] == policy().engine.max_tokens.synthesize


def test_cached_tokens_are_told_by_either_name_and_cost_by_the_price_of_the_day() -> None:
    prices = (
        Price(model="m", from_="2020-01-01", prompt=1.0, cached=0.5, completion=2.0),
        Price(model="m", from_="2021-01-01", prompt=2.0, cached=1.0, completion=4.0),
        Price(model="m", from_="2999-01-01", prompt=9.0, completion=9.0),
    )
    with ModelServer(in_turn("good", "deepseek", "no usage")) as server:
        asked = engine(server, concurrency=1, prices=prices)
        calls, answers = heard(asked, *map(synthesize, range(3)))
    for call in calls[:2]:
        usage = call.usage
        whole = (usage.prompt_tokens - usage.cached_tokens) * 2 + usage.cached_tokens + usage.completion_tokens * 4
        assert usage.cost_usd == pytest.approx(whole / 1_000_000)
    assert {call.price_version for call in calls} == {"m@2021-01-01"}
    assert calls[2].usage is None
    assert calls[2].raw_usage is None
    assert [one.usage for one in answers.values()] == [call.usage for call in calls]


def test_a_model_without_a_price_costs_unknown() -> None:
    with ModelServer() as server:
        (call,), _ = heard(engine(server, budget={"cost_usd": 0.0}), synthesize())
    assert call.usage.cost_usd is None
    assert call.price_version is None


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("prompt_tokens", UnansweredCause.TOKENS_SPENT),
        ("completion_tokens", UnansweredCause.TOKENS_SPENT),
        ("cost_usd", UnansweredCause.MONEY_SPENT),
    ],
)
def test_a_budget_that_is_spent_leaves_the_rest_unanswered(name: str, cause: UnansweredCause) -> None:
    prompts, replies = prompt_tokens(2.5), 2.5 * policy().engine.max_tokens.synthesize
    room = {"prompt_tokens": prompts, "completion_tokens": int(replies), "cost_usd": (prompts + replies) / 1_000_000}
    prices = (Price(model="m", from_="2020-01-01", prompt=1.0, completion=1.0),)
    with ModelServer(in_turn("no usage")) as server:
        calls, answers = heard(engine(server, budget={name: room[name]}, prices=prices), *map(synthesize, range(9)))
    causes = [one.failure for one in answers.values()]
    assert causes.count(None) == len(calls) == 2
    assert set(causes) == {None, cause}


def test_time_that_is_spent_ends_what_is_in_flight_too() -> None:
    with ModelServer(in_turn("good", "silent")) as server:
        asked = engine(server, budget={"seconds": 1}, seconds_per_call=60, concurrency=2)
        heard(asked, synthesize(9))
        calls, answers = heard(asked, *map(synthesize, range(4)))
    assert [call.error for call in calls] == [CallError.TOO_SLOW] * 2
    assert {one.failure for one in answers.values()} == {UnansweredCause.TIME_SPENT}


def test_what_earlier_attempts_spent_counts() -> None:
    most = policy().engine.max_tokens
    # A call of which nothing is known is taken for the largest that it can have been.
    limits = {"completion_tokens": 3 * most.compile + most.synthesize}
    with ModelServer(in_turn("no usage")) as server:
        first = engine(server, budget=limits)
        calls, _ = heard(first, *map(synthesize, range(3)))
        second = engine(server, budget=limits)
        second.begin(calls, torn=())
        later, _ = heard(second, synthesize(1), *map(synthesize, range(3, 6)))
        third = engine(server, budget=limits)
        third.begin(calls, torn=(9,))
        none, answers = heard(third, synthesize(7))
    assert len(later) == 1
    assert later[0].number == 2  # of a request that an earlier attempt had asked
    assert not none
    assert [one.failure for one in answers.values()] == [UnansweredCause.TOKENS_SPENT]


@pytest.mark.parametrize(("torn", "lost"), [((), 0), ((9,), 3), ((9, 1), 4), ((2, 9, 9), 8)])
def test_calls_lost_at_every_kill_count_with_the_most_they_can_have_come_to(torn: tuple[int, ...], lost: int) -> None:
    shipped = policy(concurrency=3, prices=(Price(model="m", from_="2020-01-01", prompt=1.0, completion=2.0),))
    asked = OpenAI(shipped, model="m", base_url="http://127.0.0.1:1/v1")
    small = Call(
        request_id="r",
        number=1,
        model="m",
        error=None,
        status=200,
        usage=Usage(prompt_tokens=10, completion_tokens=1, cached_tokens=None, cost_usd=0.0),
        form="schema",
    )
    asked.begin([small], torn=torn)
    prompts, replies = largest_by(shipped), shipped.engine.max_tokens.compile
    assert (asked.budget.spent.prompt, asked.budget.spent.completion) == (10 + lost * prompts, 1 + lost * replies)
    assert asked.budget.spent.dollars == pytest.approx(lost * (prompts + 2 * replies) / 1_000_000)


def test_what_a_lost_call_is_taken_for_is_no_less_than_a_prompt_that_is_full() -> None:
    """With all that policy lets it hold but evidence, in code as it is."""
    shipped = policy()
    words = "\n".join(f"{n:>6} {n:>6} + {line}" for n, line in enumerate(Path(__file__).read_text().split("\n")))
    said = tuple(
        ContextItem(label=label, role="log", source="a", text=words[: shipped.engine.context_bytes])
        for label in ("title", "description", "commits", "background", "instructions", "ci_summary", "sarif")
    )
    group = GROUP.model_copy(update={"text": words[: shipped.engine.group_bytes]})
    full = compiling()
    full = full.model_copy(update={"payload": full.payload.model_copy(update={"group": group, "context": said})})
    assert prompt(full, shipped).size < largest_by(shipped)


@pytest.mark.slow
def test_a_lost_call_is_taken_for_the_largest_that_is_asked_again_and_counted_once() -> None:
    shipped = policy(concurrency=3)
    long = synthesize(1, group=GROUP.model_copy(update={"text": "a_b = 1\n" * 20_000}))
    with ModelServer() as server:
        asked = OpenAI(shipped, model="m", base_url=server.base_url, backoff=0.01)
        asked.begin([], torn=(9,))
        before = asked.budget.spent.prompt
        calls, _ = heard(asked, long)
        again, _ = heard(asked, synthesize(2), long)
    told = sum(call.usage.prompt_tokens for call in (*calls, *again))
    assert before == 3 * largest_by(shipped)
    assert asked.budget.spent.prompt - told == 3 * (int(1.15 * prompt(long, shipped).size) + 1)


def test_a_call_that_nobody_told_of_costs_by_the_price_of_the_model_that_was_asked() -> None:
    prices = tuple(
        Price(model=name, from_="2020-01-01", prompt=price, completion=price)
        for name, price in (("m", 1.0), ("dear", 9.0))
    )
    shipped = policy(concurrency=3, fallback_model="dear", prices=prices)
    spent = {}
    for model, torn in (("m", ()), ("dear", ()), ("", (1,))):
        asked = OpenAI(shipped, model="m", base_url="http://127.0.0.1:1/v1")
        untold = Call(
            request_id="r", number=1, model=model, error=CallError.RESET, status=None, usage=None, form="schema"
        )
        asked.begin([untold] if model else [], torn=torn)
        spent[model] = asked.budget.spent.dollars
    tokens = largest_by(shipped) + shipped.engine.max_tokens.compile
    assert spent["m"] == pytest.approx(tokens / 1_000_000)
    assert spent["dear"] == spent[""] == pytest.approx(9 * tokens / 1_000_000)


def test_identity_names_what_changes_answers_and_no_address() -> None:
    one = OpenAI(policy(), model="m", base_url="http://127.0.0.1:1/v1", key=KEY).identity
    assert one == OpenAI(policy(concurrency=9), model="m", base_url="http://localhost:2/v1").identity
    others = [policy(temperature=1.0), policy(seed=None), policy(language="de"), policy(fallback_model="x")]
    identities = {OpenAI(other, model="m", base_url="http://h/v1").identity for other in others}
    assert len({one, *identities}) == 5
    assert one.startswith("openai:m/")


@pytest.mark.parametrize(
    ("url", "model", "key"),
    [
        ("ftp://x/v1", "m", ""),
        ("", "m", ""),
        ("http://u:p@h/v1", "m", ""),
        ("http://h/v1", "", ""),
        ("http://h:99999/v1", "m", ""),
        ("http://h", "m", "a\nb"),
    ],
)
def test_what_cannot_be_asked_is_said_before_anything_is(url: str, model: str, key: str) -> None:
    with pytest.raises(UsageError) as raised:
        OpenAI(policy(), model=model, base_url=url, key=key)
    assert "p@h" not in raised.value.message


def test_a_package_that_is_not_installed_is_named_with_what_to_install(monkeypatch) -> None:
    monkeypatch.setattr("review_agent.engines.openai.find_spec", lambda name: None)
    with pytest.raises(UsageError, match="openai") as raised:
        OpenAI(policy(), model="m", base_url="http://h/v1")
    assert "[model]" in raised.value.hint


@pytest.mark.parametrize(
    "written",
    [str, lambda key: key.replace("/", "\\/"), lambda key: "".join(f"\\u{ord(one):04x}" for one in key)],
    ids=["as it is", "with slashes escaped", "by numbers"],
)
@pytest.mark.parametrize("levels", [1, 2])
def test_a_key_that_a_reply_repeats_is_in_no_record_however_it_is_escaped(written, levels: int) -> None:
    key = "sk-secret/0123456789"
    bare = json.dumps({"drafts": [], "noFinding": {**NO_FINDING, "detail": "your key is @@", "missing": ["@@"]}})

    def echo(turn) -> None:
        content = bare.replace("@@", written(key)) if levels == 2 else bare
        usage = {"prompt_tokens": 5, "completion_tokens": 5, "for": "@@", "@@": ["@@"]}
        text = json.dumps({"choices": [{"message": {"content": content}}], "usage": usage})
        turn.raw(text.replace("@@", written(key)).encode())

    BEHAVIOURS["echo"] = (echo, None)
    try:
        with ModelServer(in_turn("echo")) as server:
            (call,), answers = heard(engine(server, key=key), synthesize())
    finally:
        del BEHAVIOURS["echo"]
    (answer,) = answers.values()
    assert answer.no_finding["detail"] == "your key is [masked:key]"
    assert answer.no_finding["missing"] == ["[masked:key]"]
    hidden = {"prompt_tokens": 5, "completion_tokens": 5, "for": "[masked:key]", "[masked:key]": ["[masked:key]"]}
    assert call.raw_usage == hidden


@pytest.mark.parametrize("name", ["Authorization", "X-Proxy-Authorization"])
def test_what_stands_after_the_scheme_of_a_header_is_a_secret_too(name: str) -> None:
    BEHAVIOURS["echo"] = (lambda turn: turn.status(401, message="Incorrect key: team-secret"), None)
    try:
        with ModelServer(in_turn("echo")) as server:
            (call,), _ = heard(engine(server, headers={name: "Bearer team-secret"}), synthesize())
    finally:
        del BEHAVIOURS["echo"]
    assert "team-secret" not in call.detail
    assert "[masked:key]" in call.detail


def test_this_machine_is_asked_without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with ModelServer() as server:
        _, answers = heard(engine(server), synthesize())
    assert [one.failure for one in answers.values()] == [None]


def test_no_request_needs_no_endpoint() -> None:
    assert heard(OpenAI(policy(), model="m", base_url="http://127.0.0.1:1/v1")) == ([], {})


def test_what_a_good_server_says_is_the_shape_that_is_asked_for() -> None:
    assert set(GOOD) == {"questions", "synthesis", "refutation"}


def test_an_interrupted_run_records_the_calls_that_it_cuts_off_and_what_came_meanwhile() -> None:
    with ModelServer(in_turn("good", "good", "silent")) as server:
        asked = engine(server, concurrency=3)
        heard(asked, synthesize(9))
        talking = asked.answer([synthesize(n) for n in range(6)])
        told = [next(talking), next(talking)]
        assert patience(5, lambda: len(server.seen) == 5)
        began = time.monotonic()
        told.append(talking.throw(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            told += iter(talking)
        took = time.monotonic() - began
    cut = told[2:]
    assert [type(one) for one in told[:2]] == [Call, Answer]
    assert {one.error for one in cut} == {CallError.INTERRUPTED}
    assert len(cut) == 3
    assert took < 5
    assert asked.budget.in_flight == 0


@pytest.mark.slow
def test_a_reply_that_takes_long_to_read_keeps_neither_ctrl_c_nor_other_calls_waiting(monkeypatch) -> None:
    reading, over = Event(), Event()

    def slowly(request, said, identity, hide):
        if request.question_id == synthesize(0).question_id:
            reading.set()
            over.wait(30)
        return read(request, said, identity, hide)

    monkeypatch.setattr("review_agent.engines.taking.read", slowly)
    with ModelServer() as server:
        asked = engine(server, concurrency=2)
        heard(asked, synthesize(9))
        talking = asked.answer([synthesize(n) for n in range(2)])
        try:
            told = [next(talking), next(talking)]
            assert reading.wait(5)
            began = time.monotonic()
            cut = talking.throw(KeyboardInterrupt())
            took = time.monotonic() - began
        finally:
            over.set()
    assert {one.request_id for one in told} == {synthesize(1).request_id}
    assert (cut.request_id, cut.error) == (synthesize(0).request_id, CallError.INTERRUPTED)
    assert took < 5


def test_a_run_that_is_listened_to_no_longer_cuts_off_its_calls() -> None:
    with ModelServer(in_turn("good", "good", "silent")) as server:
        asked = engine(server, concurrency=2)
        heard(asked, synthesize(9))
        talking = asked.answer([synthesize(n) for n in range(4)])
        next(talking)
        assert patience(5, lambda: len(server.seen) == 4)
        began = time.monotonic()
        talking.close()
        took = time.monotonic() - began
    assert took < 5
    assert asked.budget.in_flight == 0


def test_a_bug_of_ours_is_raised_where_it_is_heard_when_all_others_have_their_answers(monkeypatch) -> None:
    def broken(request, policy):
        if request == synthesize(2):
            raise RuntimeError("a bug")
        return prompt(request, policy)

    monkeypatch.setattr("review_agent.engines.asking.prompt", broken)
    told: list[Call | Answer] = []
    with ModelServer(slowest=0.2) as server, pytest.raises(RuntimeError, match="a bug"):
        told += engine(server, concurrency=2).answer([synthesize(n) for n in range(5)])
    assert [one.error for one in told if isinstance(one, Call)] == [None] * 4
    assert {one.request_id for one in told} == {synthesize(n).request_id for n in (0, 1, 3, 4)}


@pytest.mark.parametrize("place", ["taking.read", "taking.completion"])
def test_what_a_reply_does_to_its_reader_is_the_failure_of_that_call_alone(monkeypatch, place: str) -> None:
    import review_agent.engines.taking as taking

    true, calls = getattr(taking, place.partition(".")[2]), []

    def broken(*given):
        calls.append(given)
        if len(calls) == 2:
            raise RecursionError
        return true(*given)

    monkeypatch.setattr(f"review_agent.engines.{place}", broken)
    with ModelServer(slowest=0.2) as server:
        told, answers = heard(engine(server, concurrency=2, retries=0), *map(synthesize, range(5)))
    assert sorted(str(one.error) for one in told) == ["None"] * 4 + ["not_json"]
    assert [one.failure for one in answers.values()].count(UnansweredCause.MALFORMED) == 1
    assert not any(one.failure is UnansweredCause.ENGINE_FAILED for one in answers.values())
