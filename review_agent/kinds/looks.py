"""Whether an edit of a line only changes how something looks: its class, style, colour, spacing, size or icon."""

from __future__ import annotations

import re

__all__ = ["only_looks"]

_SHEET = re.compile(r"(?i)\.(?:css|scss|sass|less|styl|pcss|qss|svg)$")
_MARKUP = re.compile(
    r"(?i)\.(?:[jt]sx|x?html?|xml|fxml|xaml|vue|svelte|astro|erb|ejs|hbs|twig|j2|jinja2?|jsp|ftl|templ|gohtml|tmpl|php|cshtml"
    r"|mdx)$"
)
_TAG = re.compile(r"<[A-Za-z][\w.:-]*(?=[\s/>]|$)")
_TEXT = r"(?:\"[^\"]*\"|'[^']*'|`[^`]*`)"
_BRACED = r"\{(?:[^{}]++|\{(?:[^{}]++|\{[^{}]*+\})*+\})*+\}"
_CALL = r"\((?:[^()]++|\((?:[^()]++|\([^()]*+\))*+\))*+\)"
# What is about looks wherever it is given a text or an expression in braces.
_ALWAYS = (
    r"class|className|class_name|class_|css_class\w*|cssClass\w*|styleClass|style|styles|sx|css|tw|ngClass|ngStyle"
)
# What is about looks where it is an attribute of a tag: elsewhere these are words for anything.
_OF_A_TAG = (
    r"variant|size|colou?r|tint|icon\w*|\w+Icon|align\w*|justify\w*|gap|spacing|space|width|height|rounded|radius|shadow"
    r"|elevation|fill|stroke\w*|weight|appearance|intent|severity|bordered|outlined|dense|compact|flat|fullWidth|block"
    r"|underline|bg\w*|background\w*|border\w*|padding\w*|margin\w*|[mp][trblxy]?|font\w*|textAlign|textColor|lineHeight"
    r"|(?:android|app|tools):(?:text(?:Color|Size|Style|Appearance)|background\w*|padding\w*|layout_\w+|tint|elevation)"
)
_SIDES = r"(?:Top|Right|Bottom|Left|X|Y|Horizontal|Vertical|Inline|Block)"
# Keys of records of styles: such as mean nothing else.
_KEYS = (
    rf"className|class_name|cssClass|styleClass|font(?:Size|Weight|Family|Style)|font_(?:size|weight|family|style)"
    rf"|text(?:Align|Color)|text_(?:align|color)|lineHeight|letterSpacing|(?:background|border|foreground)Color|(?:bg|fg)"
    rf"|background_color|border(?:Radius|Width|Style)|boxShadow|(?:padding|margin){_SIDES}|colou?r|icon"
)
_CALLED = (
    rf"\.(?:set)?(?:Foreground|Background|Border(?:Color|Style)?|(?:Padding|Margin){_SIDES}?|Bold|Italic|Underline|Font"
    r"|FontSize|TextColor|StyleClass|Style|Icon|Insets)(?=\()"
    r"|\.classList\.(?:add|remove|toggle|replace)(?=\()|\.getStyleClass\(\)\.\w+(?=\()"
)
_GIVEN = re.compile(
    rf"(?<![\w.$-])(?::|v-bind:)?\[?(?:{_ALWAYS})\]?\s*=\s*(?:[a-z]{{0,2}}{_TEXT}|{_BRACED})"
    rf"|(?<![\w.$-])[\"']?(?:{_KEYS})[\"']?\s*[:=]\s*(?:[a-z]{{0,2}}{_TEXT}|-?\d[\w.%]*)\s*[,;]?"
    rf"|(?:{_CALLED}){_CALL}|\.style\.\w+\s*=(?!=)\s*[^;]+"
)
_ATTRIBUTE = re.compile(rf"(?<=[\s\"'}}])(?::|v-bind:)?(?:{_OF_A_TAG})(?:=(?:{_TEXT}|{_BRACED}|[\w.-]+))?(?=[\s/>]|$)")
_ALONE = re.compile(rf"(?:(?::|v-bind:)?(?:{_OF_A_TAG})=(?:{_TEXT}|{_BRACED})\s*)+/?>?")
_ICON = re.compile(r"<(/?)\w*Icon\b")
_JOINS = re.compile(rf"\b(?:cn|cx|clsx|cva|tv|twMerge|twJoin|class[nN]ames|tw)(?:{_CALL}|`[^`]*`)")
_STRING = re.compile(_TEXT)
_UTILITY = re.compile(
    r"(?:[\w\[\]()&>*=.@/-]+:)*!?-?(?:bg|text|border|rounded|shadow|[mp][xytrbles]?|gap|space|flex|grid|items|justify|self"
    r"|place|[wh]|size|min|max|font|leading|tracking|opacity|z|inset|top|bottom|left|right|overflow|ring|outline|fill|stroke"
    r"|col|row|order|divide|from|to|via|basis|grow|shrink|translate|rotate|scale|object|line)-[\w./\[\]%#()-]+!?"
    r"|flex|grid|block|inline|inline-flex|hidden|relative|absolute|fixed|sticky|truncate|underline|italic|uppercase"
)
_FEW = 2


def only_looks(path: str, before: str, after: str) -> bool:
    """Whether all that is different between two lines is how something looks; all of a style sheet is."""
    if _SHEET.search(path):
        return True
    return before != after and _plain(path, before) == _plain(path, after)


def _plain(path: str, line: str) -> str:
    """A line without what is about looks."""
    said = _GIVEN.sub(" ", _JOINS.sub("''", line))
    if _TAG.search(line):
        said = _ATTRIBUTE.sub(" ", _ICON.sub(r"<\1Icon", said))
    elif _MARKUP.search(path) and _ALONE.fullmatch(line.strip()):
        said = ""
    said = _STRING.sub(_without_utilities, said)
    return re.sub(r"\s*([^\w\s\"'`])\s*", r"\1", " ".join(said.split()))


def _without_utilities(found: re.Match[str]) -> str:
    """A text of several words that are classes of a style sheet is about looks; a single one may be a name."""
    words = found.group()[1:-1].split()
    return "''" if len(words) >= _FEW and all(_UTILITY.fullmatch(word) for word in words) else found.group()
