"""The line that says how far a replay or a calibration is."""

from review_agent.commands import _replays
from review_agent.commands._replays import Watch


def _lines(monkeypatch, capsys, times, *told):
    clock = iter(times)
    monkeypatch.setattr(_replays.sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(_replays, "monotonic", lambda: next(clock))
    watch = Watch()
    for one in told:
        watch.at(*one)
    return [line for line in capsys.readouterr().err.split("\r\x1b[2K") if line]


def test_the_rest_is_told_at_the_pace_so_far_once_there_is_one(monkeypatch, capsys):
    told = ((0, 100, "history a"), (1, 100, "history b"), (10, 100, "history c"), (50, 100, "history d"))
    lines = _lines(monkeypatch, capsys, [0, 0, 0, 1, 30, 30.0], *told)
    assert lines == [
        "0/100 history a …",
        "1/100 history b …",
        "10/100 history c … about 4 min left",
        "50/100 history d … about 30 s left",
    ]


def test_another_part_of_the_work_begins_anew(monkeypatch, capsys):
    lines = _lines(monkeypatch, capsys, [0, 0, 40, 50, 50, 50, 60], (0, 9, "a"), (8, 9, "b"), (1, 4, "c"), (2, 4, "d"))
    assert lines[1].endswith("about 6 s left")
    assert lines[2] == "1/4 c …"
    assert lines[3].endswith("about 20 s left")


def test_a_commit_is_told_by_its_first_twelve_characters_as_elsewhere(monkeypatch, capsys):
    whole = "0123456789abcdef" * 4
    lines = _lines(monkeypatch, capsys, [0] * 9, (0, 9, f"review {whole[:40]}^..{whole}"), (0, 9, "case-" + "a" * 41))
    assert lines == ["0/9 review 0123456789ab^..0123456789ab …", f"0/9 case-{'a' * 41} …"]
