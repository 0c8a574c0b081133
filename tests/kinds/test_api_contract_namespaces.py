"""Names of a TypeScript declaration file that are declared or handed on once more under their old name."""

import pytest
from reviewing import cards, review

pytestmark = pytest.mark.slow

TYPES = """export type Value = string | number;

declare class Headers {
  get(name: string): Value;
  set(name: string, value: Value): void;
}

declare class Client {
  headers: Headers;
}

declare namespace client {
  interface Options {
    headers?: Headers;
  }
}

export = client;
"""
USES = """import client = require("./client");
import { Headers } from "./client";

export function read(headers: Headers): string {
  const own: client.Headers = headers;
  return String(own.get("accept")) + String(new client.Headers());
}
"""
RENAMED = TYPES.replace("declare class Headers", "declare class InternalHeaders").replace(
    ": Headers;", ": InternalHeaders;"
)
AGAIN = RENAMED.replace("  interface Options", "  type Headers = InternalHeaders;\n\n  interface Options")
HANDED_ON = RENAMED.replace("export = client;", "export { InternalHeaders as Headers, client };")
EXPORTED = AGAIN.replace("type Headers", "export type Headers")
RULES = ("symbol_renamed_still_referenced", "symbol_removed_still_referenced")


def ended(repo, after, name="client.d.ts"):
    return review(repo, {name: TYPES, "read.ts": USES, "package.json": "{}\n"}, {name: after})


@pytest.mark.parametrize("after", [AGAIN, HANDED_ON, EXPORTED])
@pytest.mark.parametrize("name", ["client.d.ts", "client.d.cts"])
def test_a_name_that_is_declared_again_is_not_gone(repo, after, name):
    found = ended(repo, after, name)
    assert not [card for rule in RULES for card in cards(found, rule)]
