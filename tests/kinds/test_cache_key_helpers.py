"""cache_key where keys and invalidations stand in functions of their own, and what defeats the loss of a part."""

import pytest
from reviewing import cards, codes, review
from settling import source

pytestmark = pytest.mark.slow

WEATHER = source('''
    from station.store import cache


    def forecast(place, day, unit):
        """The forecast in `unit`."""
        key = f"forecast:{place.code}:{place.id}:{day}:{unit}"
        hit = cache.get(key)
        if hit is not None:
            return hit
        raw = measure(place, day)
        told = convert(raw, unit)
        cache.set(key, told)
        return told


    def at_noon(place):
        return forecast(place, "noon", place.unit)
''')
OLD = '    key = f"forecast:{place.code}:{place.id}:{day}:{unit}"'


def _weather(signature: str, call: str, text: str) -> str:
    made = f'def _key({signature}):\n    return f"{text}"\n\n\ndef forecast('
    return WEATHER.replace(OLD, f"    key = _key({call})").replace("def forecast(", made)


def test_a_part_that_is_not_handed_to_the_function_that_makes_the_key(repo):
    after = _weather("place, day", "place, day", "forecast:{place.code}:{place.id}:{day}")
    ended = review(repo, {"station/weather.py": WEATHER}, {"station/weather.py": after}, kind="cache_key")
    (card,) = cards(ended, "key_component_removed")
    assert card.effect.subject == "unit"
    assert "line 15 still makes" in card.claim


def test_a_key_moved_whole(repo):
    after = _weather("spot, day, unit", "place, day, unit", "forecast:{spot.code}:{spot.id}:{day}:{unit}")
    ended = review(repo, {"station/weather.py": WEATHER}, {"station/weather.py": after}, kind="cache_key")
    assert codes(ended, "key_component_removed") == []


def test_a_part_that_the_identity_left_in_the_moved_key_implies(repo):
    after = _weather("spot, day, unit", "place, day, unit", "forecast:{spot.id}:{day}:{unit}")
    ended = review(repo, {"station/weather.py": WEATHER}, {"station/weather.py": after}, kind="cache_key")
    assert codes(ended, "key_component_removed") == ["refuted"]


GO = source("""
    package drawing

    import "fmt"

    type Options struct {
        Size  int
        Draft bool
    }

    type Plotter struct {
        kept map[string]string
    }

    func (p *Plotter) Plot(name string, o Options) string {
        id := fmt.Sprintf("%s/%d/%t", name, o.Size, o.Draft)
        if out, ok := p.kept[id]; ok {
            return out
        }
        out := paint(name, o)
        p.kept[id] = out
        return out
    }

    func (p *Plotter) Final(name string) string {
        return p.Plot(name, Options{Size: 3})
    }

    func (p *Plotter) Sketch(name string) string {
        return p.Plot(name, Options{Size: 3, Draft: true})
    }

    func paint(name string, o Options) string {
        if o.Draft {
            return "draft " + name
        }
        return fmt.Sprint(name, o.Size)
    }
""")
MADE = 'func plotKey(name string, size int) string {\n    return fmt.Sprintf("%s/%d", name, size)\n}\n\nfunc paint('
SHORTER = GO.replace('fmt.Sprintf("%s/%d/%t", name, o.Size, o.Draft)', "plotKey(name, o.Size)").replace(
    "func paint(", MADE
)
LEAVES = "Options) string {\n    if o.Draft {\n        return paint(name, o)\n    }\n    id :="


def test_go_a_part_lost_on_the_way_into_a_function(repo):
    ended = review(repo, {"drawing/plot.go": GO}, {"drawing/plot.go": SHORTER}, kind="cache_key")
    assert [one.effect.subject for one in cards(ended, "key_component_removed")] == ["o.Draft"]


def test_go_a_flag_under_which_nothing_is_kept(repo):
    before, after = (one.replace("Options) string {\n    id :=", LEAVES) for one in (GO, SHORTER))
    ended = review(repo, {"drawing/plot.go": before}, {"drawing/plot.go": after}, kind="cache_key")
    assert codes(ended, "key_component_removed") == ["refuted"]


VIEWS = source("""
    import { layout } from "./layout";
    import { memory } from "./memory";

    function viewKey(item: Item, theme: string): string {
      return `view:${item.id}:${theme}`;
    }

    export function view(item: Item, theme: string): string {
      const key = viewKey(item, theme);
      const hit = memory.get(key);
      if (hit !== undefined) {
        return hit;
      }
      const made = layout(item, theme);
      memory.set(key, made);
      return made;
    }
""")
PLAIN = VIEWS.replace("item: Item, theme: string): string {\n  return", "item: Item): string {\n  return").replace(
    ":${theme}`", "`"
)
PLAIN = PLAIN.replace("viewKey(item, theme)", "viewKey(item)")
USES = "export function layout(item: Item, theme: string): string {\n  const head = item.title;\n  %s\n}\n"
PAGES = 'import { view } from "./view";\n\nexport function page(req) {\n  return view(req.item, req.theme);\n}\n'


@pytest.mark.parametrize(
    ("inside", "found"),
    [
        ("return `<b class=${theme}>${head}</b>`;", 1),
        ("if (!THEMES.has(theme)) {\n    throw new Error(`no ${theme}`);\n  }\n  return head;", 0),
    ],
    ids=["drawn with it", "only refused by it"],
)
def test_typescript_what_is_called_makes_something_of_the_part(repo, inside, found):
    files = {"src/layout.ts": USES % inside, "src/page.ts": PAGES}
    ended = review(repo, {**files, "src/view.ts": VIEWS}, {"src/view.ts": PLAIN}, kind="cache_key")
    assert len(cards(ended, "key_component_removed")) == found


JAVA = source("""
    package shelf;

    import java.util.Map;
    import java.util.concurrent.ConcurrentHashMap;

    public class Lists {

        private final Map<String, String> held = new ConcurrentHashMap<>();

        public String list(Branch branch, String topic) {
            String key = topic + "|" + branch.name();
            return held.computeIfAbsent(key, missing -> write(branch, topic));
        }

        private String write(Branch branch, String topic) {
            return branch.name() + topic;
        }

        void changed(String topic) {
            held.keySet().removeIf(key -> key.startsWith(topic + "|"));
        }
    }
""")
SWAPPED = JAVA.replace('topic + "|" + branch.name()', 'branch.name() + "|" + topic')


def test_java_an_invalidation_that_takes_keys_by_their_old_beginning(repo):
    ended = review(repo, {"shelf/Lists.java": JAVA}, {"shelf/Lists.java": SWAPPED}, kind="cache_key")
    (card,) = cards(ended, "key_form_changed")
    assert "line 20" in card.claim


def test_java_an_invalidation_that_takes_keys_by_their_new_end(repo):
    after = SWAPPED.replace('startsWith(topic + "|")', 'endsWith("|" + topic)')
    ended = review(repo, {"shelf/Lists.java": JAVA}, {"shelf/Lists.java": after}, kind="cache_key")
    assert codes(ended, "key_form_changed") != [None]


DROPPING = {
    "mail/inbox.py": source("""
        from mail.store import redis


        def box_key(user, folder):
            return f"box:{user}:{folder}"


        def box(user, folder):
            return redis.get(box_key(user, folder))
    """),
    "mail/move.py": source("""
        from mail import store


        def renamed(user):
            store.discard(f"box:{user}:")
    """),
}


@pytest.mark.parametrize(("form", "found"), [("box:{folder}:{user}", 1), ("box:{user}:v2:{folder}", 0)])
def test_a_beginning_of_keys_whose_parts_changed_places(repo, form, found):
    after = DROPPING["mail/inbox.py"].replace("box:{user}:{folder}", form)
    ended = review(repo, DROPPING, {"mail/inbox.py": after}, kind="cache_key")
    assert len(cards(ended, "key_form_changed")) == found


STOCK = source("""
    const { pool } = require("./pool");
    const { cache } = require("./memory");

    async function forget(items) {
      for (const item of items) {
        await cache.del(`stock:${item}`);
      }
    }

    async function merge(one, other) {
      await pool.query(
        "UPDATE stock SET item = $1 WHERE item = $2",
        [one, other],
      );
      await forget([one, other]);
    }

    async function receive(items) {
      await pool.query(
        "INSERT INTO stock (item) SELECT * FROM unnest($1::text[])",
        [items],
      );
      await forget(items);
    }
""")


def test_javascript_a_call_of_the_helper_that_drops(repo):
    after = STOCK.replace("  await forget(items);\n", "")
    ended = review(repo, {"src/stock.js": STOCK}, {"src/stock.js": after}, kind="cache_key")
    (card,) = cards(ended, "invalidation_lost")
    assert card.effect.subject == "forget"
    assert "`pool.query`" in card.claim


def test_javascript_a_helper_that_drops_nothing_cached(repo):
    before = STOCK.replace("await cache.del(`stock:${item}`)", "await pool.query(item)")
    after = before.replace("  await forget(items);\n", "")
    ended = review(repo, {"src/stock.js": before}, {"src/stock.js": after}, kind="cache_key")
    assert codes(ended, "invalidation_lost") == ["no_candidate"]


NOTES = source("""
    package v1

    type Service struct {
        Store *Store
    }

    func (s *Service) SetRelations(ctx Context, id int, names []string) error {
        user, err := s.fetchCurrentUser(ctx)
        if err != nil {
            return err
        }
        if err := s.Store.SaveRelations(ctx, user, id, names); err != nil {
            return err
        }
        return s.touchMemoUpdated(ctx, id)
    }

    func (s *Service) fetchCurrentUser(ctx Context) (*User, error) {
        return s.Store.FindUser(ctx)
    }

    func (s *Service) touchMemoUpdated(ctx Context, id int) error {
        return s.Store.UpdateMemo(ctx, id)
    }
""")


def test_go_a_row_that_is_touched_is_no_cache(repo):
    gone = NOTES.replace(
        "return s.touchMemoUpdated(ctx, id)\n}\n\nfunc (s *Service) fetch", "return nil\n}\n\nfunc (s *Service) fetch"
    )
    assert gone != NOTES
    assert not cards(review(repo, {"v1/notes.go": NOTES}, {"v1/notes.go": gone}, kind="cache_key"), "invalidation_lost")


PLANS = source("""
    from app.store import plan_cache, db


    class Plans:
        def current(self, owner):
            return plan_cache.get(f"plan:{owner}")

        def load(self, owner):
            return db.fetch(owner)

        def change(self, owner, plan):
            self.check(owner)
            db.update(owner, plan)
            plan_cache.delete(f"plan:{owner}")

        def check(self, owner):
            return owner
""")
DROPPED = '        db.update(owner, plan)\n        plan_cache.delete(f"plan:{owner}")\n'


def test_an_added_helper_that_drops_further_down(repo):
    apply = (
        "        self.apply(owner, plan)\n\n    def apply(self, owner, plan):\n        db.update(owner, plan)\n"
        "        update_all(owner)\n"
    )
    lost = review(repo, {"app/plans.py": PLANS}, {"app/plans.py": PLANS.replace(DROPPED, apply)}, kind="cache_key")
    assert not cards(lost, "invalidation_lost")


def test_a_drop_that_went_with_nothing_in_its_place(repo):
    kept = "        db.update(owner, plan)\n        print(owner)\n"
    lost = review(repo, {"app/plans.py": PLANS}, {"app/plans.py": PLANS.replace(DROPPED, kept)}, kind="cache_key")
    assert len(cards(lost, "invalidation_lost")) == 1
