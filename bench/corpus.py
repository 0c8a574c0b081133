"""Review real commits with known defects and known harmless ones, and say how many cards hit.

    python bench/corpus.py --cases DIR --repos DIR [--only ID ...] [--output bench/results]

DIR of --cases holds ``cases.tsv`` (columns id, project, base, head, language, kind, severity, context, locations, ...;
locations are ``path:first-last`` joined by ``;``, head-side lines) and ``corpus.py``, whose ``score`` judges. DIR of
--repos holds bare clones, ``OWNER+NAME/repo``, ``OWNER+NAME.git`` or ``OWNER+NAME``. Nothing of them is kept, but for
what --keep is given a folder for.

A card hits when its path is a defect's and the lines lie within five of each other. A card that hits no known defect is
unproven, not proven false. Every ref of every card is checked again with plain git, files and hunks are counted again.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import dated

import refs

SLACK = 5  # lines, as the scorer allows
Case = dict[str, str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, required=True)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--output", type=dated.folder, help="folder for the dated table")
    parser.add_argument("--keep", type=Path, help="folder for documents and run logs, to read them afterwards")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    with (options.cases / "cases.tsv").open(encoding="utf-8", newline="") as file:
        cases = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    cases = [case for case in cases if not options.only or case["id"] in options.only]
    with tempfile.TemporaryDirectory(prefix="review-agent-corpus-") as folder:
        work = options.keep or Path(folder)
        with ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(lambda case: run(case, options.repos, work), cases))
        table = report(results, score(options.cases, results, work))
    print(table)
    dated.keep(options.output, "corpus", table)
    sys.exit(1 if any(result["faults"] for result in results) else 0)


def run(case: Case, repos: Path, work: Path) -> dict[str, Any]:
    """One case reviewed: its document, what is wrong with its account, and its predictions."""
    repo = work / case["id"]
    if not repo.exists():
        clone(case, repos, repo)
    command = [sys.executable, "-m", "review_agent.cli", "review", "--repo", str(repo)]
    command += ["--base", case["base"], "--head", case["head"], "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True)
    faults = [] if done.returncode in (0, 3) else [f"exit {done.returncode}: {done.stderr.strip()[-300:]}"]
    document = json.loads(done.stdout) if done.stdout else None
    if document is None:
        return {"case": case, "faults": faults or ["no document"], "document": None, "cards": []}
    (work / f"{case['id']}.json").write_text(done.stdout, encoding="utf-8")
    faults += account_faults(repo, document)
    cards = document["outcomes"]["cards"]
    for card in cards:
        for ref in (card["diffAnchor"], *card["supportingRefs"]):
            faults += refs.faults(repo, ref)
    faults += [f"rejection: {[x['code'] for x in r['reasons']]}" for r in document["outcomes"]["rejections"]]
    return {
        "case": case,
        "faults": faults,
        "document": document,
        "cards": [prediction(repo, document["run"], card) for card in cards],
    }


def clone(case: Case, repos: Path, repo: Path) -> None:
    """A repository that borrows the bare clone's objects and has two branches, base and head."""
    name = case["project"].replace("/", "+")
    places = (repos / name / "repo", repos / f"{name}.git", repos / name)
    bare = next(place for place in places if (place / "objects").is_dir())
    repo.mkdir(parents=True)
    refs.git(repo, "init", "-q")
    (repo / ".git/objects/info/alternates").write_text(f"{bare.resolve()}/objects\n", encoding="utf-8")
    for branch in ("base", "head"):
        refs.git(repo, "update-ref", f"refs/heads/{branch}", case[branch])
    refs.git(repo, "symbolic-ref", "HEAD", "refs/heads/head")


def account_faults(repo: Path, document: dict[str, Any]) -> list[str]:
    """Where the coverage does not add up, or counts other files and hunks than git's own output has."""
    coverage, ends = document["coverage"], (document["run"]["mergeBase"], document["run"]["head"])
    found = []
    for unit in ("files", "hunks"):
        whole = coverage[unit]
        parts = sum(coverage[f"{unit}{fate}"] for fate in ("Examined", "Skipped", "Failed"))
        if whole != parts:
            found.append(f"{unit}: {whole} is not the sum of its parts {parts}")
    names = refs.git(repo, "diff", "--name-only", "-z", "-M", *ends).count(b"\0")
    patch = refs.git(repo, "diff", "-M", "--no-ext-diff", "--no-textconv", "--submodule=short", *ends)
    hunks = sum(line.startswith(b"@@ ") for line in patch.split(b"\n"))
    if names != coverage["files"]:
        found.append(f"files: git lists {names}, the account {coverage['files']}")
    if hunks != coverage["hunks"]:
        found.append(f"hunks: git prints {hunks}, the account {coverage['hunks']}")
    return found


def prediction(repo: Path, run: dict[str, Any], card: dict[str, Any]) -> dict[str, Any]:
    """A card as the scorer wants it, head-side; a deletion stands before the head line that follows it."""
    anchor = card["diffAnchor"]
    first, last = anchor["startLine"], anchor["endLine"]
    if anchor["side"] == "old":
        first = last = head_line(repo, run, anchor)
    return {"path": anchor["path"], "line_start": first, "line_end": last, "rule": card["rule"], "claim": card["claim"]}


def head_line(repo: Path, run: dict[str, Any], anchor: dict[str, Any]) -> int:
    """The head line that stands where an old-side line stood, from the hunk headers of a diff without context."""
    patch = refs.git(repo, "diff", "-U0", "-M", run["mergeBase"], run["head"], "--", anchor["path"])
    shift = 0
    for header in (line for line in patch.split(b"\n") if line.startswith(b"@@ ")):
        old, new = (part[1:].split(b",") for part in header.split(b" ")[1:3])
        old_start, old_count = int(old[0]), int(old[1]) if len(old) > 1 else 1
        new_start, new_count = int(new[0]), int(new[1]) if len(new) > 1 else 1
        if old_start <= anchor["startLine"] < old_start + old_count:
            return new_start + (new_count == 0)
        if old_start + old_count <= anchor["startLine"]:
            shift += new_count - old_count
    return anchor["startLine"] + shift


def score(cases: Path, results: list[dict[str, Any]], work: Path) -> dict[str, Any]:
    """The scorer's own word on the predictions."""
    rows = [{"id": r["case"]["id"], "cards": [dict(c, match=None) for c in r["cards"]]} for r in results]
    path = work / "predictions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    command = [sys.executable, str(cases / "corpus.py"), "score", str(path), "--submitted-only"]
    scored: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return scored


def hits(case: Case, cards: list[dict[str, Any]]) -> int:
    defects = []
    for part in filter(None, case["locations"].split(";")):
        path, lines = part.rsplit(":", 1)
        first, last = map(int, lines.split("-"))
        defects.append((path, first - SLACK, last + SLACK))
    return sum(
        any(c["path"] == p and c["line_start"] <= b and c["line_end"] >= a for p, a, b in defects) for c in cards
    )


def report(results: list[dict[str, Any]], scored: dict[str, Any]) -> str:
    lines = ["# Corpus", "", f"Engine `rules`; {len(results)} cases; `bench/corpus.py`.", ""]
    lines += ["| figure | value |", "|---|---|", *(f"| {name} | {value} |" for name, value in scored.items())]
    lines += [f"| cards a case | {scored['cards'] / max(1, scored['faulty']):.2f} |"]
    for column in ("kind", "language"):
        lines += ["", f"| {column} | cases | found | cards | hits |", "|---|---|---|---|---|", *rows(results, column)]
    lines += ["", "| outcome | number |", "|---|---|"]
    totals: Counter[str] = Counter()
    for result in results:
        for outcome, items in (result["document"] or {"outcomes": {}})["outcomes"].items():
            totals[outcome] += len(items)
    lines += [f"| {outcome} | {number} |" for outcome, number in sorted(totals.items())]
    lines += ["", "Cards:", ""]
    for result in results:
        mark = {True: "hit", False: "unproven"}
        for card in result["cards"]:
            hit = mark[bool(hits(result["case"], [card]))]
            lines.append(f"- {result['case']['id']} {hit}: {card['rule']} at {card['path']}:{card['line_start']}")
    found = [f"- {result['case']['id']}: {fault}" for result in results for fault in result["faults"]]
    lines += ["", "Faults of the account, refs or contract:", "", *(found or ["- none"])]
    return "\n".join(lines) + "\n"


def rows(results: list[dict[str, Any]], column: str) -> list[str]:
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for result in results:
        groups[result["case"][column]].append(result)
    out = []
    for name, group in sorted(groups.items()):
        cards = sum(len(result["cards"]) for result in group)
        right = [hits(result["case"], result["cards"]) for result in group]
        out.append(f"| {name} | {len(group)} | {sum(map(bool, right))} | {cards} | {sum(right)} |")
    return out


if __name__ == "__main__":
    main()
