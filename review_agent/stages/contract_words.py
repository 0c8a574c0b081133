"""Words that the contract knows: what a language gives by itself, file endings, product names, and empty words."""

from __future__ import annotations

from review_agent.syntax.python_names import BUILTINS, KEYWORDS

__all__ = ["EXTENSIONS", "LANGUAGE_WORDS", "PLAIN", "STOP"]

_GO = """
any append bool break byte cap case chan clear close cmp comparable complex complex64 complex128 const continue copy
default defer delete else error fallthrough false float32 float64 for func go goto if imag import int int8 int16 int32
int64 interface iota len make map max min new nil package panic print println range real recover return rune select
string struct switch true type uint uint8 uint16 uint32 uint64 uintptr var
"""
_SCRIPT = """
AggregateError Array ArrayBuffer BigInt Boolean Buffer Date Error EvalError Function Infinity JSON Map Math NaN Number
Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String Symbol SyntaxError TypeError URIError
Uint8Array WeakMap WeakSet abstract any as async await bigint boolean break case catch class console const constructor
continue debugger declare default delete do else enum export extends finally for from function get globalThis if
implements import in instanceof interface is keyof let module namespace never new null number object of private
process protected public readonly require return satisfies set static string super switch symbol this throw true try
type typeof undefined unknown using var void while with yield
"""
_JAVA = """
abstract assert boolean break byte case catch char class const continue default do double else enum extends final
finally float for goto if implements import instanceof int interface long native new null package permits private
protected public record return sealed short static strictfp super switch synchronized this throw throws transient true
try var void volatile while yield ArithmeticException ArrayIndexOutOfBoundsException Boolean Byte Character
ClassCastException Double Float IllegalArgumentException IllegalStateException IndexOutOfBoundsException Integer
InterruptedException Long NullPointerException NumberFormatException Optional Override RuntimeException Runnable Short
String StringBuilder Thread Throwable UnsupportedOperationException
"""
_EXTENSIONS = """
bash c cc cfg conf cpp cs css csv cts env ex exs fish go gradle graphql h hpp htm html ini ipynb java js json json5
jsx kt less lock lua md mdx mjs mk mod mts php pl properties proto ps1 py pyi pyx rb rs rst sass scala scm scss sh sql
sum svelte swift tf tmpl toml ts tsx txt vue xml yaml yml zig
"""
_PLAIN = """
e.g i.e a.k.a a.m p.m github gitlab bitbucket javascript typescript coffeescript postgresql mysql sqlite mariadb
mongodb duckdb dynamodb graphql grpc oauth oauth2 openid openapi openai fastapi websocket websockets macos ios ipad
iphone ipv4 ipv6 pypi devops nosql youtube linkedin paypal powershell rabbitmq webassembly node.js next.js vue.js
asp.net json.org jetbrains pycharm xpath xquery latex
"""
_STOP = """
a an and any are as at be been being but by can did do does for from had has have how if in into is it its no not of
on or so such than that the their them then there these they this those to too until up was were what when where which
while who whose will with without would
"""

# What a language gives by itself can be named without standing in the repository.
LANGUAGE_WORDS = frozenset([*BUILTINS, "NoneType", *KEYWORDS, *_GO.split(), *_SCRIPT.split(), *_JAVA.split()])
EXTENSIONS = tuple(_EXTENSIONS.split())
# English abbreviations and the names of products: they look like code and are none.
PLAIN = frozenset(_PLAIN.split())
# Words without a meaning of their own, left out when two texts are compared.
STOP = frozenset(_STOP.split())
