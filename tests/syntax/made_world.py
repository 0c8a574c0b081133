"""A repository of a few texts, parsed in this process, for name resolution; and lines that say what they are."""

import re
from functools import cache
from posixpath import dirname

from review_agent.syntax.languages import PARSED, language_of
from review_agent.syntax.outline import outline, uses
from review_agent.syntax.resolution import resolver
from review_agent.syntax.resolution_world import Index, Target

WORDS = {"yes": "resolved", "maybe": "ambiguous", "no": "unresolved"}
MARK = re.compile(r"(?:#|//) (yes|maybe|no)\b")


@cache
def _index(text, language):
    return Index.of(outline(text, language))


@cache
def _uses(text, language, name):
    return uses(text, language, [name])


class MadeWorld:
    """Implements ``World`` over a mapping of paths to texts."""

    def __init__(self, texts):
        self.texts = texts

    def has(self, path):
        return path in self.texts

    def is_folder(self, folder):
        return not folder or any(path.startswith(folder + "/") for path in self.texts)

    def files(self, folder):
        return sorted(path for path in self.texts if dirname(path) == folder)

    def folders(self, folder):
        start = folder + "/" if folder else ""
        inside = [path[len(start) :] for path in self.texts if path.startswith(start)]
        return sorted({path.split("/")[0] for path in inside if "/" in path})

    def ending(self, tail):
        return sorted(path for path in self.texts if path == tail or path.endswith("/" + tail))

    def index(self, path):
        language = language_of(path)
        return _index(self.texts[path], language) if path in self.texts and language in PARSED else None

    def uses(self, path, name):
        return _uses(self.texts[path], language_of(path), name) if self.index(path) else ()

    def text(self, path):
        return self.texts.get(path)


def said(texts, path, scope, name):
    """{(path, line): resolutions} of every reference to the name in every file."""
    world = MadeWorld(texts)
    judge = resolver(world, language_of(path), Target(path, scope, name))
    found = {}
    for place in texts:
        for use in world.uses(place, name):
            if use.use == "import":
                items = [one for one in world.index(place).outline.imports if (one.name, one.line) == (name, use.line)]
                verdicts = [judge.imported(place, one) for one in items]
            elif use.use in ("definition", "parameter", "keyword"):
                continue
            else:
                verdicts = [judge.at(place, use.scope, use.receiver, name, use.line)]
            for verdict in verdicts:
                assert verdict.reason
                found.setdefault((place, use.line), []).append(verdict.resolution.value)
    return found


def marked(texts):
    """{(path, line): resolution} of the lines marked ``# yes``, ``# maybe`` or ``# no``."""
    return {
        (path, number): WORDS[match[1]]
        for path, text in texts.items()
        for number, line in enumerate(text.split("\n"), 1)
        if (match := MARK.search(line))
    }


def check(texts, path, scope, name):
    """Every marked line is found to be what its mark says."""
    found, wanted = said(texts, path, scope, name), marked(texts)
    assert wanted
    assert {place: set(found.get(place, ())) for place in wanted} == {place: {word} for place, word in wanted.items()}
