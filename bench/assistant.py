"""A model that answers request files, measured on real commits: cases in, requests out, answers in, figures out.

    python bench/assistant.py --cases DIR --repos DIR --only ID ... --work WORK --out OUT [--policy DIR] [--model NAME]

Run it again whenever answers are there: each case goes on by one stop at most a call. DIR of --cases and --repos are
as for bench/corpus.py. WORK holds repositories, runs and ``key.json``, which says which case is which; keep it from the
answerer. OUT is the bare folder an answerer sees: ``OUT/NAME/PHASE.jsonl`` with requests, beside which the answers go
as ``OUT/NAME/PHASE.answers.jsonl`` (docs/assistants.md says how). NAME tells nothing of the case.

Use a checkout that nobody edits meanwhile: another product or policy makes another review, which the report says.

WORK/cards.jsonl has the cards for a judge, in an order that tells nothing either; WORK/predictions.jsonl is for the
corpus' own scorer. Tokens are counted by o200k. *Cacheable* is what begins byte for byte like an earlier request of the
case, of whatever phase; *from 1,024* leaves out beginnings shorter than that, as OpenAI's cache does.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import corpus

import refs
from review_agent.engines.tokens import counted_tokens

WAITING, FINE = 4, (0, 3, 4)
LEAST_CACHED = 1024
Case = dict[str, str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, required=True)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--policy", type=Path)
    parser.add_argument("--model", default="assistant")
    options = parser.parse_args()
    with (options.cases / "cases.tsv").open(encoding="utf-8", newline="") as file:
        cases = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    cases = [case for case in cases if not options.only or case["id"] in options.only]
    cases.sort(key=lambda case: alias(case["id"]))
    options.work.mkdir(parents=True, exist_ok=True)
    results = [gone_on(case, options) for case in cases]
    (options.work / "key.json").write_text(json.dumps({r["name"]: r["case"]["id"] for r in results}, indent=1))
    write_lines(options.work / "cards.jsonl", judged(results))
    print(report(results))
    ended = [result for result in results if result["document"] and not result["waits"]]
    if ended:
        print(json.dumps(corpus.score(options.cases, ended, options.work), indent=1))
    sys.exit(1 if any(result["faults"] for result in results) else WAITING if len(ended) < len(results) else 0)


def alias(case_id: str) -> str:
    """A name that says nothing of the case, least of all that it is a clean one."""
    return hashlib.sha256(f"assistant {case_id}".encode()).hexdigest()[:8]


def gone_on(case: Case, options: argparse.Namespace) -> dict[str, Any]:
    """A case after one more stop, or at its end: what it came to so far."""
    name = alias(case["id"])
    repo, out, kept = options.work / name / "repo", options.out / name, options.work / name / "document.json"
    result: dict[str, Any] = {"case": case, "name": name, "faults": [], "waits": "", "document": None, "cards": []}
    if not repo.exists():
        corpus.clone(case, options.repos, repo)
    out.mkdir(parents=True, exist_ok=True)
    document = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else None
    if document is None or document["run"]["status"] == "waiting":
        document = reviewed(case, options, repo, out, result)
        if document is not None:
            kept.write_text(json.dumps(document), encoding="utf-8")
    result["document"] = document
    result["year"] = refs.git(repo, "log", "-1", "--format=%cs", case["head"]).decode()[:4]
    result["tokens"] = tokens([path for path in sorted(out.glob("*.jsonl")) if ".answers." not in path.name])
    if document is not None:
        cards = document["outcomes"]["cards"]
        result["cards"] = [corpus.prediction(repo, document["run"], card) for card in cards]
    return result


def reviewed(case: Case, options: argparse.Namespace, repo: Path, out: Path, result: dict[str, Any]) -> Any:
    """The review gone on with, with all answers that are there; open requests are put where the answerer sees them."""
    command = [sys.executable, "-m", "review_agent.cli", "review", "--repo", str(repo), "--format", "json"]
    command += ["--base", case["base"], "--head", case["head"], "--engine", "batch", "--model", options.model]
    command += ["--policy", str(options.policy.resolve())] if options.policy else []
    for answers in sorted(out.glob("*.answers.jsonl")):
        command += ["--answers", str(answers.resolve())]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONUTF8": "1"})
    if done.returncode not in FINE or not done.stdout:
        result["faults"].append(f"exit {done.returncode}: {done.stderr.strip()[-400:]}")
        return None
    if len(list((repo / ".review-agent/runs").glob("*.jsonl"))) > 1:
        result["faults"].append("product or policy changed between two stops: begin the case again in an empty WORK")
    if done.returncode == WAITING:
        result["waits"] = ", ".join(handed_out(repo / ".review-agent/batch", out))
    return json.loads(done.stdout)


def handed_out(batch: Path, out: Path) -> list[str]:
    """Copies request files that the answerer has not seen; the names of those without answers."""
    for file in sorted(batch.glob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns):
        raw, role = file.read_bytes(), file.name.split("-")[0]
        known = [path for path in out.glob(f"{role}*.jsonl") if ".answers." not in path.name]
        if all(path.read_bytes() != raw for path in known):
            (out / f"{role}{f'-{len(known) + 1}' if known else ''}.jsonl").write_bytes(raw)
    asked = sorted(path for path in out.glob("*.jsonl") if ".answers." not in path.name)
    return [path.name for path in asked if not path.with_suffix(".answers.jsonl").exists()]


def tokens(files: list[Path]) -> dict[str, int]:
    """Prompt tokens of all requests of a case, and how many begin like an earlier one."""
    found = {"requests": 0, "prompt": 0, "cacheable": 0, "from 1,024": 0}
    before: list[str] = []
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            text = "\n".join(message["content"] for message in json.loads(line)["body"]["messages"])
            common = counted_tokens(text[: max((shared(text, other) for other in before), default=0)])
            before.append(text)
            found["requests"] += 1
            found["prompt"] += counted_tokens(text)
            found["cacheable"] += common
            found["from 1,024"] += common if common >= LEAST_CACHED else 0
    return found


def shared(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def judged(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every card with the name of its case's folder in WORK, by a digest of what it says."""
    found = []
    for result in results:
        for card in (result["document"] or {"outcomes": {"cards": []}})["outcomes"]["cards"]:
            said = {key: card[key] for key in ("claim", "impactCondition", "severity", "confidence", "uncertainty")}
            refs = [card["diffAnchor"], *card["supportingRefs"]]
            places = [{key: ref[key] for key in ("path", "side", "startLine", "endLine")} for ref in refs]
            found.append({"card": card["cardId"][:12], "repo": f"{result['name']}/repo", **said, "places": places})
    return sorted(found, key=lambda one: str(one["card"]))


def write_lines(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records), encoding="utf-8")


def report(results: list[dict[str, Any]]) -> str:
    """A line a case, then the medians and shares of all."""
    heads = (
        "case",
        "year",
        "waits for",
        "requests",
        "prompt tokens",
        "cacheable",
        "from 1,024",
        "questions",
        "ends",
        "cards",
    )
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for result in results:
        used = result["tokens"]
        questions = (result["document"] or {"spend": {"questions": 0}})["spend"]["questions"]
        cells = (
            result["name"],
            result["year"],
            result["waits"] or ("fault" if result["faults"] else "-"),
            used["requests"],
            f"{used['prompt']:,}",
            percent(used["cacheable"], used["prompt"]),
            percent(used["from 1,024"], used["prompt"]),
            questions,
            ends(result["document"]),
            len(result["cards"]),
        )
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    every = [result["tokens"] for result in results]
    whole = sum(one["prompt"] for one in every)
    lines += ["", f"prompt tokens a case, median: {statistics.median(one['prompt'] for one in every):,.0f}"]
    lines += [f"cacheable: {percent(sum(one['cacheable'] for one in every), whole)} of all, "]
    lines[-1] += f"{percent(sum(one['from 1,024'] for one in every), whole)} from 1,024 tokens on"
    lines += [f"cards a case: {sum(len(result['cards']) for result in results) / len(results):.2f}"]
    lines += [f"fault: {result['name']}: {fault}" for result in results for fault in result["faults"]]
    return "\n".join(lines) + "\n"


def ends(document: Any) -> str:
    """How the questions ended, in short."""
    if document is None:
        return ""
    outcomes = document["outcomes"]
    names = {"noFindings": "no finding", "rejections": "rejected", "unanswered": "unanswered"}
    return ", ".join(f"{len(outcomes[key])} {word}" for key, word in names.items() if outcomes[key])


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}%" if whole else "-"


if __name__ == "__main__":
    main()
