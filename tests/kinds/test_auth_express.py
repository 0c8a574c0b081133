"""``auth`` in Express and Spring, over real repositories."""

import pytest

from tests.kinds.reviewing import cards, codes, review
from tests.kinds.settling import source

pytestmark = pytest.mark.slow

APP = source(
    """
    const express = require("express");
    const { authenticate } = require("./auth");
    const invoices = require("./routes/invoices");

    const app = express();
    app.use(express.json());
    app.use(authenticate);
    app.use("/invoices", invoices);

    module.exports = app;
    """
)
ROUTES = source(
    """
    const express = require("express");
    const { requireOwner } = require("../auth");
    const store = require("../store");

    const router = express.Router();

    router.get("/", async (req, res) => {
      res.json(await store.list(req.user.id));
    });

    router.get("/:id", requireOwner, async (req, res) => {
      res.json(await store.find(req.params.id));
    });

    router.put("/:id", requireOwner, async (req, res) => {
      const saved = await store.save(req.params.id, req.body);
      res.json(saved);
    });

    router.delete("/:id", requireOwner, async (req, res) => {
      await store.remove(req.params.id);
      res.status(204).end();
    });

    module.exports = router;
    """
)
REPO = {"app.js": APP, "routes/invoices.js": ROUTES}
UNGUARDED = ROUTES.replace('router.delete("/:id", requireOwner, ', 'router.delete("/:id", ')


def test_a_route_that_lost_its_guard(repo):
    (card,) = cards(review(repo, REPO, {"routes/invoices.js": UNGUARDED}), "route_guard_removed")
    assert "`requireOwner`" in card.claim


def test_a_route_whose_router_asks_now(repo):
    whole = UNGUARDED.replace("express.Router();", "express.Router();\n\nrouter.use(requireOwner);")
    assert codes(review(repo, REPO, {"routes/invoices.js": whole}), "route_guard_removed") == ["refuted"]


INLINE = ROUTES.replace(
    'router.delete("/:id", requireOwner, async (req, res) => {\n',
    'router.delete("/:id", async (req, res) => {\n  const invoice = await store.find(req.params.id);\n'
    "  if (invoice.ownerId !== req.user.id) {\n    return res.status(403).end();\n  }\n",
)
TEST = "  if (invoice.ownerId !== req.user.id) {\n    return res.status(403).end();\n  }\n"


def test_a_handler_written_in_place_that_asks_no_more(repo):
    ended = review(repo, {**REPO, "routes/invoices.js": INLINE}, {"routes/invoices.js": INLINE.replace(TEST, "")})
    (card,) = cards(ended, "auth_inline_check_removed")
    assert "`invoice.ownerId !== req.user.id`" in card.claim


def test_a_handler_written_in_place_behind_a_guard_now(repo):
    after = INLINE.replace(TEST, "").replace('router.delete("/:id", async', 'router.delete("/:id", requireOwner, async')
    ended = review(repo, {**REPO, "routes/invoices.js": INLINE}, {"routes/invoices.js": after})
    assert codes(ended, "auth_inline_check_removed") == ["refuted"]


CONTROLLER = source(
    """
    package shop;

    @RestController
    @RequestMapping("/refunds")
    public class RefundController {
        private final RefundService refunds;

        @GetMapping("/{id}")
        @PreAuthorize("hasRole('STAFF')")
        public Refund show(@PathVariable long id) {
            return refunds.find(id);
        }

        @PostMapping("/{id}/approve")
        @PreAuthorize("hasRole('STAFF')")
        public void approve(@PathVariable long id) {
            refunds.approve(id);
        }
    }
    """
)
SERVICE = source(
    """
    package shop;

    public class RefundService {
        public void approve(long id) {
            repo.approve(id);
        }
    }
    """
)
JAVA = {"shop/RefundController.java": CONTROLLER, "shop/RefundService.java": SERVICE}
APPROVE = '    @PostMapping("/{id}/approve")\n    @PreAuthorize("hasRole(\'STAFF\')")\n'
BARE = CONTROLLER.replace(APPROVE, '    @PostMapping("/{id}/approve")\n')


def test_an_annotation_that_went(repo):
    (card,) = cards(review(repo, JAVA, {"shop/RefundController.java": BARE}), "auth_check_removed")
    assert "`show`" in card.claim


def test_an_annotation_that_moved_to_the_service(repo):
    moved = SERVICE.replace("    public void", "    @PreAuthorize(\"hasRole('STAFF')\")\n    public void")
    ended = review(repo, JAVA, {"shop/RefundController.java": BARE, "shop/RefundService.java": moved})
    assert codes(ended, "auth_check_removed") == ["refuted"]


def test_an_annotation_that_the_configuration_makes_needless(repo):
    config = source(
        """
        package shop;

        public class SecurityConfig {
            SecurityFilterChain chain(HttpSecurity http) {
                http.authorizeHttpRequests(a -> a
                    .requestMatchers("/refunds/**").hasRole("STAFF")
                    .anyRequest().authenticated());
                return http.build();
            }
        }
        """
    )
    ended = review(repo, {**JAVA, "shop/SecurityConfig.java": config}, {"shop/RefundController.java": BARE})
    assert codes(ended, "auth_check_removed") == ["refuted"]
