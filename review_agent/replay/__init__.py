"""Replay: cases with a known answer reviewed by the ordinary pipeline, every miss and false alarm explained.

Reading order: ``records`` (what goes in and what comes out), ``casefile`` and ``cases`` (folders of cases),
``repositories`` (a half becomes a repository), ``half`` (one review), ``judging`` and ``layers`` (what it found, and
which layer missed), ``pool`` and ``log`` (processes, resuming), ``run`` (a whole replay), ``tally`` and the reports.
"""
