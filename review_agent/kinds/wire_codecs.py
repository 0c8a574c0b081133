"""Pairs of acts of which one undoes the other: what is encoded, packed or joined, and what takes it apart again."""

from __future__ import annotations

import re

from review_agent.kinds.bodies import named
from review_agent.syntax.roles import words_of

__all__ = ["ENCODERS", "counterpart", "counterparts_of", "paired"]

# callee (its last parts) -> what undoes it. What stands on neither side is no codec.
_PAIRS = """
    urlsafe_b64encode/urlsafe_b64decode standard_b64encode/standard_b64decode b64encode/b64decode b32encode/b32decode
    b16encode/b16decode b85encode/b85decode a85encode/a85decode hexlify/unhexlify json.dumps/json.loads
    json.dump/json.load pickle.dumps/pickle.loads pickle.dump/pickle.load msgpack.packb/msgpack.unpackb
    yaml.safe_dump/yaml.safe_load yaml.dump/yaml.load orjson.dumps/orjson.loads marshal.dumps/marshal.loads
    gzip.compress/gzip.decompress zlib.compress/zlib.decompress bz2.compress/bz2.decompress
    lzma.compress/lzma.decompress quote/unquote quote_plus/unquote_plus urlencode/parse_qs escape/unescape
    struct.pack/struct.unpack isoformat/fromisoformat strftime/strptime encrypt/decrypt
    base64.StdEncoding.EncodeToString/base64.StdEncoding.DecodeString
    base64.URLEncoding.EncodeToString/base64.URLEncoding.DecodeString
    base64.RawURLEncoding.EncodeToString/base64.RawURLEncoding.DecodeString
    base64.RawStdEncoding.EncodeToString/base64.RawStdEncoding.DecodeString hex.EncodeToString/hex.DecodeString
    json.Marshal/json.Unmarshal json.NewEncoder/json.NewDecoder gob.NewEncoder/gob.NewDecoder xml.Marshal/xml.Unmarshal
    gzip.NewWriter/gzip.NewReader zlib.NewWriter/zlib.NewReader url.QueryEscape/url.QueryUnescape
    url.PathEscape/url.PathUnescape strconv.Quote/strconv.Unquote binary.BigEndian.PutUint32/binary.BigEndian.Uint32
    binary.LittleEndian.PutUint32/binary.LittleEndian.Uint32 binary.BigEndian.PutUint64/binary.BigEndian.Uint64
    binary.LittleEndian.PutUint64/binary.LittleEndian.Uint64
    JSON.stringify/JSON.parse encodeURIComponent/decodeURIComponent encodeURI/decodeURI btoa/atob
    gzipSync/gunzipSync deflateSync/inflateSync querystring.stringify/querystring.parse
    Base64.getEncoder/Base64.getDecoder Base64.getUrlEncoder/Base64.getUrlDecoder
    Base64.getMimeEncoder/Base64.getMimeDecoder URLEncoder.encode/URLDecoder.decode
    writeObject/readObject writeUTF/readUTF writeInt/readInt writeLong/readLong writeValueAsString/readValue
    GZIPOutputStream/GZIPInputStream
"""
ENCODERS = dict(pair.split("/") for pair in _PAIRS.split())
_DECODERS = {decode: encode for encode, decode in ENCODERS.items()}
_BOTH = ENCODERS | _DECODERS

# Words by which a function says that it makes the written form, or takes it apart.
_MAKING = named("""
    encode dump dumps serialize serialise format pack write build make create marshal render to compose join token
    stringify save export emit sign encrypt escape issue generate new as
""")
_TAKING = named("""
    decode load loads deserialize deserialise parse unpack read split unmarshal from decompose destructure restore
    import verify decrypt unescape of extract open value
""")


def counterpart(callee: str) -> str:
    """What undoes a call of this callee (or is undone by it), as code writes it; "" for no codec."""
    bare = re.sub(r"(?<=Endian\.)Append(?=Uint)", "Put", re.sub(r"\([^()]*\)", "", callee))
    parts = re.split(r"\.|::", bare)
    for count in range(min(3, len(parts)), 0, -1):
        name = ".".join(parts[-count:])
        if name in _BOTH:
            return _BOTH[name]
    return ""


def paired(one: str, other: str) -> bool:
    """Whether two functions are named as making and taking apart the same thing."""
    ours, theirs = words_of(one), words_of(other)
    rest = [[word for word in words if word not in _MAKING | _TAKING] for words in (ours, theirs)]
    made = bool(_MAKING & set(ours)) + bool(_TAKING & set(ours))
    taken = bool(_MAKING & set(theirs)) + bool(_TAKING & set(theirs))
    acts = made and taken and set(ours) & (_MAKING | _TAKING) != set(theirs) & (_MAKING | _TAKING)
    common = set(rest[0]) & set(rest[1])
    # A word that both have, like a screen and the panel in it, pairs them only where one says what it does.
    return bool(common and (acts or made or taken)) or bool(acts and not any(rest))


_OPPOSITES = {
    "encode": ["decode", "parse"],
    "dump": ["load"],
    "dumps": ["loads"],
    "serialize": ["deserialize", "parse"],
    "serialise": ["deserialise"],
    "format": ["parse"],
    "pack": ["unpack"],
    "write": ["read", "parse"],
    "build": ["parse", "split", "decode"],
    "make": ["parse", "split", "decode", "read"],
    "create": ["parse", "decode", "verify"],
    "marshal": ["unmarshal"],
    "render": ["parse"],
    "to": ["from"],
    "compose": ["parse"],
    "join": ["split"],
    "sign": ["verify", "unsign"],
    "issue": ["verify", "parse"],
    "encrypt": ["decrypt"],
    "escape": ["unescape"],
    "save": ["load"],
    "export": ["import"],
    "stringify": ["parse"],
}
_OPPOSITES |= {other: [one] for one, others in list(_OPPOSITES.items()) for other in others if other not in _OPPOSITES}


def counterparts_of(name: str) -> list[str]:
    """Names that the function which undoes one of this name has, in its own spelling."""
    first = re.match(r"_*([A-Z]?[a-z]+|[A-Z]+(?![a-z]))", name)
    if first is None:
        return []
    verb = first[1]
    found = []
    for other in _OPPOSITES.get(verb.lower(), ["parse"]):
        spelled = other.capitalize() if verb[:1].isupper() else other
        if verb.lower() in _OPPOSITES:
            found.append(name.replace(verb, spelled, 1))
        elif "_" in name or name.islower():
            found.append(f"{spelled}_{name.lstrip('_')}")
        else:
            found.append(spelled + name[:1].upper() + name[1:])
    special = {"toString": ["fromString", "parse", "valueOf"], "String": ["Parse"], "__str__": ["parse", "from_string"]}
    return special.get(name, found)[:3]
