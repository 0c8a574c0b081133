"""Rules of config_default over real repositories: source before and after, to a card that passes the contract."""

import pytest
from reviewing import cards, codes, review

pytestmark = pytest.mark.slow

PAD = "\n".join(f"# {n}" for n in range(8))

CLIENT = f"""def get(url, verify=True, timeout=30):
    return send(url, verify, timeout)


{PAD}
def send(url, check, wait):
    if check:
        return url
    return wait
"""
USER = f"""from shop.client import get


{PAD}
def page(url):
    return get(url)
"""
BASE = {"shop/__init__.py": "", "shop/client.py": CLIENT, "shop/user.py": USER}

SETTINGS = f"""import os

HOST = os.environ["SHOP_HOST"]
{PAD}
LIMIT = int(os.environ.get("SHOP_RATE_LIMIT", "30"))
"""
COMPOSE = """services:
  shop:
    image: shop
    environment:
      SHOP_HOST: shop.example
      OTHER: "1"
"""
DEPLOYED = {"shop/__init__.py": "", "shop/settings.py": SETTINGS, "deploy/compose.yaml": COMPOSE}


def client(old, new):
    assert old in CLIENT
    return {"shop/client.py": CLIENT.replace(old, new)}


def settings(old, new):
    assert old in SETTINGS
    return {"shop/settings.py": SETTINGS.replace(old, new)}


class TestParameterDefault:
    def test_flipped(self, repo):
        (card,) = cards(review(repo, BASE, client("verify=True", "verify=False")), "parameter_default_changed")
        assert "`shop/user.py` line 13" in card.claim
        assert card.effect.to == "False"

    @pytest.mark.parametrize(
        "after",
        [
            client("timeout=30", "timeout=60"),
            client("verify=True", "verify=False") | {"shop/user.py": USER.replace("get(url)", "get(url, True)")},
            client("verify=True", "verify=False") | {"shop/user.py": USER.replace("get(url)", "get(url + '/')")},
            {"shop/client.py": CLIENT.replace("verify=True", "verify=False").replace("verify, t", "True, t")},
        ],
        ids=["tweak", "updated", "changed along", "no longer read"],
    )
    def test_look_alikes(self, repo, after):
        codes(review(repo, BASE, after), "parameter_default_changed")

    def test_none_that_the_body_replaces(self, repo):
        body = "    if verify is None:\n        verify = True\n    return send"
        after = {"shop/client.py": CLIENT.replace("verify=True", "verify=None").replace("    return send", body, 1)}
        assert codes(review(repo, BASE, after), "parameter_default_changed") == ["needs_human_context"]


class TestFieldDefault:
    CLASS = "@dataclass\nclass Options:\n    name: str\n    strict: bool = True\n"
    LIB = f"from dataclasses import dataclass\n\n\n{CLASS}\n\n{PAD}\n"
    USER = f"from shop.options import Options\n\n\n{PAD}\ndef make():\n    return Options(name='n')\n"

    def test_flipped(self, repo):
        before = {"shop/__init__.py": "", "shop/options.py": self.LIB, "shop/user.py": self.USER}
        after = {"shop/options.py": self.LIB.replace("= True", "= False")}
        (card,) = cards(review(repo, before, after), "field_default_changed")
        assert "`strict` of `Options`" in card.claim


class TestConstant:
    def test_flipped(self, repo):
        lib = f"VERIFY_TLS = True\n\n\n{PAD}\n"
        user = f"from shop.conf import VERIFY_TLS\n\n\n{PAD}\ndef go():\n    return 1 if VERIFY_TLS else 2\n"
        before = {"shop/__init__.py": "", "shop/conf.py": lib, "shop/user.py": user}
        (card,) = cards(
            review(repo, before, {"shop/conf.py": lib.replace("True", "False")}), "constant_default_changed"
        )
        assert "`shop/user.py` line 13" in card.claim
        assert card.uncertainty


class TestEnvironment:
    def test_fallback_changed(self, repo):
        (card,) = cards(review(repo, DEPLOYED, settings('"30"', '""')), "environment_fallback_changed")
        assert "`deploy/compose.yaml` line 5" in card.claim
        assert "sets `SHOP_HOST` but no `SHOP_RATE_LIMIT`" in card.claim

    def test_fallback_changed_where_deployments_set_it(self, repo):
        compose = COMPOSE.replace("OTHER", "SHOP_RATE_LIMIT")
        ended = review(repo, DEPLOYED | {"deploy/compose.yaml": compose}, settings('"30"', '""'))
        assert codes(ended, "environment_fallback_changed") == ["refuted"]

    def test_fallback_removed(self, repo):
        after = settings('os.environ.get("SHOP_RATE_LIMIT", "30")', 'os.environ["SHOP_RATE_LIMIT"]')
        (card,) = cards(review(repo, DEPLOYED, after), "environment_fallback_removed")
        assert 'the fallback `"30"` of `SHOP_RATE_LIMIT`' in card.claim

    def test_a_repository_without_deployments_stays_open(self, repo):
        before = {key: text for key, text in DEPLOYED.items() if not key.startswith("deploy")}
        after = settings('os.environ.get("SHOP_RATE_LIMIT", "30")', 'os.environ["SHOP_RATE_LIMIT"]')
        assert codes(review(repo, before, after), "environment_fallback_removed") == ["insufficient_evidence"]


class TestKeys:
    def test_renamed_in_code(self, repo):
        (card,) = cards(review(repo, DEPLOYED, settings("SHOP_HOST", "SHOP_HOSTNAME")), "key_renamed_readers_left")
        assert "`deploy/compose.yaml` line 5" in card.claim
        assert card.effect.to == "SHOP_HOSTNAME"

    def test_renamed_in_the_deployment(self, repo):
        after = {"deploy/compose.yaml": COMPOSE.replace("SHOP_HOST", "SHOP_HOSTNAME")}
        (card,) = cards(review(repo, DEPLOYED, after), "key_renamed_readers_left")
        assert "`shop/settings.py` line 3" in card.claim

    def test_renamed_on_both_sides(self, repo):
        after = {"deploy/compose.yaml": COMPOSE.replace("SHOP_HOST", "SHOP_HOSTNAME")}
        codes(review(repo, DEPLOYED, after | settings("SHOP_HOST", "SHOP_HOSTNAME")), "key_renamed_readers_left")

    def test_removed_from_the_deployment(self, repo):
        after = {"deploy/compose.yaml": COMPOSE.replace("      SHOP_HOST: shop.example\n", "")}
        (card,) = cards(review(repo, DEPLOYED, after), "key_removed_readers_left")
        assert "`shop/settings.py` line 3" in card.claim

    def test_removed_where_another_file_sets_it(self, repo):
        after = {"deploy/compose.yaml": COMPOSE.replace("      SHOP_HOST: shop.example\n", "")}
        ended = review(repo, DEPLOYED | {"deploy/shop.env": "SHOP_HOST=a\n"}, after)
        assert codes(ended, "key_removed_readers_left") == ["refuted"]


SWITCHES = """import os

_YES = ("1", "true")


def switch(name, default="0"):
    return os.environ.get(name, default).lower() in _YES


# 1
# 2
# 3
CHECKS_STOCK = os.environ.get("SHOP_CHECKS_STOCK", "1").lower() in _YES
"""
DIRECT, BY_SWITCH = 'os.environ.get("SHOP_CHECKS_STOCK", "1").lower() in _YES', 'switch("SHOP_CHECKS_STOCK")'


class TestFallbackOfAHelper:
    RULE = "environment_fallback_removed"

    def review(self, repo, before, old=DIRECT, new=BY_SWITCH, **more):
        return review(repo, {"shop/switches.py": before, **more}, {"shop/switches.py": before.replace(old, new)})

    def test_the_opposite_applies(self, repo):
        (card,) = cards(self.review(repo, SWITCHES), self.RULE)
        assert '`switch`, which at `shop/switches.py` line 6 falls back to `"0"`' in card.claim
        assert "`CHECKS_STOCK` turns off where nobody sets `SHOP_CHECKS_STOCK`" in card.claim

    def test_the_same_applies(self, repo):
        ended = self.review(repo, SWITCHES.replace('default="0"', 'default="true"'))
        assert codes(ended, self.RULE) == ["needs_human_context"]

    def test_a_deployment_sets_it(self, repo):
        ended = self.review(repo, SWITCHES, **{"deploy/app.env": "SHOP_CHECKS_STOCK=1\nSHOP_HOST=a\n"})
        assert codes(ended, self.RULE) == ["refuted"]

    def test_the_old_fallback_is_passed_on(self, repo):
        ended = self.review(repo, SWITCHES, new='switch("SHOP_CHECKS_STOCK", "1")')
        assert cards(ended, self.RULE) == []
