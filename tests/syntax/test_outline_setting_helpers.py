"""Settings that a file reads through functions of its own, in every language."""

import pytest
from outlined import go, java, javascript, pick, python

KNOWN = ("key", "carrier", "fallback", "start")


@pytest.mark.parametrize(
    ("read", "text", "line"),
    [
        (python, "import os\ndef on(n, d):\n    return os.environ.get(n, d)\nSEND = on(\"SEND\", \"no\")\n", 4),
        (go, 'func on(n string, d string) string {\n\tif v := os.Getenv(n); v != "" { return v }\n'
             '\treturn d\n}\nvar Send = on("SEND", "no")\n', 6),
        (java, 'class C {\n  static String on(String n, String d) {\n    String v = System.getenv(n);\n'
               '    return v == null ? d : v;\n  }\n  String send = on("SEND", "no");\n}\n', 7),
        (javascript, 'function on(n, d) { return process.env[n] ?? d; }\n'
                     'export const c = {\n  send: on("SEND", "no"),\n};\n', 3),
    ],
)  # fmt: skip
def test_a_call_of_a_helper_reads_the_setting_that_it_names(read, text, line):
    found = read(text).settings
    assert ("SEND", "environment", '"no"', line) in pick(found, *KNOWN)


@pytest.mark.parametrize(
    "text",
    [
        'function on(n, d) { return process.env[d]; }\non("SEND", "no");',
        'function on(n, d) { return process.env[n] ?? d; }\non(name, "no");',
        'function on(n, d) { return process.env[n] ?? d; }\nother.on("SEND", "no");',
        'function on(n, d) { return process.env[n] ?? d; }\non(...["SEND"]);',
        'function on(n, d) { return table[n] ?? d; }\non("SEND", "no");',
    ],
)
def test_other_calls_read_none(text):
    assert javascript(text).settings == ()
