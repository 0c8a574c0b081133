"""The panel: what the ledger holds, shown to a reviewer, and the reviewer's decisions, taken through ``adjudication``.

Reading order: ``context`` (what the command hands over), ``tree`` (what a page is made of), ``frame`` (how it reaches
the browser and how an act comes back), ``app`` (the entry), then one file a page. ``exhibits`` and ``card`` draw
evidence; ``offers`` says what a card allows, ``deciding`` does it.
There is no SQL here, and no stage of a review.
"""
