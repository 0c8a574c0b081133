"""Outlines of small source texts, and the fields of their records that a test looks at."""

from operator import attrgetter
from textwrap import dedent

from review_agent.syntax.outline import outline


def python(text):
    return outline(dedent(text).lstrip("\n"), "python")


def go(text):
    return outline("package p\n" + dedent(text).lstrip("\n"), "go")


def java(text):
    return outline("package p;\n" + dedent(text).lstrip("\n"), "java")


def javascript(text):
    return outline(dedent(text).lstrip("\n"), "javascript")


def typescript(text):
    return outline(dedent(text).lstrip("\n"), "typescript")


def pick(records, *fields):
    """One value, or one tuple of values, a record."""
    return [attrgetter(*fields)(record) for record in records]
