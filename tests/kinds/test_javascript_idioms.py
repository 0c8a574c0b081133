"""Whole reviews of changes in idioms of JavaScript and TypeScript: what they give a card for, and what stays silent."""

import pytest
from reviewing import cards, codes, review

pytestmark = pytest.mark.slow

HARBOUR = {
    "src/settings.ts": """\
function yes(name: string, otherwise: boolean): boolean {
  const value = process.env[name];
  return value === undefined ? otherwise : value === "yes";
}

export const settings = {
  port: process.env.PORT ?? "8000",
  askPilot: yes("ASK_PILOT", true),
};
""",
    "ops/live.env": "PORT=80\n",
    "src/ships.ts": """\
import { pool } from "./pool";

const COLUMNS = "id, name, draught";

export async function findShip(id: string) {
  const { rows } = await pool.query(`SELECT ${COLUMNS} FROM ships WHERE id = $1`, [id]);
  return rows[0];
}

export function tide(hour: number): number {
  return TABLE[hour % 24];
}

const TABLE = [1, 2, 3];
""",
    "src/pool.ts": 'import { Pool } from "pg";\nexport const pool = new Pool();\n',
    "src/berth.ts": """\
import { findShip, tide } from "./ships";

export async function berth(id: string) {
  const ship = await findShip(id);
  const spare = 10;

  if (ship.draught > spare) return "outer";
  return "inner";
}

export function depth(hour: number): number {
  return 7 + tide(hour);
}
""",
}


def changed(repo, path, old, new, kind=None, also=None):
    assert old in HARBOUR[path]
    return review(repo, {**HARBOUR, **(also or {})}, {path: HARBOUR[path].replace(old, new, 1)}, kind)


def only(ended, rule):
    found = cards(ended, rule)
    assert len(found) == 1
    return found[0].claim


def test_a_default_given_to_a_helper_reaches_the_deployment_that_does_not_set_it(repo):
    ended = changed(repo, "src/settings.ts", '"ASK_PILOT", true', '"ASK_PILOT", false')
    assert "without `ASK_PILOT` from `true` to `false` reaches `ops/live.env` line 1" in only(
        ended, "environment_fallback_changed"
    )


def test_a_deployment_that_sets_it_refutes(repo):
    also = {"ops/live.env": "PORT=80\nASK_PILOT=yes\n"}
    ended = changed(repo, "src/settings.ts", '"ASK_PILOT", true', '"ASK_PILOT", false', also=also)
    assert codes(ended, "environment_fallback_changed") == ["refuted"]


def test_a_column_that_left_the_list_is_missed_where_a_caller_reads_it(repo):
    ended = changed(repo, "src/ships.ts", ", draught", "")
    assert only(ended, "column_gone_still_read") == (
        "Removing the column `draught` of `ships` from what `findShip` selects leaves `ship.draught` in "
        "`src/berth.ts` line 7 without a value: `src/berth.ts` line 4 gets `ship` from there."
    )


@pytest.mark.parametrize(
    "berth",
    [
        HARBOUR["src/berth.ts"].replace("ship.draught", "ship.name"),
        HARBOUR["src/berth.ts"].replace("const spare = 10;", "ship.draught = measured(id);"),
    ],
)
def test_a_column_that_nobody_reads_or_somebody_sets_is_silent(repo, berth):
    ended = changed(repo, "src/ships.ts", ", draught", "", also={"src/berth.ts": berth})
    assert not cards(ended, "column_gone_still_read")


def test_a_promise_that_is_computed_with(repo):
    old = "export function tide(hour: number): number {\n  return TABLE[hour % 24];"
    new = "export async function tide(hour: number): Promise<number> {\n  return (await load())[hour % 24];"
    claim = only(changed(repo, "src/ships.ts", old, new, "api_contract"), "became_async_not_awaited")
    assert claim.endswith(
        "breaks `src/berth.ts` line 12, which does not await it: the call computes with the promise, not with what it "
        "will give."
    )


MAIL = {
    "lib/send.js": """\
export async function send({ to, body, timeout = 3000, tries }) {
  return post(to, body, { timeout, tries });
}
""",
    "app/notify.js": """\
import { send } from '../lib/send.js';

export async function notify(user, body) {
  await send({ to: user.mail, body, timeout: 500, tries: 2 });
}
""",
}


def renamed(repo, *pairs, notify=MAIL["app/notify.js"]):
    text = MAIL["lib/send.js"]
    for old, new in pairs:
        text = text.replace(old, new)
    return review(repo, {**MAIL, "app/notify.js": notify}, {"lib/send.js": text})


def test_a_key_of_an_object_parameter_that_a_caller_still_passes(repo):
    ended = renamed(repo, ("timeout = 3000", "timeoutMs = 3000"), ("{ timeout,", "{ timeout: timeoutMs,"))
    assert only(ended, "option_renamed_still_passed") == (
        "Renaming `timeout` to `timeoutMs` in what `send` takes apart strands `app/notify.js` line 4: it still passes "
        "`timeout`, which is dropped, and `timeoutMs` is its default there."
    )


@pytest.mark.parametrize(
    ("pairs", "notify", "code"),
    [
        ((("timeout = 3000", "timeoutMs = 3000"),), ("timeout: 500", "timeoutMs: 500"), "refuted"),
        ((("timeout = 3000", "timeoutMs = 3000"),), ("{ to: user.mail, body, timeout: 500, tries: 2 }", "user.letter"),
         "insufficient_evidence"),
        ((("timeout = 3000", "timeout: timeoutMs = 3000"), ("{ timeout,", "{ timeout: timeoutMs,")), ("", ""), None),
        ((("timeout = 3000", "timeoutMs = 3000, ...rest"),), ("", ""), None),
    ],
)  # fmt: skip
def test_a_key_that_callers_do_not_miss_is_silent(repo, pairs, notify, code):
    ended = renamed(repo, *pairs, notify=MAIL["app/notify.js"].replace(*notify))
    assert codes(ended, "option_renamed_still_passed") == ([code] if code else [])


DIALOG = {
    "ui/Ask.tsx": """\
interface AskProps {
  title: string;
  onYes: () => void;
}

export function Ask({ title, onYes }: AskProps) {
  return <button onClick={() => onYes()}>{title}</button>;
}
""",
    "ui/Bin.tsx": """\
import { Ask } from "./Ask";

export function Bin({ empty }: { empty: () => void }) {
  return (
    <Ask
      title="Empty it?"
      onYes={empty}
    />
  );
}
""",
}


@pytest.mark.parametrize("passed", ["onYes", "onAgree"])
def test_a_prop_renamed_beside_another_that_came(repo, passed):
    ask = DIALOG["ui/Ask.tsx"].replace("{ title, onYes }", '{ title, onAgree, label = "Yes" }')
    ask = ask.replace("onYes", "onAgree").replace(
        "  onAgree: () => void;\n", "  onAgree: () => void;\n  label?: string;\n"
    )
    ended = review(
        repo, DIALOG, {"ui/Ask.tsx": ask, "ui/Bin.tsx": DIALOG["ui/Bin.tsx"].replace("onYes", passed)}, "api_contract"
    )
    found = cards(ended, "prop_renamed")
    assert bool(found) == (passed == "onYes")
    assert all("`ui/Bin.tsx` line 7, which still passes `onYes`" in one.claim for one in found)


PAY = {
    "pay.js": """\
export async function charge(order) {
  try {
    await terminal.take(order.amount);
  } catch (err) {
    throw err;
  }
}
""",
    "till.js": """\
import { charge } from './pay.js';

export async function settle(order) {
  if (order.amount > 0) {
    await charge(order);
  }
  await setPaid(order);
  return 'paid';
}
""",
}


@pytest.mark.parametrize(("till", "marked"), [("", True), (" else {\n    await free(order);\n  }", False)])
def test_a_success_marked_behind_the_block_that_holds_the_call(repo, till, marked):
    base = {**PAY, "till.js": PAY["till.js"].replace("  }\n  await setPaid", f"  }}{till}\n  await setPaid")}
    pay = PAY["pay.js"].replace(
        "throw err;", "const { code } = err;\n    await note({ order: order.id, code: err.code });"
    )
    found = cards(review(repo, base, {"pay.js": pay}, "error_handling"), "hidden_failure_marked_success")
    assert bool(found) == marked
