"""A lookup that lost a filter: moved where its values are still asked by, a card where nothing asks by them."""

import pytest
from reviewing import review

from review_agent.kinds.persistence_moved import _is_check

pytestmark = pytest.mark.slow


def settled(repo, before, after):
    found = [one for one in review(repo, before, after, "persistence") if one.rule == "filter_lost"]
    return [one.code or one.cards[0].claim for one in found]


SCRIPT = """export const listHooks = async (teamId, userId) => {
%s
  return await db.webhook.findMany({
    where: {
%s
    },
    orderBy: { createdAt: 'desc' },
  });
};
"""
CALLER = """import { listHooks } from './hooks';

export async function handle(req) {
  const { teamId, user } = await session(req);
  return await listHooks(teamId, user.id);
}
"""
NESTED = "      team: { id: teamId, members: { some: { member: { userId } } } },"


def script(repo, left, before="", suffix="ts"):
    caller = {f"src/handle.{suffix}": CALLER}
    path = f"src/hooks.{suffix}"
    was, now = SCRIPT % ("  await started();", NESTED), SCRIPT % (before or "  await started();", left)
    return settled(repo, {path: was, **caller}, {path: now})


FOUND = """  const team = await db.team.findFirst({
    where: teamOf({
      teamId,
      userId,
    }),
  });

  if (!team) {
    throw new NotFound('team');
  }
"""
MOVED = [
    FOUND,
    "  await requireMember(teamId, userId);",
    "  if (!(await isMember(teamId, userId))) {\n    throw new Forbidden();\n  }",
    "  const member = await db.member.findUniqueOrThrow({ where: { teamId, userId } });",
    "  const allowed = await canRead({ teamId, userId });\n  if (!allowed) return [];",
]
LOST = [
    "  log.info('hooks', { userId, teamId });",
    "  requireNonNull(userId);",
    "  const seen = await db.visit.count({ where: { userId } });",
    "  const seen = await db.visit.findFirst({ where: { userId } });\n  if (seen) {\n    log.info(seen);\n  }\n\n\n\n",
]


@pytest.mark.parametrize("check", MOVED)
@pytest.mark.parametrize("suffix", ["ts", "js"])
def test_javascript_a_filter_that_moved_into_a_check_before(repo, check, suffix):
    assert script(repo, "      teamId,", check, suffix) == ["refuted"]


def test_javascript_a_check_that_takes_all_values_of_the_filter(repo):
    assert script(repo, "      enabled: true,", MOVED[1]) == ["refuted"]


def test_javascript_a_filter_that_moved_into_what_the_lookup_is_given(repo):
    assert script(repo, "      ...scopeOf(teamId, userId),") in (["refuted"], [])


@pytest.mark.parametrize("other", ["", *LOST])
def test_javascript_a_part_of_the_filter_that_nothing_asks_by_is_not_concluded(repo, other):
    assert script(repo, "      teamId,", other) == ["insufficient_evidence"]


@pytest.mark.parametrize("other", ["", *LOST[1:]])
def test_javascript_a_filter_that_nothing_asks_by_any_more(repo, other):
    (told,) = script(repo, "      enabled: true,", other)
    assert told.startswith("Removing the filter")


def test_javascript_a_value_that_is_only_written_down_is_not_said_to_be_unused(repo):
    assert script(repo, "      enabled: true,", LOST[0]) == ["insufficient_evidence"]


VIEWS = '''"""Views."""

from billing.models import Invoice


def listing(request):
    """All of one's own."""
    return list(Invoice.objects.filter(owner=request.user))


def erase(request, pk):
    """Remove one."""
    started(pk)
    Invoice.objects.filter(pk=pk, owner=request.user).delete()
'''


@pytest.mark.parametrize(
    ("started", "lookup", "told"),
    [
        ("started(pk)", "Invoice.objects.filter(pk=pk).delete()", "Removing"),
        ("audit(request.user, pk)", "Invoice.objects.filter(pk=pk).delete()", "Removing"),
        ("started(request.GET)", "Invoice.objects.filter(pk=pk).delete()", "Removing"),
        ("require_owner(request.user, pk)", "Invoice.objects.filter(pk=pk).delete()", "refuted"),
        (
            "if not can_erase(request.user, pk):\n        raise Denied",
            "Invoice.objects.filter(pk=pk).delete()",
            "refuted",
        ),
        (
            "mine = get_object_or_404(Invoice, pk=pk, owner=request.user)",
            "Invoice.objects.filter(pk=pk).delete()",
            "refuted",
        ),
    ],
)
def test_python_a_filter_that_moved_and_one_that_was_lost(repo, started, lookup, told):
    now = VIEWS.replace("started(pk)", started).replace(
        "Invoice.objects.filter(pk=pk, owner=request.user).delete()", lookup
    )
    found = settled(repo, {"billing/__init__.py": "", "billing/views.py": VIEWS}, {"billing/views.py": now})
    assert [one.split()[0] for one in found] in ([told], [] if told == "refuted" else [told])


SOURCE = "src/main/java/shop"
REPOSITORY = """package shop;

public interface OrderRepository extends JpaRepository<Order, Long> {
    Order findByIdAndTenantId(Long id, Long tenantId);
    Order findById(Long id);
}
"""
ORDERS = """package shop;

public class Orders {
    private final OrderRepository orders;
    private final Access access;

    public Order find(Long tenantId, Long id) {
        started(id);
        return orders.findByIdAndTenantId(id, tenantId);
    }
}
"""
USES = """package shop;

public class Pages {
    private final Orders orders;

    public Order page(Tenant tenant, Long id) {
        return orders.find(tenant.id(), id);
    }
}
"""


@pytest.mark.parametrize(
    ("started", "told"),
    [
        ("", "Replacing"),
        ("log.info(tenantId);", "insufficient_evidence"),
        ("Objects.requireNonNull(tenantId);", "insufficient_evidence"),
        ("access.requireOrder(tenantId, id);", "refuted"),
        ("if (!access.mayRead(tenantId, id)) {\n            throw new Denied();\n        }", "refuted"),
    ],
)
def test_java_a_filter_that_moved_and_one_that_was_lost(repo, started, told):
    files = {
        f"{SOURCE}/OrderRepository.java": REPOSITORY,
        f"{SOURCE}/Orders.java": ORDERS,
        f"{SOURCE}/Pages.java": USES,
    }
    now = ORDERS.replace("started(id);", f"started(id);\n        {started}").replace(
        "findByIdAndTenantId(id, tenantId)", "findById(id)"
    )
    found = settled(repo, files, {f"{SOURCE}/Orders.java": now})
    assert [one.split()[0] for one in found] in ([told], [] if told == "refuted" else [told])


@pytest.mark.parametrize(
    ("lines", "given", "checks"),
    [
        (
            ["note, err := findNote(ctx, id, userID)", "if err != nil {", "return err"],
            "findNote(ctx, id, userID)",
            True,
        ),
        (["n, err := countNotes(ctx, userID)", "if err != nil {", "return err"], "countNotes(ctx, userID)", False),
        (["if err := requireOwner(userID); err != nil {", "return err"], "requireOwner(userID)", True),
        (["if err := save(userID); err != nil {", "return err"], "save(userID)", False),
        (["requireOwner(userID)"], "requireOwner(userID)", True),
        (["requireNonNull(userID)"], "requireNonNull(userID)", False),
        (["tell(userID)"], "tell(userID)", False),
        (["const n = await count(userID);", "if (n === 0) {", "throw none;"], "count(userID)", True),
        (["const n = await count(userID);", "if (n === 0) {", "n += 1;"], "count(userID)", False),
        (["const made = await findOne(userID);", "use(made);"], "findOne(userID)", False),
        (["const made = await findOneOrFail(userID);"], "findOneOrFail(userID)", True),
        (["made = find(userID) or abort(404)"], "find(userID)", False),
    ],
)
def test_what_a_value_is_given_to_that_refuses(lines, given, checks):
    assert _is_check(dict(enumerate(lines, 1)), 1, (given,)) is checks
