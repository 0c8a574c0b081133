"""What a written value is and what a reader takes it for, told by their texts: text, number, list, object, flag."""

from __future__ import annotations

import re

from review_agent.syntax.words import whole_name

__all__ = ["SAID", "declared", "kind_of", "need_of", "of_type", "takes"]

SAID = {"text": "a text", "number": "a number", "list": "a list", "object": "an object", "flag": "true or false"}

# What a value is, by the last thing that is done to make it. The first that fits counts.
_MADE = {
    "text": (
        r"^(?:str|String|repr|json\.dumps|JSON\.stringify|fmt\.Sprint\w*|strconv\.\w+|String\.valueOf)\(",
        r"^[fr]?[\"'`]",
        r"\.(?:isoformat|strftime|toISOString|toString|toFixed|hex|name|format|join|String|Format)\([^()]*\)$",
        r"\.(?:lower|upper|strip|toLowerCase|toUpperCase|decode)\([^()]*\)$",
        r"\.(?:isoformat|toISOString)\(",
    ),
    "number": (
        r"^(?:int|float|round|len|sum|Number|parseInt|parseFloat|Math\.\w+|int64|float64|Decimal)\(",
        r"^-?\d[\d_.]*$",
        r"\.(?:timestamp|getTime|valueOf|Unix|UnixMilli|toEpochMilli|getEpochSecond|intValue|longValue)\(\)$",
        r"[-*/]\s*\d+(?:\.\d+)?$",
        r"(?:Date\.now|time\.time)\(\)$",
    ),
    "list": (
        r"^\[",
        r"^(?:list|sorted|tuple|Array\.from|List\.of|Arrays\.asList)\(",
        r"\.(?:split|toArray|map|filter|toList)\([^()]*\)$",
    ),
    "object": (r"^\{", r"^(?:dict|asdict|vars)\(", r"\.(?:to_dict|toJSON|dict|model_dump|as_dict)\(\)$"),
    "flag": (r"^(?:True|False|true|false)$", r"^bool\(", r"^not\s|^!", r"\s(?:is|in|==|!=|>|<|>=|<=)\s"),
}
_TYPES = {
    "text": "string String str",
    "number": "int int8 int16 int32 int64 uint uint32 uint64 float32 float64 long Long Integer double Double number "
    "BigDecimal float",
    "flag": "bool boolean Boolean",
}
# What a reader does that fits one kind of value only, by the text around ``@``, which stands for the value.
_NEEDS = {
    "number": (
        r"@\s*[-*/%]\s*[\w(]",
        r"[\w)]\s*[-*/%]\s*@",
        r"@\s*(?:<|>|<=|>=)\s*[\d\w]",
        r"(?:fromtimestamp|round|sum|abs|Math\.\w+|utcfromtimestamp|ofEpochMilli|ofEpochSecond)\(\s*@",
        r"@\.(?:toFixed|intValue|longValue|doubleValue|asInt|asLong|asDouble)\b",
    ),
    "text": (
        r"@\.(?:split|strip|lower|upper|startswith|startsWith|replace|encode|trim|toLowerCase|toUpperCase)\b",
        r"@\.(?:substring|match|padStart|localeCompare|rsplit|partition)\b",
        r"(?:fromisoformat|strptime|parse_date|Date\.parse|time\.Parse|unquote|b64decode|parseISO|isoparse)\([^@]*@",
        r"(?:LocalDate|LocalDateTime|Instant|OffsetDateTime|UUID)\.(?:parse|fromString)\(\s*@",
    ),
    "list": (
        r"\bfor\s+[^@]*\b(?:in|of)\s+@",
        r"@\.(?:append|push|map|forEach|filter|extend|reduce)\b",
        r"\.join\(\s*@",
        r"@\[-?\d\]",
    ),
    "object": (r"@\[[\"']", r"@\.(?:get|items|keys|entrySet)\(", r"Object\.\w+\(\s*@"),
}
# A need of the second that a value of the first meets without harm.
_MEETS = frozenset({("text", "list"), ("object", "list")})


def kind_of(value: str) -> str:
    """What a value is by its text; "" where the text does not say."""
    text = value.strip()
    return next((name for name, shapes in _MADE.items() if any(re.search(one, text) for one in shapes)), "")


def of_type(name: str) -> str:
    """What a value of a declared type is; "" for types of one's own."""
    bare = name.strip("*? ")
    return next((kind for kind, names in _TYPES.items() if bare in names.split()), "")


def declared(line: str) -> str:
    """What a tagged Go field holds, by its type."""
    named = re.match(r"\s*\w+\s+\*?([\w.\[\]]+)\s+`", line)
    return of_type(named[1]) if named else ""


def need_of(lines: list[str], key: str) -> str:
    """The kind of value that the lines from a read of a key on take for granted, "" where they take any."""
    quoted = rf"(?:[\"'`]{re.escape(key)}[\"'`])"
    read = rf"[\w.$\])]+\[\s*{quoted}\s*\]|[\w.$]+\.(?:get|pop)\(\s*{quoted}[^()]*\)|[\w$]+\.{whole_name(key)}(?!\s*\()"
    named = re.search(rf"([A-Za-z_$][\w$]*)\s*(?::=|=)\s*(?:await\s+)?(?:{read})\s*;?\s*$", lines[0]) if lines else None
    for number, line in enumerate(lines):
        marked = re.sub(read, "@", line)
        if number and named and not re.match(rf"\s*{re.escape(named[1])}\s*=", line):
            marked = re.sub(rf"(?<![\w.\"']){re.escape(named[1])}(?![\w\"'])", "@", marked)
        for name, shapes in _NEEDS.items():
            if "@" in marked and any(re.search(one, marked) for one in shapes):
                return name
    return ""


def takes(kind: str, need: str) -> bool:
    """Whether a value of a kind does for a reader that needs one of another."""
    return not need or kind == need or (kind, need) in _MEETS
