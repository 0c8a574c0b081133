from dashboard.context import Panel
from dashboard.frame import Page
from dashboard.shell import nothing, show


def render(panel: Panel) -> None:
    show(panel, Page("metrics", {"body": nothing("soon")}), lambda event: None)
