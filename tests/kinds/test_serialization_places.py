"""serialization where parts are told apart by their place alone, or by the thing that they are read from."""

import pytest
from reviewing import cards, codes, review
from settling import source

pytestmark = pytest.mark.slow

GO = source("""
    package probe

    import "encoding/binary"

    type Sample struct {
        Node  uint32
        Heat  uint16
        Light uint16
    }

    func (s Sample) Encode() []byte {
        out := make([]byte, 8)
        binary.LittleEndian.PutUint32(out[0:4], s.Node)
        binary.LittleEndian.PutUint16(out[4:6], s.Heat)
        binary.LittleEndian.PutUint16(out[6:8], s.Light)
        return out
    }

    func (s Sample) Warm() bool {
        return s.Heat > 30
    }

    func DecodeSample(in []byte) Sample {
        return Sample{
            Light: binary.LittleEndian.Uint16(in[6:8]),
            Node:  binary.LittleEndian.Uint32(in[0:4]),
            Heat:  binary.LittleEndian.Uint16(in[4:6]),
        }
    }
""")
APPENDED = (
    GO.replace("make([]byte, 8)", "make([]byte, 0, 8)")
    .replace("    binary.LittleEndian.PutUint", "    out = binary.LittleEndian.AppendUint")
    .replace("out[0:4]", "out")
    .replace("out[4:6]", "out")
    .replace("out[6:8]", "out")
)
LINES = ["(out, s.Heat)", "(out, s.Light)"]


def test_numbers_appended_in_another_order_than_they_are_read(repo):
    after = APPENDED.replace(LINES[0], "(out, ?)").replace(LINES[1], LINES[0]).replace("(out, ?)", LINES[1])
    ended = review(repo, {"probe/sample.go": GO}, {"probe/sample.go": after}, kind="serialization")
    (card,) = cards(ended, "written_order_changed")
    assert "`s.Light`" in card.claim
    assert "reads `Heat`" in card.claim
    assert "`DecodeSample`" in card.claim


def test_numbers_appended_in_the_order_of_their_old_places(repo):
    ended = review(repo, {"probe/sample.go": GO}, {"probe/sample.go": APPENDED}, kind="serialization")
    assert codes(ended, "written_order_changed") == ["refuted"]
    assert codes(ended, "codec_changed") == []


JAVA = source("""
    package depot;

    final class Rows {

        private static final String SEP = "|";

        static String encode(Crate crate) {
            return String.join(SEP,
                    crate.code(),
                    Integer.toString(crate.weight()),
                    crate.shelf());
        }

        static boolean isRow(String line) {
            return !line.isBlank();
        }

        private static int number(String text) {
            return Integer.parseInt(text);
        }

        static Crate decode(String line) {
            String[] cells = line.split(SEP);
            if (cells.length < 3) {
                throw new IllegalArgumentException(line);
            }
            return new Crate(cells[0], number(cells[1]), cells[2]);
        }
    }
""")
SHELF = "                crate.shelf());"


def test_a_column_in_front_of_one_that_is_taken_by_its_number(repo):
    after = JAVA.replace(SHELF, f"                crate.colour(),\n{SHELF}")
    ended = review(repo, {"depot/Rows.java": JAVA}, {"depot/Rows.java": after}, kind="serialization")
    (card,) = cards(ended, "positions_changed")
    assert "it still takes `cells[2]`, where `crate.colour()` is now" in card.claim


def test_a_column_behind_all_that_are_taken(repo):
    after = JAVA.replace(SHELF, f"{SHELF[:-2]},\n                crate.colour());")
    ended = review(repo, {"depot/Rows.java": JAVA}, {"depot/Rows.java": after}, kind="serialization")
    assert codes(ended, "positions_changed") == ["refuted"]


WRITER = source("""
    import json


    def visit_line(visit):
        return json.dumps({"guest": visit.guest, "arrived_on": visit.day, "nights": visit.nights})
""")
BOOKING = source("""
    def take(request):
        body = request.get_json()
        stays = [int(item["nights"]) for item in body["rooms"]]
        return body["arrived_on"], stays
""")
READER = source("""
    import json


    def restore(line):
        row = json.loads(line)
        return row["guest"], row["arrived_on"], %s
""")


@pytest.mark.parametrize(
    ("reader", "found"),
    [('row["nights"]', 1), ('row["nights"] if "nights" in row else len(row["stay"])', 0)],
    ids=["the record of this writer", "either form"],
)
def test_a_key_of_another_record_that_is_read_in_the_same_function(repo, reader, found):
    files = {"inn/write.py": WRITER, "inn/api.py": BOOKING, "inn/restore.py": READER % reader}
    after = WRITER.replace('"nights": visit.nights', '"stay": list(visit.days)')
    ended = review(repo, files, {"inn/write.py": after}, kind="serialization")
    gone = cards(ended, "written_key_gone")
    assert ["`inn/restore.py`" in one.claim for one in gone] == [True] * found


def test_a_list_where_a_text_was_split(repo):
    before = WRITER.replace("visit.nights", '",".join(visit.nights)')
    after = WRITER.replace("visit.nights", "[str(one) for one in visit.nights]")
    files = {"inn/write.py": before, "inn/restore.py": READER % 'row["nights"].split(",")'}
    ended = review(repo, files, {"inn/write.py": after}, kind="serialization")
    (card,) = cards(ended, "written_value_retyped")
    assert "`inn/restore.py` line 6" in card.claim
