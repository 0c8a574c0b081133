"""error_handling end to end on real Go commits."""

import pytest
from settling import commit_both, settled

from review_agent.syntax.parser import Parser
from review_agent.vocabulary import NoFindingCode

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def parser():
    with Parser() as one:
        yield one


@pytest.fixture
def review(repo, parser):
    """Commits two states of some files and gives, for each rule that asked, its card or its no-finding."""

    def outcomes(before, after):
        commit_both(repo, before, after)
        return dict(settled(repo.root, parser))

    return outcomes


JOURNAL = """package journal

import "errors"

// ErrClosed is returned while no file is open.
var ErrClosed = errors.New("closed")

// Append writes an entry.
func Append(entry string) error {
	if entry == "" {
		return ErrClosed
	}
	return nil
}
"""
HANDLER = """package api

import "example.com/shop/journal"

// Accept takes an order.
func Accept(body string) int {
	if err := journal.Append(body); err != nil {
		return 503
	}
	return 202
}
"""
GO = {"go.mod": "module example.com/shop\n\ngo 1.22\n", "journal/journal.go": JOURNAL, "api/handler.go": HANDLER}
CHECK = "\tif err := journal.Append(body); err != nil {\n\t\treturn 503\n\t}\n"


def test_an_error_that_is_no_longer_looked_at(review):
    card = review(GO, {"api/handler.go": HANDLER.replace(CHECK, "\tjournal.Append(body)\n")})["error_dropped"]
    assert "`journal/journal.go` line 11 returns `ErrClosed`" in card.claim


def test_an_error_that_the_callee_hands_on(review):
    handing = JOURNAL.replace('\tif entry == "" {\n\t\treturn ErrClosed\n\t}\n\treturn nil\n', "\treturn flush()\n")
    handing = handing.replace("return flush()", "if err := flush(); err != nil {\n\t\treturn err\n\t}\n\treturn nil")
    handing += "\nfunc flush() error { return ErrClosed }\n"
    before = {**GO, "journal/journal.go": handing}
    card = review(before, {"api/handler.go": HANDLER.replace(CHECK, "\tjournal.Append(body)\n")})["error_dropped"]
    assert "`journal/journal.go` line 11 returns `err`" in card.claim


def test_a_callee_that_always_returns_nil(review):
    quiet = JOURNAL.replace("return ErrClosed", "return nil")
    found = review(
        {**GO, "journal/journal.go": quiet}, {"api/handler.go": HANDLER.replace(CHECK, "\tjournal.Append(body)\n")}
    )
    assert found["error_dropped"].code is NoFindingCode.REFUTED


SENTINEL = """package api

import (
	"errors"

	"example.com/shop/journal"
)

// Accept takes an order.
func Accept(body string) int {
	err := journal.Append(body)
	if errors.Is(err, journal.ErrClosed) {
		return 503
	}
	return 202
}
"""


def test_a_sentinel_that_a_caller_tests_for(review):
    empty = '// ErrEmpty is returned for nothing.\nvar ErrEmpty = errors.New("empty")\n\n'
    more = JOURNAL.replace("// Append writes", f"{empty}// Append writes")
    before = {**GO, "journal/journal.go": more, "api/handler.go": SENTINEL}
    found = review(before, {"journal/journal.go": more.replace("return ErrClosed", "return ErrEmpty")})
    card = found["raise_type_changed_uncaught"]
    assert "the test for `journal.ErrClosed` in `api/handler.go` line 12 fail" in card.claim


LOAD = """package api

import (
	"log"

	"example.com/shop/journal"
)

// Load keeps an order and gives its size.
func Load(body string) (int, error) {
	if err := journal.Append(body); err != nil {
		return 0, err
	}
	return len(body), nil
}

// Size says how long an order is.
func Size(body string) int {
	size, err := Load(body)
	if err != nil {
		return -1
	}
	return size
}
"""


def test_a_function_that_has_no_error_left_for_its_caller(review):
    after = LOAD.replace("\t\treturn 0, err\n", "\t\tlog.Print(err)\n")
    card = review({**GO, "api/load.go": LOAD}, {"api/load.go": after})["handler_swallows"]
    assert "`ErrClosed` of `journal/journal.go` line 11 ends there" in card.claim
    assert "`api/load.go` line 19 looks at `err` in vain" in card.claim


TABLE = """package routes

// Route is one path.
type Route struct {
	Quota *Quota
}

// Quota is a limit.
type Quota struct {
	Limit int
}

// Describe shows it.
func Describe(route *Route) int {
	if route.Quota == nil {
		return 0
	}
	return route.Quota.Limit
}
"""
ALLOW = """package routes

// Allow says whether it may be used.
func Allow(route *Route, used int) bool {
	if route.Quota == nil {
		return true
	}
	return used < route.Quota.Limit
}
"""


def test_a_field_whose_test_went_here_and_stands_elsewhere(review):
    after = ALLOW.replace("\tif route.Quota == nil {\n\t\treturn true\n\t}\n", "")
    found = review({**GO, "routes/table.go": TABLE, "routes/allow.go": ALLOW}, {"routes/allow.go": after})
    assert "`routes/table.go` line 18 in `Describe`" in found["guard_removed_dereferenced"].claim


FILL = """package s3

// Fill takes what the listing tells.
func (o *Object) Fill(info *Info) {
	o.storageClass = info.StorageClass
}
"""
TYPES = """package s3

// Info is a row.
type Info struct {
	StorageClass *string
}

// Object is a file.
type Object struct {
	storageClass *string
}

// Tier names it.
func (o *Object) Tier() string {
	if o.storageClass == nil {
		return ""
	}
	return *o.storageClass
}
"""


def test_a_pointer_that_is_tested_where_it_is_kept(review):
    kept = "\tstorageClass := *info.StorageClass\n\to.storageClass = &storageClass\n"
    after = FILL.replace("\to.storageClass = info.StorageClass\n", kept)
    card = review({**GO, "s3/fill.go": FILL, "s3/types.go": TYPES}, {"s3/fill.go": after})["missing_value_dereferenced"]
    assert "`s3/types.go` line 15 still tests what it is kept as, `storageClass`" in card.claim


LOOKUP = """package rates

import "errors"

// ErrUnknown is returned for what is not listed.
var ErrUnknown = errors.New("unknown")

// Rate is a price.
type Rate struct {
	PerEuro float64
}

// Lookup finds a rate.
func Lookup(currency string) (*Rate, error) {
	if currency == "" {
		return nil, ErrUnknown
	}
	return &Rate{PerEuro: 1}, nil
}
"""
CONVERT = """package api

import "example.com/shop/rates"

// Convert gives an amount in another currency.
func Convert(cents float64, currency string) (float64, error) {
	rate, err := rates.Lookup(currency)
	if err != nil {
		return 0, err
	}
	return cents * rate.PerEuro, nil
}
"""


def test_a_result_that_is_nil_without_an_error(review):
    before = {**GO, "rates/rates.go": LOOKUP, "api/convert.go": CONVERT}
    card = review(before, {"rates/rates.go": LOOKUP.replace("nil, ErrUnknown", "nil, nil")})
    assert "`api/convert.go` line 11" in card["missing_value_dereferenced"].claim


def test_a_result_that_the_caller_tests(review):
    tested = CONVERT.replace("err != nil {", "err != nil || rate == nil {")
    before = {**GO, "rates/rates.go": LOOKUP, "api/convert.go": tested}
    found = review(before, {"rates/rates.go": LOOKUP.replace("nil, ErrUnknown", "nil, nil")})
    assert found["missing_value_dereferenced"].code is NoFindingCode.INSUFFICIENT_EVIDENCE
