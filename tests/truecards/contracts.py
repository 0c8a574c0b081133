"""True cards about what callers and implementers rely on, in Python."""

from review_agent.vocabulary import EditOp, Role, Side
from truecards import At, Case

QUOTES = """\
from shop.cache import cache

CACHE_SECONDS = 3600


def quote(tenant, sku, qty):
    '''Price of qty pieces for this tenant.'''
    key = f"quote:{tenant.id}:{sku}:{qty}"
    hit = cache.get(key)
    if hit is not None:
        return Money.parse(hit)
    unit = price_list.unit_price(sku)
    price = unit * qty * (1 - tenant.discount_for(sku))
    cache.set(key, str(price), ex=CACHE_SECONDS)
    return price
"""

CASES = (
    Case(
        name="cache_key_component",
        kind="cache_key",
        files={
            "shop/pricing.py": (QUOTES, (("{tenant.id}:{sku}", "{sku}"),)),
            "shop/tenants.py": (
                "class Tenant:\n    def discount_for(self, sku):\n        return self._discounts.get(sku, 0)\n",
                (),
            ),
            "shop/cache.py": ("from redis import Redis\n\ncache = Redis.from_url(settings.CACHE_URL)\n", ()),
            "api/quotes.py": (
                "from shop.pricing import quote\n\n\ndef show(request, body):\n"
                "    return quote(request.tenant, body.sku, body.qty)\n",
                (),
            ),
        },
        anchor=At("shop/pricing.py", 'key = f"quote:{sku}', Role.DIFF),
        places={
            "use": At("shop/pricing.py", "price = unit", last="cache.set"),
            "discount": At("shop/tenants.py", "def discount_for", Role.DEFINITION, last="return"),
            "store": At("shop/cache.py", "cache = Redis", Role.DEFINITION),
            "caller": At("api/quotes.py", "return quote(", Role.CALLER),
        },
        claim="Removing `tenant.id` from `key` makes `quote` keep a price that depends on `tenant.discount_for` where "
        "every tenant finds it: `api/quotes.py` line {caller}, which passes `request.tenant`, serves the first "
        "asker's price to all others for `CACHE_SECONDS`.",
        effect={"op": "removed", "subject": "tenant.id"},
        severity="blocking",
        impact="Two tenants whose discounts for a `sku` differ ask for the same `sku` and `qty` within 3600 seconds of "
        "each other.",
        counter=(
            "A `cache` that separates tenants would refute this; shop/cache.py:{store} makes one client from "
            "`CACHE_URL` for the process.",
        ),
    ),
    Case(
        name="required_parameter",
        kind="api_contract",
        files={
            "mail/send.py": (
                "def send(to, body):\n    connection = connect()\n    connection.push(to, body)\n",
                (("send(to, body):", "send(to, body, sender):"),),
            ),
            "jobs/digest.py": (
                "from mail.send import send\n\n\ndef run(users):\n    for user in users:\n"
                "        send(user.mail, text_for(user))\n",
                (),
            ),
        },
        anchor=At("mail/send.py", "def send(", Role.DIFF),
        places={"caller": At("jobs/digest.py", "send(user.mail", Role.CALLER)},
        edit=(EditOp.PARAMETER_ADDED, "sender", {"function": "send", "required": True, "index": 2}),
        claim="Adding the required parameter `sender` to `send` breaks the call at `jobs/digest.py` line {caller}: it "
        "gives `sender` no value and raises `TypeError`.",
        effect={"op": "added", "subject": "sender"},
        severity="blocking",
        impact="The digest job runs for at least one user.",
        counter=("A default for `sender` would refute this; the signature has none.",),
    ),
    Case(
        name="removed_function",
        kind="api_contract",
        files={
            "text/slug.py": (
                "import re\n\n\ndef slugify(title):\n    return re.sub(r'\\W+', '-', title).lower()\n\n\n"
                "def shorten(title):\n    return title[:40]\n",
                (("def slugify(title):\n    return re.sub(r'\\W+', '-', title).lower()\n\n\n", ""),),
            ),
            "blog/posts.py": (
                "from text.slug import slugify\n\n\ndef url_of(post):\n    return '/' + slugify(post.title)\n",
                (),
            ),
        },
        anchor=At("text/slug.py", "def slugify", Role.DIFF, last="return re.sub", side=Side.OLD),
        places={
            "importer": At("blog/posts.py", "from text.slug import", Role.USE),
            "caller": At("blog/posts.py", "def url_of", Role.CALLER, last="slugify(post.title)"),
        },
        edit=(EditOp.SYMBOL_REMOVED, "slugify", {"symbolKind": "function", "qualname": "slugify", "exported": True}),
        claim="Deleting `slugify` leaves `blog/posts.py` line {importer} with an import of a name that is gone, so "
        "`url_of` cannot even be loaded.",
        effect={"op": "removed", "subject": "slugify"},
        severity="blocking",
        listed=("importer",),
        impact="Any process imports the module of the blog's posts.",
    ),
    Case(
        name="renamed_function",
        kind="api_contract",
        files={
            "store/rows.py": (
                "def load_all(table):\n    with table.cursor() as cursor:\n        return list(cursor)\n",
                (("load_all", "fetch_rows"),),
            ),
            "report/monthly.py": (
                "from store import rows\n\n\ndef totals(table):\n"
                "    return sum(row.amount for row in rows.load_all(table))\n",
                (),
            ),
        },
        anchor=At("store/rows.py", "def fetch_rows", Role.DIFF),
        places={"caller": At("report/monthly.py", "rows.load_all", Role.CALLER)},
        edit=(EditOp.SYMBOL_RENAMED, "load_all", {"qualname": "load_all", "newName": "fetch_rows"}),
        claim="Renaming `load_all` to `fetch_rows` strands `report/monthly.py` line {caller}, which still calls "
        "`rows.load_all`.",
        effect={"op": "renamed", "subject": "load_all", "to": "fetch_rows"},
        severity="blocking",
        impact="The monthly report asks for its totals; the attribute lookup fails before any row is read.",
    ),
    Case(
        name="swapped_parameters",
        kind="api_contract",
        files={
            "geo/distance.py": (
                "def distance(lat, lon, to):\n    return haversine(lat, lon, to.lat, to.lon)\n",
                (("distance(lat, lon, to)", "distance(lon, lat, to)"),),
            ),
            "geo/nearest.py": (
                "from geo.distance import distance\n\n\ndef nearest(point, shops):\n"
                "    return min(shops, key=lambda shop: distance(point.lat, point.lon, shop))\n",
                (),
            ),
        },
        anchor=At("geo/distance.py", "def distance", Role.DIFF),
        places={"caller": At("geo/nearest.py", "distance(point.lat", Role.CALLER)},
        claim="Reordering the parameters of `distance` sends `point.lat` of the unchanged call at `geo/nearest.py` "
        "line {caller} to `lon`.",
        effect={"op": "reordered", "subject": "lat"},
        impact="A point whose latitude and longitude differ is looked up; the wrong shop comes back without an error.",
    ),
    Case(
        name="became_async",
        kind="api_contract",
        files={
            "feed/read.py": (
                "def read(url):\n    response = client.get(url)\n    return response.json()\n",
                (("def read(url):\n    response = client", "async def read(url):\n    response = await client"),),
            ),
            "feed/show.py": (
                "from feed.read import read\n\n\ndef titles(url):\n    entries = read(url)\n"
                "    return [entry['title'] for entry in entries]\n",
                (),
            ),
        },
        anchor=At("feed/read.py", "async def read", Role.DIFF),
        places={"caller": At("feed/show.py", "def titles", Role.CALLER, last="return [")},
        edit=(EditOp.BECAME_ASYNC, "read", {"function": "read"}),
        claim="Making `read` a coroutine leaves `titles` in `feed/show.py` line {caller} iterating over `entries`, "
        "which is not awaited.",
        effect={"op": "changed", "subject": "read"},
        severity="blocking",
        impact="Any feed is shown: a coroutine cannot be iterated, so the page fails every time.",
    ),
    Case(
        name="return_shape",
        kind="api_contract",
        files={
            "parse/pair.py": (
                "def split(line):\n    head, _, tail = line.partition(':')\n    return head, tail\n",
                (("return head, tail", "return {'head': head, 'tail': tail}"),),
            ),
            "parse/table.py": (
                "from parse.pair import split\n\n\ndef table(lines):\n    rows = {}\n    for line in lines:\n"
                "        key, value = split(line)\n        rows[key] = value\n    return rows\n",
                (),
            ),
        },
        anchor=At("parse/pair.py", "return {", Role.DIFF),
        places={"caller": At("parse/table.py", "key, value = split", Role.CALLER)},
        edit=(
            EditOp.RETURN_SHAPE_CHANGED,
            "split",
            {"function": "split", "beforeShape": "tuple:2", "afterShape": "dict"},
        ),
        before="head, tail",
        after="{'head': head, 'tail': tail}",
        claim="Changing what `split` returns from `head, tail` to a `dict` makes `parse/table.py` line {caller} unpack "
        "the keys: `key` is always the text `head`.",
        effect={"op": "changed", "subject": "split"},
        severity="blocking",
        impact="Two lines or more are put in a table; all of them end under one entry, silently.",
    ),
    Case(
        name="abstract_member",
        kind="api_contract",
        files={
            "queue/base.py": (
                "from abc import ABC, abstractmethod\n\n\nclass Queue(ABC):\n    @abstractmethod\n"
                "    def put(self, item): ...\n",
                (
                    (
                        "put(self, item): ...\n",
                        "put(self, item): ...\n\n    @abstractmethod\n    def flush(self): ...\n",
                    ),
                ),
            ),
            "queue/memory.py": (
                "from queue.base import Queue\n\n\nclass MemoryQueue(Queue):\n    def __init__(self):\n"
                "        self.items = []\n\n    def put(self, item):\n        self.items.append(item)\n",
                (),
            ),
            "queue/start.py": ("from queue.memory import MemoryQueue\n\nqueue = MemoryQueue()\n", ()),
        },
        anchor=At("queue/base.py", "def flush", Role.DIFF),
        places={
            "implementer": At("queue/memory.py", "class MemoryQueue", Role.SIBLING, last="self.items.append"),
            "made": At("queue/start.py", "queue = MemoryQueue()", Role.CALLER),
        },
        edit=(EditOp.ABSTRACT_MEMBER_ADDED, "flush", {"owner": "Queue", "otherMembers": ("put",)}),
        claim="Adding the abstract `flush` to `Queue` makes `MemoryQueue()` at `queue/start.py` line {made} fail, for "
        "`MemoryQueue` defines only `put`.",
        effect={"op": "added", "subject": "flush"},
        severity="blocking",
        impact="The process starts: the object is made at import, before the first message.",
    ),
    Case(
        name="missing_name",
        kind="api_contract",
        files={
            "auth/tokens.py": ("def issue(user):\n    return sign(user.id)\n", ()),
            "auth/login.py": (
                "from auth.tokens import issue\n\n\ndef login(user):\n    return issue(user)\n",
                (("import issue\n", "import issue, revoke\n"),),
            ),
        },
        anchor=At("auth/login.py", "import issue, revoke", Role.DIFF),
        places={"module": At("auth/tokens.py", "def issue", Role.DEFINITION, last="return sign")},
        edit=(EditOp.REFERENCE_ADDED, "revoke", {"form": "import", "module": "auth.tokens"}),
        claim="Adding `revoke` to the import in `auth/login.py` asks `auth/tokens.py` for a name it does not have: all "
        "it defines is `issue`, at line {module}.",
        effect={"op": "added", "subject": "revoke"},
        severity="blocking",
        impact="The login module is imported, by a worker or by a test.",
        counter=(
            "A module-level lookup hook in `auth/tokens.py` would refute this; the file ends at its only function.",
        ),
    ),
)
