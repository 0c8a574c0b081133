"""The panel's entry, run by Streamlit for every rendering: which page, and what to show where a page cannot be."""

from __future__ import annotations

import logging
from collections.abc import Callable

import streamlit as st

from dashboard import decisions_page, metrics_page, policy_page, queue_page, replay_page, runs_page
from dashboard.context import Panel, given
from dashboard.frame import Page
from dashboard.shell import PAGES, error_pane, nothing, show
from review_agent.errors import ReviewAgentError

_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#2f5fd0"/>'
    '<path d="M9 16.5l4.5 4.5L23 11" fill="none" stroke="#fff" stroke-width="3.4" stroke-linecap="round" '
    'stroke-linejoin="round"/></svg>'
)
_CHROME = """<style>
header[data-testid="stHeader"], [data-testid="stToolbar"], [data-testid="stDecoration"], [data-testid="stStatusWidget"],
[data-testid="stSidebar"], [data-testid="stMainMenu"], [data-testid="stAppDeployButton"], #MainMenu, footer {
  display: none !important; }
.block-container, [data-testid="stMainBlockContainer"] { padding: 0 !important; max-width: none !important; }
[data-testid="stVerticalBlock"] { gap: 0 !important; }
[data-testid="stMain"] { overflow: hidden !important; }
[data-stale="true"], .stale-element { opacity: 1 !important; }
</style>"""

_RENDER: dict[str, Callable[[Panel], None]] = {
    "queue": queue_page.render,
    "runs": runs_page.render,
    "decisions": decisions_page.render,
    "policy": policy_page.render,
    "replay": replay_page.render,
    "metrics": metrics_page.render,
}


def main() -> None:
    st.set_page_config(page_title="review-agent", page_icon=_ICON, layout="wide", initial_sidebar_state="collapsed")
    st.html(_CHROME)
    pages = {
        name: st.Page(
            _page(name),
            title=f"{title} · review-agent",
            url_path="" if name == "queue" else name,
            default=name == "queue",
        )
        for name, (title, _) in PAGES.items()
    }
    current = st.navigation(list(pages.values()), position="hidden")
    wanted = st.session_state.pop("go", None)
    if wanted is not None:
        st.switch_page(pages[wanted])
    current.run()


def _page(name: str) -> Callable[[], None]:
    def run() -> None:
        panel = given()
        try:
            _RENDER[name](panel)
        except ReviewAgentError as error:
            show(panel, Page(name, {"body": error_pane(error)}), lambda event: None)
        except Exception as error:
            # Streamlit's own exceptions for control flow are no Exception.
            logging.getLogger("review_agent").exception("the page %s failed", name)
            said = f"A bug in review-agent: {type(error).__name__}"
            body = nothing(
                said,
                str(error),
                next_="The records are intact. Press `r` to try again; report it with the traceback of the terminal.",
                kind="error",
            )
            show(panel, Page(name, {"body": body}), lambda event: None)

    run.__name__ = name
    return run


main()
