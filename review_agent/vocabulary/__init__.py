"""Every record that crosses a room's border, the outcome and contract codes, and the Engine protocol. Read this first.

Records are frozen pydantic models; on the wire they are camelCase JSON. Lines are 1-based and ranges inclusive, on the
side they name. All text in a record is masked already; hashes are of the raw bytes.

Reading order: ``codes`` (the closed word lists), ``edit_ops``, ``change``, ``question``, ``evidence``, ``outcomes``,
``proposal`` (what a model may write), ``check``, ``engine``, ``run``.
"""

from review_agent.vocabulary.base import *
from review_agent.vocabulary.change import *
from review_agent.vocabulary.check import *
from review_agent.vocabulary.codes import *
from review_agent.vocabulary.edit_facts import *
from review_agent.vocabulary.edit_ops import *
from review_agent.vocabulary.engine import *
from review_agent.vocabulary.evidence import *
from review_agent.vocabulary.outcomes import *
from review_agent.vocabulary.proposal import *
from review_agent.vocabulary.question import *
from review_agent.vocabulary.run import *
