"""concurrency_retry: awaits and timeouts that went."""

from functools import partial

import pytest
import reviewing
from reviewing import cards, codes

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

review = partial(reviewing.review, kind=ChangeKind.CONCURRENCY_RETRY)

MAILS = '''"""Mails."""


async def send(address, text):
    """Send one."""
    print(address, text)


def render(name):
    """The text."""
    return f"Hello {name}"
'''
SIGNUP = '''"""Sign-up."""

from app.mails import render, send


async def sign_up(store, name, address):
    """Take a new user."""
    user = store.add(name, address)
    await send(address, render(name))
    return user
'''
ASYNC = {"app/__init__.py": "", "app/mails.py": MAILS, "app/signup.py": SIGNUP}


def test_an_await_that_went(repo):
    (card,) = cards(review(repo, ASYNC, {"app/signup.py": SIGNUP.replace("await send", "send")}), "await_dropped")
    assert "never runs" in card.claim


def test_an_await_of_what_became_synchronous(repo):
    after = {"app/signup.py": SIGNUP.replace("await send", "send"), "app/mails.py": MAILS.replace("async def", "def")}
    assert codes(review(repo, ASYNC, after), "await_dropped") == ["refuted"]


def test_an_await_that_became_a_task(repo):
    after = SIGNUP.replace("await send(address, render(name))", "asyncio.create_task(send(address, render(name)))")
    assert codes(review(repo, ASYNC, {"app/signup.py": after}), "await_dropped") == []


def test_an_await_that_comes_later(repo):
    after = SIGNUP.replace(
        "    await send(address, render(name))\n", "    sent = send(address, render(name))\n    await sent\n"
    )
    before = SIGNUP.replace(
        "    await send(address, render(name))\n", "    sent = await send(address, render(name))\n    print(sent)\n"
    )
    ended = review(repo, {**ASYNC, "app/signup.py": before}, {"app/signup.py": after})
    assert codes(ended, "await_dropped") == ["refuted"]


RATES = '''"""Exchange rates."""

import requests

URL = "https://rates.example/latest"


def latest(currency):
    """The rate of today."""
    answer = requests.get(URL, params={"to": currency}, timeout=5)
    answer.raise_for_status()
    return answer.json()["rate"]
'''
WORKER = '''"""The worker."""

from shop.rates import latest


def run(queue, store):
    """Price what comes in."""
    while True:
        order = queue.get()
        order.rate = latest(order.currency)
        store.save(order)
'''
SHOP = {"shop/__init__.py": "", "shop/rates.py": RATES, "shop/worker.py": WORKER}


def test_a_timeout_that_went(repo):
    after = RATES.replace(", timeout=5", "")
    (card,) = cards(review(repo, SHOP, {"shop/rates.py": after}), "timeout_dropped")
    assert "`shop/worker.py` line 10 calls it from `run` in its loop" in card.claim


def test_a_timeout_that_the_session_has(repo):
    before = RATES.replace("requests.get(", "session.get(").replace(
        "URL =", "session = LimitedSession(timeout=5)\nURL ="
    )
    ended = review(
        repo, {**SHOP, "shop/rates.py": before}, {"shop/rates.py": before.replace("currency}, timeout=5", "currency}")}
    )
    assert codes(ended, "timeout_dropped") == ["refuted"]


GO = """package rates

import (
	"context"
	"net/http"
	"time"
)

// Client asks for rates.
type Client struct {
	http *http.Client
}

// New makes a client.
func New() *Client {
	return &Client{http: &http.Client{Timeout: 5 * time.Second}}
}

// Latest asks for a rate.
func (c *Client) Latest(ctx context.Context, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	return c.http.Do(req)
}
"""
MAIN = """package main

import (
	"context"

	"example.com/shop/rates"
)

func main() {
	client := rates.New()
	for {
		client.Latest(context.Background(), "https://rates.example")
	}
}
"""


def test_a_go_client_without_its_timeout(repo):
    base = {"go.mod": "module example.com/shop\n\ngo 1.22\n", "rates/rates.go": GO, "main.go": MAIN}
    after = GO.replace("Timeout: 5 * time.Second", "")
    (card,) = cards(review(repo, base, {"rates/rates.go": after}), "timeout_dropped")
    assert "`Timeout`" in card.claim


def test_a_go_context_that_lost_its_deadline(repo):
    base = {"go.mod": "module example.com/shop\n\ngo 1.22\n", "rates/rates.go": GO, "main.go": MAIN}
    after = GO.replace("NewRequestWithContext(ctx,", "NewRequestWithContext(context.Background(),")
    (card,) = cards(review(repo, base, {"rates/rates.go": after}), "timeout_dropped")
    assert "`ctx`" in card.claim


def test_a_deadline_that_says_its_cause_is_one_still(repo):
    limited = GO.replace(
        "\treq, err :=", "\tctx, cancel := context.WithTimeout(ctx, time.Second)\n\tdefer cancel()\n\treq, err :="
    )
    base = {"go.mod": "module example.com/shop\n\ngo 1.22\n", "rates/rates.go": limited, "main.go": MAIN}
    after = limited.replace("WithTimeout(ctx, time.Second)", "WithTimeoutCause(ctx, time.Second, errSlow)")
    assert "WithTimeout(" in limited
    assert codes(review(repo, base, {"rates/rates.go": after}), "timeout_dropped") == []
