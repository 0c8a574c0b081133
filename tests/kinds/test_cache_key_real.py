"""cache_key end to end on real commits, in Python, Go, TypeScript and Java."""

import pytest
from reviewing import cards, codes, review
from settling import source

pytestmark = pytest.mark.slow

PRICING = source('''
    from shop.store import cache

    CACHE_SECONDS = 3600


    def unit(sku):
        return len(sku)


    def quote(tenant, sku, qty):
        """Price."""
        key = f"quote:{tenant.id}:{sku}:{qty}"
        hit = cache.get(key)
        if hit is not None:
            return int(hit)
        base = unit(sku)
        price = base * qty * (1 - tenant.discount_for(sku))
        cache.set(key, str(price), ex=CACHE_SECONDS)
        return price
''')
SHOP = {
    "shop/pricing.py": PRICING,
    "shop/store.py": "import redis\n\ncache = redis.Redis()\n",
    "api/quotes.py": source("""
        from shop.pricing import quote


        def view(request):
            return quote(request.tenant, request.sku, 1)
    """),
    "jobs/forget.py": source("""
        from shop.store import cache


        def forget(tenant, sku):
            for key in cache.scan_iter(f"quote:{tenant.id}:{sku}:*"):
                cache.delete(key)
    """),
}
WITHOUT = PRICING.replace("quote:{tenant.id}:", "quote:")


def test_a_component_that_the_value_depends_on(repo):
    ended = review(repo, SHOP, {"shop/pricing.py": WITHOUT})
    (card,) = cards(ended, "key_component_removed")
    assert card.effect.subject == "tenant.id"
    assert "`cache`" in card.claim
    assert [(ref.path, ref.start_line) for ref in card.supporting_refs] == [
        ("shop/pricing.py", 17),
        ("api/quotes.py", 5),
    ]


def test_a_pattern_that_still_drops_the_old_form(repo):
    ended = review(repo, SHOP, {"shop/pricing.py": WITHOUT})
    (card,) = cards(ended, "key_form_changed")
    assert "`jobs/forget.py` line 5" in card.claim


def test_every_builder_changed_along(repo):
    forget = SHOP["jobs/forget.py"].replace("quote:{tenant.id}:{sku}", "quote:{sku}")
    ended = review(repo, SHOP, {"shop/pricing.py": WITHOUT, "jobs/forget.py": forget})
    assert not cards(ended, "key_form_changed")


def test_a_value_that_does_not_read_the_component(repo):
    free = PRICING.replace("(1 - tenant.discount_for(sku))", "2")
    ended = review(repo, {**SHOP, "shop/pricing.py": free}, {"shop/pricing.py": free.replace("{tenant.id}:", "")})
    assert [one.code for one in ended if one.rule == "key_component_removed"] == ["refuted"]


def test_a_component_that_another_one_implies(repo):
    both = PRICING.replace("{tenant.id}:", "{tenant.id}:{tenant.slug}:")
    ended = review(repo, {**SHOP, "shop/pricing.py": both}, {"shop/pricing.py": both.replace("{tenant.slug}:", "")})
    assert [one.code for one in ended if one.rule == "key_component_removed"] == ["refuted"]


def test_a_store_of_its_own_for_each(repo):
    own = PRICING.replace("cache.get(", "tenant.cache.get(").replace("cache.set(", "tenant.cache.set(")
    ended = review(repo, {**SHOP, "shop/pricing.py": own}, {"shop/pricing.py": own.replace("{tenant.id}:", "")})
    assert [one.code for one in ended if one.rule == "key_component_removed"] == ["refuted"]


def test_a_key_that_goes_nowhere_known(repo):
    lone = PRICING[: PRICING.index("    hit =")] + "    return key\n"
    ended = review(repo, {"shop/pricing.py": lone}, {"shop/pricing.py": lone.replace("{tenant.id}:", "")})
    assert [one.code for one in ended if one.rule == "key_component_removed"] == ["insufficient_evidence"]


GO = {
    "go.mod": "module example.com/shop\n\ngo 1.22\n",
    "price/price.go": """package price

import "fmt"

type Service struct {
	cache map[string]int
	rates Rates
}

type Rates struct{}

func (r Rates) Base(sku string) int { return len(sku) }

func (r Rates) For(tenant, sku string) int { return len(tenant) + len(sku) }

func (s *Service) Quote(tenant, sku string) int {
	key := fmt.Sprintf("%s:%s", tenant, sku)
	if v, ok := s.cache[key]; ok {
		return v
	}
	v := s.rates.Base(sku) + s.rates.For(tenant, sku)
	s.cache[key] = v
	return v
}

func (s *Service) Reprice(tenant, sku string, save func(string) error) error {
	if err := save(sku); err != nil {
		return err
	}
	delete(s.cache, fmt.Sprintf("%s:%s", tenant, sku))
	return nil
}
""",
    "api/api.go": """package api

import "example.com/shop/price"

func Handle(s *price.Service, tenant string) int {
	return s.Quote(tenant, "a")
}
""",
}


def test_go_component(repo):
    after = GO["price/price.go"].replace('key := fmt.Sprintf("%s:%s", tenant, sku)', "key := sku")
    (card,) = cards(review(repo, GO, {"price/price.go": after.replace('"fmt"', '"fmt"')}), "key_component_removed")
    assert card.effect.subject == "tenant"
    assert "`s.cache`" in card.claim


TS = {
    "src/profiles.ts": source("""
        export class Profiles {
          private readonly cache = new Map<string, Profile>();

          constructor(private readonly repo: Repo) {}

          get(id: string, locale: string): Profile {
            const key = `${id}:${locale}`;
            const known = this.cache.get(key);
            if (known) {
              return known;
            }
            const loaded = this.repo.load(id, locale);
            this.cache.set(key, loaded);
            return loaded;
          }

          rename(p: Profile, name: string): void {
            p.name = name;
            this.repo.save(p);
            this.cache.clear();
          }
        }
    """),
    "src/handler.ts": source("""
        import { Profiles } from './profiles';

        export function handle(profiles: Profiles, req: { user: string; locale: string }) {
          return profiles.get(req.user, req.locale);
        }
    """),
}


def test_typescript_component(repo):
    after = TS["src/profiles.ts"].replace("`${id}:${locale}`", "`${id}`")
    (card,) = cards(review(repo, TS, {"src/profiles.ts": after}), "key_component_removed")
    assert card.effect.subject == "locale"


def test_typescript_invalidation(repo):
    after = TS["src/profiles.ts"].replace("    this.cache.clear();\n", "")
    (card,) = cards(review(repo, TS, {"src/profiles.ts": after}), "invalidation_lost")
    assert "`rename`" in card.claim


JAVA = {
    "src/main/java/shop/QuoteService.java": source("""
        package shop;

        import java.util.Map;
        import java.util.concurrent.ConcurrentHashMap;

        public class QuoteService {
            private final Map<String, Long> cache = new ConcurrentHashMap<>();
            private final RateRepository rates;

            public QuoteService(RateRepository rates) {
                this.rates = rates;
            }

            public long quote(String region, String sku) {
                return cache.computeIfAbsent(region + "/" + sku, ignored -> {
                    long rate = rates.load(sku);
                    long more = rates.surcharge(region);
                    return rate + more;
                });
            }

            @Cacheable(value = "labels", key = "#sku")
            public String label(String sku) {
                return rates.label(sku);
            }

            @CacheEvict(value = "labels", allEntries = true)
            public void relabel(String sku, String text) {
                rates.saveLabel(sku, text);
            }
        }
    """),
    "src/main/java/shop/QuoteController.java": source("""
        package shop;

        public class QuoteController {
            private final QuoteService quotes;

            public long show(Request request) {
                return quotes.quote(request.region(), request.sku());
            }
        }
    """),
}
SERVICE = "src/main/java/shop/QuoteService.java"


def test_java_component(repo):
    after = JAVA[SERVICE].replace('computeIfAbsent(region + "/" + sku,', "computeIfAbsent(sku,")
    (card,) = cards(review(repo, JAVA, {SERVICE: after}), "key_component_removed")
    assert card.effect.subject == "region"


def test_java_annotation_that_dropped(repo):
    after = JAVA[SERVICE].replace('    @CacheEvict(value = "labels", allEntries = true)\n', "")
    (card,) = cards(review(repo, JAVA, {SERVICE: after}), "invalidation_lost")
    assert f"`{SERVICE}` line 22" in card.claim


USERS = {
    "app/users.py": source("""
        from app import db
        from app.store import cache


        def profile(user_id):
            raw = cache.get(f"profile:{user_id}")
            if raw:
                return raw
            value = db.load(user_id)
            if value is None:
                raise KeyError(user_id)
            cache.set(f"profile:{user_id}", value, ex=300)
            return value


        def rename(user_id, name):
            if not name:
                raise ValueError(name)
            changed = db.execute("UPDATE users SET name = ? WHERE id = ?", (name, user_id))
            db.commit()
            cache.delete(f"profile:{user_id}")
            return changed
    """),
    "app/store.py": "import redis\n\ncache = redis.Redis()\n",
}
DROP = '    cache.delete(f"profile:{user_id}")\n'


def users(old, new):
    return {"app/users.py": USERS["app/users.py"].replace(old, new)}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(DROP, "", id="removed"),
        pytest.param(DROP, f"    if name.isupper():\n    {DROP}", id="conditional"),
        pytest.param("    db.commit()\n", "    db.commit()\n    if name.islower():\n        return name\n", id="exit"),
    ],
)
def test_an_invalidation_that_is_lost(repo, old, new):
    (card,) = cards(review(repo, USERS, users(old, new)), "invalidation_lost")
    assert "`app/users.py` line 6" in card.claim
    assert "`db.execute`" in card.claim


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(DROP, f"    if changed.rowcount:\n    {DROP}", id="only where something changed"),
        pytest.param(
            "    db.commit()\n", "    if changed.rowcount == 0:\n        return 0\n    db.commit()\n", id="none"
        ),
        pytest.param(DROP, '    cache.set(f"profile:{user_id}", name)\n    cache.expire("x", 1)\n', id="other drop"),
    ],
)
def test_an_invalidation_that_is_not_needed(repo, old, new):
    assert not cards(review(repo, USERS, users(old, new)), "invalidation_lost")


def test_an_invalidation_without_a_reader(repo):
    bare = source("""
        from app import db
        from app.store import cache


        def rename(user_id, name):
            db.execute("UPDATE users SET name = ? WHERE id = ?", (name, user_id))
            db.commit()
            cache.delete(f"profile:{user_id}")
    """)
    before = {**USERS, "app/users.py": bare}
    ended = review(repo, before, {"app/users.py": bare.replace(DROP, "    log(name)\n")})
    assert codes(ended, "invalidation_lost") == ["insufficient_evidence"]


STORE = '    cache.set(f"profile:{user_id}", value, ex=300)\n'
CHECK = "    if value is None:\n        raise KeyError(user_id)\n"


def test_a_value_cached_before_its_check(repo):
    (card,) = cards(review(repo, USERS, users(CHECK + STORE, STORE + CHECK)), "cached_before_final")
    assert "`value is None`" in card.claim
    assert "`app/users.py` line 6" in card.claim


def test_a_value_cached_early_and_dropped_again(repo):
    late = STORE + CHECK.replace("        raise", f"    {DROP}        raise")
    ended = review(repo, USERS, users(CHECK + STORE, late))
    assert not cards(ended, "cached_before_final")


BASKET = source("""
    from functools import cached_property


    class Basket:
        def __init__(self, items):
            self.items = list(items)
            self.owner = "nobody"

        def total(self):
            return sum(self.items)

        def label(self):
            return self.owner.upper()

        def add(self, item):
            self.items.append(item)
""")


def test_a_memo_of_what_changes(repo):
    after = BASKET.replace("    def total", "    @cached_property\n    def total")
    (card,) = cards(review(repo, {"basket.py": BASKET}, {"basket.py": after}), "memo_of_changing_state")
    assert "`add`" in card.claim
    assert "`items`" in card.claim


def test_a_memo_of_what_is_set_once(repo):
    after = BASKET.replace("    def label", "    @cached_property\n    def label")
    assert codes(review(repo, {"basket.py": BASKET}, {"basket.py": after}), "memo_of_changing_state") == ["refuted"]


def test_a_memo_that_is_dropped_with_the_change(repo):
    after = BASKET.replace("    def total", "    @cached_property\n    def total")
    after = after.replace("append(item)", 'append(item)\n        self.__dict__.pop("total", None)')
    ended = review(repo, {"basket.py": BASKET}, {"basket.py": after})
    assert not cards(ended, "memo_of_changing_state")


KEPT = """
    def total(self):
        if self._total is None:
            self._total = sum(self.items)
        return self._total
"""
OPENED = """
    def total(self):
        if self._total is not None:
            return
        self._total = sum(self.items)
        self.count(self.items)

    def count(self, items):
        self.owner = len(items)
"""


def test_a_memo_by_hand_of_what_changes(repo):
    before = BASKET.replace('"nobody"', '"nobody"\n        self._total = None')
    after = {"basket.py": before.replace("\n    def total(self):\n        return sum(self.items)\n", KEPT)}
    (card,) = cards(review(repo, {"basket.py": before}, after), "memo_of_changing_state")
    assert "`add`" in card.claim


def test_a_member_that_is_set_once_and_handed_to_nobody(repo):
    before = BASKET.replace('"nobody"', '"nobody"\n        self._total = None')
    after = {"basket.py": before.replace("\n    def total(self):\n        return sum(self.items)\n", OPENED)}
    assert not cards(review(repo, {"basket.py": before}, after), "memo_of_changing_state")


def test_a_function_without_a_result_that_is_kept_from_running_twice(repo):
    before = BASKET.replace("return sum(self.items)", "self.owner = len(self.items)")
    after = before.replace("    def total", "    @cached_property\n    def total")
    assert not cards(review(repo, {"basket.py": before}, {"basket.py": after}), "memo_of_changing_state")


TREE = '''"""Nodes of a tree."""

from functools import cached_property


class Node:
    def __init__(self, name):
        self.name = name
        self.above = None

    def hang(self, above):
        """Below another one."""
        self.above = above

    def say(self):
        return self.name

    @property
    def top(self):
        """The uppermost one."""
        here = self
        while here.above is not None:
            here = here.above
        return here
'''


def test_a_memo_that_walks_from_the_object_itself(repo):
    after = TREE.replace("    @property", "    @cached_property")
    (card,) = cards(review(repo, {"tree.py": TREE}, {"tree.py": after}), "memo_of_changing_state")
    assert "`above`" in card.claim
    assert "`hang`" in card.claim


def test_a_memo_that_walks_over_what_is_set_once(repo):
    before = TREE.replace("def hang", "def compare").replace("self.above = above", "return above is self.name")
    after = before.replace("    @property", "    @cached_property")
    assert codes(review(repo, {"tree.py": before}, {"tree.py": after}), "memo_of_changing_state") == ["refuted"]
