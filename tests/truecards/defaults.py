"""True cards about values that apply where nobody sets them. Python and configuration files."""

from review_agent.vocabulary import EditOp, Role, Side
from truecards import At, Case

CASES = (
    Case(
        name="parameter_default",
        kind="config_default",
        files={
            "http/client.py": (
                "def get(url, timeout=5, verify=True):\n    return session.get(url, timeout=timeout, verify=verify)\n",
                (("timeout=5, verify=True", "timeout=5, verify=False"),),
            ),
            "http/webhook.py": (
                "from http.client import get\n\n\ndef confirm(hook):\n    return get(hook.url).status == 200\n",
                (),
            ),
        },
        anchor=At("http/client.py", "def get(", Role.DIFF),
        places={"caller": At("http/webhook.py", "return get(", Role.CALLER)},
        edit=(EditOp.DEFAULT_CHANGED, "verify", {"carrier": "parameter", "function": "get", "transition": "flipped"}),
        before="True",
        after="False",
        claim="Flipping the default of `verify` to `False` makes `get(hook.url)` at `http/webhook.py` line {caller} "
        "accept any certificate.",
        effect={"op": "changed", "subject": "verify", "to": "False"},
        severity="blocking",
        impact="Someone between us and the receiver of a webhook presents a certificate of their own.",
    ),
    Case(
        name="number_default",
        kind="config_default",
        files={
            "pool/settings.py": ("NAME = 'main'\n\nPOOL_SIZE = 20\n", (("POOL_SIZE = 20", "POOL_SIZE = 200"),)),
            "pool/make.py": (
                "from pool import settings\n\n\ndef make():\n    return Pool(size=settings.POOL_SIZE)\n",
                (),
            ),
            "deploy/database.yml": ("database:\n  max_connections: 100\n", ()),
        },
        anchor=At("pool/settings.py", "POOL_SIZE = 200", Role.DIFF),
        places={
            "reader": At("pool/make.py", "return Pool", Role.USE),
            "limit": At("deploy/database.yml", "max_connections", Role.CONFIG),
        },
        edit=(EditOp.DEFAULT_CHANGED, "POOL_SIZE", {"carrier": "constant", "key": "POOL_SIZE", "transition": "number"}),
        before="20",
        after="200",
        claim="Raising `POOL_SIZE` from 20 to 200 lets `pool/make.py` line {reader} open more connections than the 100 "
        "that `deploy/database.yml` line {limit} allows.",
        effect={"op": "changed", "subject": "POOL_SIZE", "to": "200"},
        impact="More than half of the pool is in use at one moment; the database refuses the rest.",
    ),
    Case(
        name="environment_fallback",
        kind="config_default",
        files={
            "app/env.py": (
                "import os\n\nDEBUG = os.environ.get('APP_DEBUG', '0') == '1'\n",
                (("'0') == '1'", "'1') == '1'"),),
            ),
            "deploy/prod.env": ("APP_HOST=0.0.0.0\nAPP_PORT=8080\n", ()),
            "app/errors.py": (
                "from app.env import DEBUG\n\n\ndef page(error):\n"
                "    return traceback_of(error) if DEBUG else 'Sorry'\n",
                (),
            ),
        },
        anchor=At("app/env.py", "APP_DEBUG", Role.DIFF),
        places={
            "deployment": At("deploy/prod.env", "APP_HOST", Role.CONFIG, last="APP_PORT"),
            "reader": At("app/errors.py", "traceback_of", Role.USE),
        },
        edit=(EditOp.DEFAULT_CHANGED, "APP_DEBUG", {"carrier": "environment", "key": "APP_DEBUG"}),
        before="'0'",
        after="'1'",
        claim="Switching the fallback of `APP_DEBUG` turns `DEBUG` on where `deploy/prod.env` sets only `APP_HOST` and "
        "`APP_PORT`: `app/errors.py` line {reader} then shows tracebacks.",
        effect={"op": "changed", "subject": "APP_DEBUG"},
        severity="blocking",
        impact="Any request fails in a deployment that takes its environment from this file.",
    ),
    Case(
        name="fallback_removed",
        kind="config_default",
        files={
            "app/region.py": (
                "import os\n\n\ndef region():\n    return os.environ.get('REGION', 'eu-1')\n",
                (("os.environ.get('REGION', 'eu-1')", "os.environ['REGION']"),),
            ),
            "jobs/nightly.env": ("BUCKET=backups\n", ()),
        },
        anchor=At("app/region.py", "return os.environ['REGION']", Role.DIFF),
        places={"job": At("jobs/nightly.env", "BUCKET", Role.CONFIG)},
        edit=(EditOp.FALLBACK_REMOVED, "REGION", {"carrier": "environment", "key": "REGION", "fallback": "'eu-1'"}),
        claim="Removing the fallback `eu-1` makes `region` fail in the nightly job, whose `jobs/nightly.env` sets "
        "`BUCKET` at line {job} and no `REGION`.",
        effect={"op": "removed", "subject": "'eu-1'"},
        impact="The nightly job starts with the variables of that file alone.",
    ),
    Case(
        name="key_renamed",
        kind="config_default",
        files={
            "deploy/app.yml": (
                "cache:\n  url: redis://cache\n  ttl: 60\n",
                (("  ttl: 60", "  ttl_seconds: 60"),),
            ),
            "app/cache.py": (
                "def seconds(config):\n    return config['cache'].get('ttl', 0)\n",
                (),
            ),
        },
        anchor=At("deploy/app.yml", "ttl_seconds", Role.DIFF),
        places={"reader": At("app/cache.py", "config['cache']", Role.USE)},
        edit=(EditOp.KEY_RENAMED, "ttl", {"carrier": "config_file", "newKey": "ttl_seconds", "act": "sets"}),
        language="yaml",
        claim="Renaming `ttl` to `ttl_seconds` leaves `app/cache.py` line {reader} reading the old key, where it gets "
        "its fallback 0.",
        effect={"op": "renamed", "subject": "ttl", "to": "ttl_seconds"},
        impact="The application starts with this file: nothing is kept, and every request goes to the database.",
    ),
    Case(
        name="key_removed",
        kind="config_default",
        files={
            "deploy/web.yml": (
                "web:\n  port: 80\n  workers: 4\n  log: json\n",
                (("  workers: 4\n", ""),),
            ),
            "app/web.py": ("def start(config):\n    serve(config['web']['workers'])\n", ()),
        },
        anchor=At("deploy/web.yml", "workers: 4", Role.DIFF, side=Side.OLD),
        places={"reader": At("app/web.py", "serve(config", Role.USE)},
        edit=(EditOp.KEY_REMOVED, "workers", {"carrier": "config_file", "act": "sets", "siblings": ("port", "log")}),
        language="yaml",
        claim="Deleting `workers` from `deploy/web.yml` makes `app/web.py` line {reader} raise `KeyError`.",
        effect={"op": "removed", "subject": "workers"},
        severity="blocking",
        impact="A web process is started from this configuration, with no other file laid over it.",
    ),
    Case(
        name="field_default",
        kind="config_default",
        files={
            "model/job.py": (
                "from dataclasses import dataclass\n\n\n@dataclass\nclass Job:\n    name: str\n    retries: int = 3\n",
                (("retries: int = 3", "retries: int = 0"),),
            ),
            "model/plan.py": (
                "from model.job import Job\n\n\ndef plan(names):\n    return [Job(name) for name in names]\n",
                (),
            ),
        },
        anchor=At("model/job.py", "retries: int = 0", Role.DIFF),
        places={"maker": At("model/plan.py", "Job(name)", Role.CALLER)},
        edit=(EditOp.DEFAULT_CHANGED, "retries", {"carrier": "field", "key": "retries", "transition": "to_zero"}),
        before="3",
        after="0",
        claim="Lowering the default of `retries` from 3 to 0 makes every `Job(name)` of `model/plan.py` line {maker} "
        "give up at its first failure.",
        effect={"op": "changed", "subject": "retries", "to": "0"},
        confidence="medium",
        uncertainty=("Whether a scheduler sets the field later was not established.",),
        impact="A planned job fails once for a reason that goes away by itself.",
    ),
    Case(
        name="hedged_with_uncertainty",
        kind="config_default",
        files={
            "batch/limits.py": (
                "def limit(kind, size=100):\n    return SIZES.get(kind, size)\n",
                (("size=100", "size=10"),),
            ),
            "batch/run.py": (
                "from batch.limits import limit\n\n\ndef run(kind, rows):\n    chunk = limit(kind)\n"
                "    return [rows[i : i + chunk] for i in range(0, len(rows), chunk)]\n",
                (),
            ),
        },
        anchor=At("batch/limits.py", "def limit", Role.DIFF),
        places={"caller": At("batch/run.py", "chunk = limit(kind)", Role.CALLER, last="return")},
        edit=(EditOp.DEFAULT_CHANGED, "size", {"carrier": "parameter", "function": "limit"}),
        before="100",
        after="10",
        claim="Lowering the default of `size` to 10 could make `batch/run.py` line {caller} cut `rows` into ten times "
        "as many pieces.",
        effect={"op": "changed", "subject": "size", "to": "10"},
        severity="suggestion",
        confidence="low",
        uncertainty=("Which kinds have an entry of their own in the table of sizes was not read.",),
        impact="A kind without an entry of its own is processed with many records.",
    ),
)
