"""What looks like a secret in the texts of a JSON value, as a maintained scanner (detect-secrets) sees it.

Invariants:
* No other module imports the scanner, and this one only when it is asked: its import takes longer than a hook may.
* Nothing is asked of a network, and nothing in a text can switch the scanner off: the detectors look at text alone,
  without the scanner's settings, its verification, and its comments that allow a secret.
* Forms of credentials count wherever they stand. What is merely random counts only under a name that says so, such as
  `password`: digests, ids and test data are random, too.
* A finding names its kind and its place, and never holds the secret.
* Work is linear in the text: detectors are shown pieces of bounded length, without runs of blanks.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, Protocol

from flakeledger.evidence.pins import answer_with, elsewhere
from flakeledger.model.witness import Witness

#: longer texts are shown to the detectors in pieces; the longest form of a token that they know is shorter than the lap
_PIECE, _LAP = 2048, 512
#: characters that the detectors are shown at once
_BATCH = 65536
#: no name is longer
_LONGEST_NAME = 200
#: a place is told to people
_LONGEST_PLACE, _CUT = 80, "…"
#: a shorter text under a name such as `password` is invented, or is no secret any more
_SHORTEST_RANDOM, _LONGEST_RANDOM = 8, 512
#: bits a character: below it the scanner itself calls nothing random (its limit for hexadecimal text)
_RANDOM = 3.0
#: the same of a word of letters and digits that is about to be shown: tokens of 20 characters are about as random
_RANDOM_WORD = 3.9
#: what an example is drawn of has such names (RFC 2606), so that what stands before them is invented
_INVENTED_HOST = re.compile(
    r"@(?=(?:[\w-]{1,63}\.){0,5}(?:example(?:\.(?:com|net|org))?|test|invalid|localhost)(?![\w-]|\.\w))"
)
#: forms that the scanner's own detectors lack, or look for in more than linear time
_FORMS = {
    "GitHub Token": r"\bgithub_pat_[A-Za-z0-9_]{22,255}",
    "GitLab Token": r"\bgl(?:pat|dt|rt|ptt|oas)-[A-Za-z0-9_-]{20,255}",
    "OpenAI or Anthropic Key": r"\bsk-(?:(?:proj|svcacct|ant)-[A-Za-z0-9_-]{20,255}|[A-Za-z0-9]{40,255})",
    "Google API Key": r"\bAIza[A-Za-z0-9_-]{35}",
    "PyPI Token": r"\bpypi-AgE[A-Za-z0-9_-]{50,1000}",
    "Azure Storage Account access key": r"(?i:AccountKey)=[A-Za-z0-9+/]{86}==",
    "Artifactory Credentials": r"(?:\s|=|:|\"|^)AKC[a-zA-Z0-9]{10,200}(?:\s|\"|$)",
    "Private Key": r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----",
}


class Secret(NamedTuple):
    """What looks like a secret: its kind as the scanner calls it, and where it stands (`orders[0].url`)."""

    kind: str
    place: str

    @property
    def told(self) -> str:
        """The finding as the end of a sentence."""
        return f"what looks like a secret ({self.kind}) {f'at {self.place}' if self.place else 'at its top level'}"


class _Text(NamedTuple):
    """A text of a value: the place of what holds it, its own place, the name that it stands under, and itself."""

    around: str
    place: str
    name: str
    text: str


class _Part(NamedTuple):
    """A part of a value, with the same places and name as a text has."""

    around: str
    place: str
    name: str
    value: object


class _Detector(Protocol):
    """A detector of the scanner."""

    @property
    def secret_type(self) -> str:
        """What it looks for."""

    def analyze_string(self, string: str) -> Iterator[str]:
        """What it finds in a text."""


def secret_in(value: object) -> Secret | None:
    """The first thing in a JSON value that looks like a secret."""
    scanner = _Scanner()
    batch: list[_Text] = []
    size = 0
    for text in _texts(value):
        batch.append(text)
        size += len(text.name) + len(text.text)
        if size >= _BATCH:
            found = scanner.first(batch)
            if found is not None:
                return found
            batch, size = [], 0
    return scanner.first(batch)


def secret_in_witness(witness: Witness) -> Secret | None:
    """The first thing in a witness's example that looks like a secret. Its digests are ours, and no texts of it."""
    return secret_in(dict(witness.example))


def secret_among(words: Iterable[str]) -> bool:
    """Whether one of some words looks like a secret, be it only because it is random: for what is about to be shown."""
    listed = list(words)
    return secret_in(listed) is not None or any(map(_Scanner().is_random, filter(_looks_made, listed)))


def ask(root: str, environment: Mapping[str, str], example: Mapping[str, object]) -> Secret | None:
    """`secret_in` an example, by a process of its own: for whoever must not import anything beside running tests.

    CannotTell where no process can be started.
    """
    found = elsewhere(__name__, root, environment, dict(example))
    return None if found is None else Secret(*found)


def main() -> None:
    """Answer what `ask` asks."""
    answer_with(lambda _root, example: secret_in(example))


class _Scanner:
    """The detectors, and which names they call telling."""

    def __init__(self) -> None:
        """Import the scanner."""
        from detect_secrets.plugins import high_entropy_strings, keyword

        self._forms = _detectors()
        self._keyword: _Detector = keyword.KeywordDetector()
        self._base64 = high_entropy_strings.Base64HighEntropyString()
        self._hex = high_entropy_strings.HexHighEntropyString()
        self._telling: dict[str, bool] = {}

    def first(self, batch: list[_Text]) -> Secret | None:
        """The first secret of some texts. They are looked at together; one by one only where something is found."""
        together = self._kind("\n".join(line for text in batch for line in _lines(text)))
        for text in batch:
            kind = self._kind("\n".join(_lines(text))) if together else ""
            if kind:
                return Secret(kind, text.around if self._kind(text.name) else text.place)
            if self._is_random_secret(text):
                return Secret(self._keyword.secret_type, text.place)
        # only a form that reaches from one text into the next is left, and it has no place of its own
        return Secret(together, batch[0].around) if together else None

    def is_random(self, word: str) -> bool:
        """Whether a word of letters and digits looks random."""
        return bool(self._base64.calculate_shannon_entropy(word) > _RANDOM_WORD) or (
            re.fullmatch("[0-9a-fA-F]+", word) is not None
            and bool(self._hex.calculate_shannon_entropy(word) > self._hex.entropy_limit)
        )

    def _kind(self, lines: str) -> str:
        """The kind of credential that some lines hold, or the empty text."""
        for kind, form in _FORMS.items():
            if re.search(form, lines):
                return kind
        return next((one.secret_type for one in self._forms if any(one.analyze_string(lines))), "")

    def _is_random_secret(self, text: _Text) -> bool:
        """Whether a text looks made by a machine and stands under a name that says that it is a secret."""
        return _looks_made(text.text) and self._is_telling(text.name) and self._differs_from_data(text.text)

    def _is_telling(self, name: str) -> bool:
        if name not in self._telling:
            line = f'"{name[:_LONGEST_NAME]}": "{"x1" * _SHORTEST_RANDOM}"'
            self._telling[name] = bool(name) and any(self._keyword.analyze_string(line))
        return self._telling[name]

    def _differs_from_data(self, text: str) -> bool:
        """Whether a text is more random than words are, and is neither an id, a template nor a row of digits."""
        from detect_secrets.filters import heuristic

        data = heuristic.is_potential_uuid, heuristic.is_sequential_string, heuristic.is_templated_secret
        return self._base64.calculate_shannon_entropy(text) > _RANDOM and not any(is_data(text) for is_data in data)


def _detectors() -> list[_Detector]:
    """The detectors that know credentials by their form.

    The scanner's others look at what stands around a text (Azure), or in more than linear time (Artifactory).
    """
    from detect_secrets.plugins import (
        aws,
        basic_auth,
        cloudant,
        discord,
        github_token,
        ibm_cloud_iam,
        ibm_cos_hmac,
        jwt,
        mailchimp,
        npm,
        private_key,
        sendgrid,
        slack,
        softlayer,
        square_oauth,
        stripe,
        twilio,
    )

    return [
        aws.AWSKeyDetector(),
        basic_auth.BasicAuthDetector(),
        cloudant.CloudantDetector(),
        discord.DiscordBotTokenDetector(),
        github_token.GitHubTokenDetector(),
        ibm_cloud_iam.IbmCloudIamDetector(),
        ibm_cos_hmac.IbmCosHmacDetector(),
        jwt.JwtTokenDetector(),
        mailchimp.MailchimpDetector(),
        npm.NpmDetector(),
        private_key.PrivateKeyDetector(),
        sendgrid.SendGridDetector(),
        slack.SlackDetector(),
        softlayer.SoftlayerDetector(),
        square_oauth.SquareOAuthDetector(),
        stripe.StripeDetector(),
        twilio.TwilioKeyDetector(),
    ]


def _looks_made(text: str) -> bool:
    """Whether a text is one word of letters and digits, as what machines make is. Before anything dearer is asked."""
    if not _SHORTEST_RANDOM <= len(text) <= _LONGEST_RANDOM or re.search(r"\s", text):
        return False
    return re.search("[A-Za-z]", text) is not None and re.search("[0-9]", text) is not None


def _lines(text: _Text) -> Iterator[str]:
    """What detectors are shown of a text: its name and itself, or its pieces that overlap."""
    name, plain = _plain(text.name[:_LONGEST_NAME]), _plain(text.text)
    for start in range(0, max(1, len(plain) - _LAP), _PIECE - _LAP):
        yield f'"{name}": "{plain[start : start + _PIECE]}"'


def _plain(text: str) -> str:
    """A text without runs of blanks, over which some detectors go back and forth, and without invented accounts."""
    return re.sub(" {2,}", " ", _INVENTED_HOST.sub(" ", text))


def _texts(value: object) -> Iterator[_Text]:
    """Every text of a value, with its names, in the order of the value. Bytes in faithful form are texts, too."""
    stack: list[Iterator[_Part]] = [iter([_Part("", "", "", value)])]
    while stack:
        part = next(stack[-1], None)
        if part is None:
            stack.pop()
        elif isinstance(part.value, str):
            yield _Text(part.around, part.place, part.name, part.value)
            decoded = _decoded(part.value) if part.name == "base64" else ""
            if decoded:
                yield _Text(part.around, part.place, part.name, decoded)
        elif isinstance(part.value, Mapping):
            # a name that is shown beside no text, or not as a whole, is looked at by itself
            alone = (key for key, one in part.value.items() if not isinstance(one, str) or len(key) > _LONGEST_NAME)
            yield from (_Text(part.place, part.place, "", key) for key in alone)
            stack.append(_of_mapping(part.place, part.value))
        elif isinstance(part.value, list):
            stack.append(_of_list(part, part.value))


def _of_mapping(place: str, value: Mapping[str, object]) -> Iterator[_Part]:
    for key, one in value.items():
        yield _Part(place, _deeper(place, f".{key[:_LONGEST_PLACE]}").removeprefix("."), key, one)


def _of_list(part: _Part, value: list[object]) -> Iterator[_Part]:
    """The items, under the name of the list. A dict in faithful form is pairs of key and value."""
    for at, one in enumerate(value):
        yield _Part(part.place, _deeper(part.place, f"[{at}]"), part.name, one)
    if len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], str):
        yield _Part(part.place, _deeper(part.place, "[1]"), value[0], value[1])


def _deeper(place: str, step: str) -> str:
    """The place of a part; beyond a length that people read, where it begins."""
    if place.endswith(_CUT):
        return place
    return place + step if len(place) + len(step) <= _LONGEST_PLACE else place + _CUT


def _decoded(text: str) -> str:
    """The characters of bytes in base64; the empty text for anything else."""
    try:
        return b64decode(text, validate=True).decode("latin-1")
    except (binascii.Error, ValueError):
        return ""
