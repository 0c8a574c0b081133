"""Values from outside, told by where they are taken from, and the places where an unchecked one hurts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from review_agent.kinds.entrances import is_route, serves
from review_agent.syntax.roles import words_of
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import CallFact, DefinitionFact

__all__ = [
    "KEEPS_PARENTS",
    "Covers",
    "Hurt",
    "bounded",
    "comes_in",
    "given_from",
    "hurts",
    "is_constant",
    "is_number",
    "mentions",
    "source_of",
    "validates",
]

_OUTSIDE = re.compile(
    r"\b(?:request|req|ctx\.request|ctx|c|r|event|httpRequest)\.(?:args|json|form|values|files|headers?|cookies|data|GET|"
    r"POST|query\w*|params?|path_params|match_info|get_json|body|URL|FormValue|PostFormValue|PathValue|Header|Form|"
    r"PostForm|Param|Query|QueryParam|FormParam|QueryInt|DefaultQuery|Body|getParameter|getHeader|getQueryString|"
    r"getPathInfo|match|rel_url|url|rawPath|queryStringParameters|pathParameters|getlist)\b"
    r"|\bsys\.argv\b|\bargv\b|\bprocess\.argv\b|\bos\.Args\b|(?<![\w.])input\(|\bsearchParams\b|\bmux\.Vars\(|"
    r"\bchi\.URLParam\(|\bjson\.loads\(|\bJSON\.parse\(|\breadline\(|\bstdin\b|\bscanner\.next|\bargs\[\d|"
    r"\b(?:row|record|fields|columns|cells?|line_item|rec)\[|\b(?:body|payload|params|form|query|cleaned_data|"
    r"validated_data|json_body|posted|raw|msg|message)(?:\[|\.get\(|\.\w+\b)|\brow\.get\(|\bargs\.\w+|\bopts\.\w+"
)
_CALLEE = re.compile(r"([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)\s*\(")
_NUMERIC = frozenset(
    """int float Number parseInt parseFloat Atoi ParseInt ParseUint ParseFloat parseLong parseDouble Decimal BigDecimal
    ParseBool intValue longValue""".split()  # noqa: SIM905  # a word list reads better than a column of strings
)
_PLAIN = _NUMERIC | frozenset(
    """str String get getlist get_json json strip trim lower upper toLowerCase valueOf Get FormValue PostFormValue
    PathValue Query Param PostForm QueryParam FormParam DefaultQuery getParameter getHeader Vars URLParam loads parse
    TrimSpace pop split Split toString of bool list dict tuple input next read text form bytes readline decode
    encode Body FormFile search nextLine nextInt first ToLower fromJson readValue""".split()  # noqa: SIM905
)
_VALIDATES = frozenset(
    """validate validated valid check checked ensure verify clean sanitize sanitise parse schema normalize normalise
    clamp safe secure assert require guard allowed whitelist""".split()  # noqa: SIM905
)
# They make a path shorter, and leave what climbs out of its folder.
KEEPS_PARENTS = frozenset({"filepath.Clean", "path.Clean", "path.normalize", "os.path.normpath"})
_BOUNDS = re.compile(
    r"\b(?:ge|gt|le|lt|min_length|max_length|pattern|regex|min|max|multiple_of|choices)\s*=|@(?:Valid|Min|Max|Positive|"
    r"PositiveOrZero|Size|Pattern|NotBlank|NotNull|NotEmpty|Range|Digits|Email|DecimalMin)\b|\bcon(?:int|str|float)\(|"
    r"\bPositiveInt\b|\bLiteral\["
)


@dataclass(frozen=True)
class Hurt:
    """How an unchecked value hurts at a place: ``kind`` for the rule, ``says`` for the sentence."""

    kind: str
    says: str


def mentions(code: str, name: str) -> bool:
    """Whether a name stands in a piece of code, not as a member of something else."""
    return re.search(rf"(?<![\w.]){whole_name(name)}", code) is not None


def is_constant(text: str) -> bool:
    """Whether an argument is a literal or a constant of the program."""
    return (
        re.fullmatch(
            r"-?\d[\d_.]*|[rbf]?\"[^\"{$]*\"|'[^']*'|[A-Z][A-Z0-9_]*(?:\.[A-Z][A-Z0-9_]*)*|true|false|True|False", text
        )
        is not None
    )


def source_of(expression: str) -> str:
    """The outside source in an expression that hands it on as it came; "" where there is none or something checks."""
    match = _OUTSIDE.search(expression)
    # A value that only chooses an entry of something known is not handed on.
    if match is None or re.search(r"[\w)\]]\[[^\]]*$|\.get\([^)]*$", expression[: match.start()]):
        return ""
    callees = [one.rpartition(".")[2] for one in _CALLEE.findall(expression)]
    return expression if all(one in _PLAIN for one in callees) else ""


def is_number(expression: str) -> bool:
    """Whether an expression makes a number of what it takes."""
    return any(one.rpartition(".")[2] in _NUMERIC for one in _CALLEE.findall(expression))


def validates(callee: str) -> bool:
    """Whether a callee's name says that it checks or repairs a value."""
    name = callee.rpartition(".")[2]
    if callee in KEEPS_PARENTS:
        return False
    return name != "require" and bool(set(words_of(name)) & _VALIDATES)


def bounded(parameter: str) -> bool:
    """Whether a parameter's declaration bounds its value."""
    return _BOUNDS.search(parameter) is not None


Covers = Callable[[str, str], bool]


def given_from(call: CallFact, text: str, origin: str, covers: Covers, member: str = "") -> tuple[str, str]:
    """(verdict, source) of one argument: outside, checked, constant or open, with the text that says so.

    ``covers``: whether a test of a name counts. ``member``: what of the argument's elements was checked.
    """
    expression = origin or text
    if is_constant(expression):
        return "constant", expression
    leaf = re.sub(r"\W.*", "", text.rpartition(".")[2]) or text
    tests = [one for one in call.preceded_by if not re.fullmatch(r"[\w.$]+", one)]
    if any(_tested(one, name) and covers(one, name) for one in tests for name in (text, leaf, member)):
        return "checked", text
    if any(re.fullmatch(r"[\w.$]+", one) and validates(one) for one in call.preceded_by):
        return "checked", text
    if any(validates(part) for one in call.within for part in re.findall(r"[\w.]+(?=\()", one.partition("(")[2])):
        return "checked", text
    source = source_of(expression)
    if source:
        return "outside", source
    root = re.match(r"[A-Za-z_$][\w$]*", text)
    parameter = next((one for one in call.parameters if root and _name_of(one) == root[0]), "") if not origin else ""
    if (
        parameter
        and (any(is_route(one) for one in call.decorators) or serves(call.parameters))
        and root
        and text == root[0]
    ):
        return ("checked", parameter) if bounded(parameter) else ("outside", parameter)
    return "open", expression


def _tested(test: str, name: str) -> bool:
    return len(name) > 1 and re.search(whole_name(name), test) is not None


def _name_of(parameter: str) -> str:
    return re.split(r"[:= ]", parameter.strip().lstrip("*"), maxsplit=1)[0]


def comes_in(fact: DefinitionFact, name: str) -> str:
    """The declaration of a parameter by which a route takes a value from outside; "" for none."""
    if not any(is_route(one) for one in fact.decorators):
        return ""
    declared = next((one for one in fact.parameters if one.name == name), None)
    if declared is None:
        return ""
    default = f" = {declared.default}" if declared.default else ""
    return " ".join([f"{declared.name}: {declared.type or ''}{default}", *(f"@{one}" for one in declared.notes)])


_PATHS = (
    r"(?<![\w])(?:open|sendFile|send_file|send_from_directory|Open|OpenFile|Create|ReadFile|WriteFile|Remove|RemoveAll|"
    r"unlink|unlinkSync|rmtree|remove|rmSync|rm|readFile|readFileSync|writeFile|writeFileSync|createReadStream|"
    r"createWriteStream|join|Join|resolve|Path|File|Paths\.get|Path\.of|FileInputStream|newInputStream|ServeFile|"
    r"download|sendfile|joinpath|readdir|readdirSync|copyfile|copyFile|delete|extract\w*)\([^;]*"
)
_RULES: tuple[tuple[str, str, str], ...] = (
    (
        "sql",
        r"(?i)(?:select|insert|update|delete|where|order by|from|limit|like)\b[^;]*(?:\{{|\$\{{|"
        r"\+\s*|%\s*\(?|[,(]\s*){n}(?!\w)|"
        r"(?:execute|query|Query\w*|Exec\w*|raw|prepareStatement|createQuery)\([^?;]*(?:\{{|"
        r"\+\s*){n}(?!\w)",
        "its text becomes part of the statement",
    ),
    (
        "process",
        r"(?:subprocess\.\w+|os\.system|popen|Popen|exec(?:Sync|File|FileSync)?|spawn(?:Sync)?|"
        r"exec\.Command\w*|ProcessBuilder|getRuntime\(\)\.exec)\([^;]*(?<![\w.]){n}(?!\w)",
        "its text becomes part of a command",
    ),
    (
        "path",
        _PATHS + r"(?<![\w.]){n}(?!\w)|"
        r"(?:dir|DIR|root|ROOT|base|BASE|folder|path|PATH)\w*\s*/\s*(?:f?\"[^\"]*\{{)?{n}(?!\w)|"
        r"\b(?:\w*path|file\w*|folder|dir\w*|target|dest\w*)\s*=\s*[\w.()]+\s*/\s*{n}(?!\w)|"
        r"/\{{{n}(?!\w)",
        "a name that climbs out of its folder reaches any file",
    ),
    (
        "division",
        r"(?<![/*'\"])(?://?|%)=?\s*\(?\s*(?:len\()?{n}(?!\w)|"
        r"\.divide\(\s*{n}(?!\w)",
        "zero ends in a division by zero",
    ),
    (
        "size",
        r"(?:range|make|alloc\w*|Array|repeat|Repeat|bytes|bytearray|zeros|ones|fill|times|"
        r"Make\w*)\([^;]*(?<![\w.]){n}(?!\w)|"
        r"new \w+\[\s*{n}\s*\]|"
        r"\[\s*None\s*\]\s*\*\s*{n}",
        "a huge number takes all memory and a negative one fails",
    ),
    (
        "index",
        r"\w[\])]?\[\s*{n}\s*(?:[-+]\s*\d+\s*)?(?::[^\]]*)?\]|"
        r"\w\[[^\]]*:\s*{n}\s*\]|"
        r"\.(?:charAt|elementAt|subList|slice|substring)\([^)]*(?<![\w.]){n}(?!\w)|"
        r"{n}\[(?:0|-1|i)\]",
        "a place outside the range is read",
    ),
    (
        "sum",
        r"(?:[-+*]=|[\w)\]]\s*[-*])\s*\(?{n}(?!\w)|"
        r"(?<![\w.]){n}\s*[-*]\s*\w|"
        r"\.(?:add|subtract|multiply|plus|minus|times|mul|sub)\(\s*{n}(?!\w)",
        "a negative number turns the sum around",
    ),
    (
        "output",
        r"(?:redirect|sendRedirect|Redirect|innerHTML|Markup|mark_safe|render_template_string|"
        r"eval|getattr|setattr|HTML|dangerouslySetInnerHTML|Function|import_module|"
        r"location)\s*[(=][^;]*(?<![\w.]){n}(?!\w)",
        "its text is taken as code, markup or an address",
    ),
    (
        "wait",
        r"(?:sleep|Sleep|setTimeout|timeout)\([^;]*(?<![\w.]){n}(?!\w)|"
        r"\b(?:limit|LIMIT|per_page|page_size|pageSize)\b\W+[^;]*(?<![\w.]){n}(?!\w)|"
        r"\.(?:limit|Limit|offset|Offset|setMaxResults|take|skip)\(\s*{n}(?!\w)",
        "its size is what the sender chooses",
    ),
    (
        "act",
        r"\b\w*(?:transfer|charge|withdraw|refund|reserve|debit|credit|pay|deposit|adjust|debit|"
        r"book|order|set_quantity|decrement|increment|issue|move|ship|"
        r"discount)\w*\([^;]*(?<![\w.]){n}(?!\w)",
        "the act is carried out with whatever came in",
    ),
)


def hurts(line: str, name: str, number: bool = False) -> Hurt | None:
    """How a line hurts with an unchecked value of that name; of a number no text can come."""
    bare = re.sub(r"//.*$|\s#.*$", "", line) if '"' not in line and "'" not in line else line
    for kind, pattern, says in _RULES:
        if number and kind in ("sql", "process", "path", "output"):
            continue
        if re.search(pattern.replace("{n}", re.escape(name)).replace("{{", "{").replace("}}", "}"), bare):
            return Hurt(kind, says)
    return None
