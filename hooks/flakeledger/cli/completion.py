"""`flakeledger completion`: the script that lets a shell complete commands, and the names that it offers at TAB.

Invariants:
* A script holds every command, option and choice as text: at TAB nothing is run for them.
* Names come from the staged ledgers, read as the hooks read them: nothing of the repository is run, no filter of git
  either. They are few, short, and made of characters that no shell gives a meaning to.
* The scripts ask for names with errors thrown away: where there is no ledger, nothing is offered.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from flakeledger.cli.main import COMMANDS, whole_parser
from flakeledger.repo.repository import Repository, open_repository
from flakeledger.repo.situation import INDEX
from flakeledger.rules.table import RULE_NAMES

EXAMPLES = """\
  flakeledger completion bash > \\
      ~/.local/share/bash-completion/completions/flakeledger
  flakeledger completion zsh > ~/.zfunc/_flakeledger  # a folder of your fpath
  flakeledger completion fish > ~/.config/fish/completions/flakeledger.fish
  flakeledger completion tests                        # what is offered for TEST"""

SHELLS = ("bash", "zsh", "fish")
_MOST_NAMES = 1000
#: whole names: what is typed by TAB is run by ENTER, and must not be more than a name
_HARMLESS = re.compile(r"(?!-)[\w./:@%+=,\[\]-]{1,300}")
#: what is typed where, by the argument's metavar or its option
_NAMES_FOR: dict[object, str] = {"TEST": "tests", "PROPERTY|TEST": "tests", "ID": "properties", "--runner": "runners"}
_FILES_FOR: dict[object, str] = {"FILE": "file", "PATH": "file", "REPORT": "file", "DIR": "directory"}
_CHOICES_FOR: dict[object, tuple[str, ...]] = {"RULE": RULE_NAMES, "COMMAND": tuple(COMMANDS)}

# bash cuts words at colons and at `=`: the first belong to ids, the second stand for a blank. So the words are joined
# again before the function of shtab sees them, and what stands before the last colon is taken off what it found.
_BASH = """\
_flakeledger_names() {
  local name
  while IFS= read -r name; do
    [[ $name == "${2//\\\\/}"* ]] && printf '%q\\n' "$name"
  done < <(flakeledger completion "$1" 2>/dev/null)
}

_flakeledger() {
  local -a words=()
  local index word before count=0
  for ((index = 0; index <= COMP_CWORD; index++)); do
    word=${COMP_WORDS[index]}
    before=''
    ((count)) && before=${words[count - 1]}
    if [[ $word == '=' && $before == --* ]]; then
      ((index < COMP_CWORD)) && continue
      word=''
    elif ((count > 1)) && [[ $word == :* || $before == *: ]]; then
      words[count - 1]=$before$word
      continue
    fi
    words[count++]=$word
  done
  local COMP_CWORD=$((count - 1))
  local -a COMP_WORDS=("${words[@]}")
  _shtab_flakeledger
  word=${words[count - 1]}
  if [[ $word == *:* && $COMP_WORDBREAKS == *:* ]]; then
    COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*:}"}"}")
  fi
}
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "what",
        choices=[*SHELLS, *_NAMES],
        metavar="SHELL|NAMES",
        help=f"the script for a shell ({', '.join(SHELLS)}), or the names that it offers ({', '.join(_NAMES)})",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print a script or names, one a line: 0. CannotTell where names are asked for and no repository is."""
    if arguments.what in SHELLS:
        sys.stdout.write(script(arguments.what))
        return 0
    with open_repository(os.curdir, os.environ) as repository:
        names = _NAMES[arguments.what](repository)
        sys.stdout.writelines(f"{name}\n" for name in islice(filter(_HARMLESS.fullmatch, names), _MOST_NAMES))
    return 0


def _tests(repository: Repository) -> Iterable[str]:
    return repository.ledger(repository.tree(INDEX)).freeze_by_test


def _properties(repository: Repository) -> Iterable[str]:
    return repository.protection(repository.tree(INDEX)).property_by_id


def _runners(repository: Repository) -> Iterator[str]:
    policy = repository.policy(repository.tree(INDEX))
    return (runner.name for runner in (() if policy is None else policy.runners))


_NAMES: dict[str, Callable[[Repository], Iterable[str]]] = {
    "tests": _tests,
    "properties": _properties,
    "runners": _runners,
}


def script(shell: str) -> str:
    """The script for one of the shells."""
    import shtab

    parser = whole_parser()
    for action in _actions(parser):
        _offer(action)
    return _MENDED[shell](str(shtab.complete(parser, shell)))


#: what shtab's scripts lack: ids with colons in bash; in zsh, a second of several arguments
_MENDED: dict[str, Callable[[str], str]] = {
    "bash": lambda text: f"{text}\n{_BASH}\ncomplete -o bashdefault -F _flakeledger flakeledger\n",
    "zsh": lambda text: text.replace('"(*)::', '"*:').replace('"(*):', '"*:'),
    "fish": lambda text: text,
}


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """The arguments of a parser and of the parsers below it."""
    for action in parser._actions:  # argparse has no other way to ask, and shtab asks it so as well
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _actions(below)
        else:
            yield action


def _offer(action: argparse.Action) -> None:
    """Say to shtab, in its own way, what is typed for an argument."""
    import shtab

    if action.choices is not None:
        action.choices = tuple(action.choices)  # shtab takes a mapping for commands
        return
    for key in (*action.option_strings, action.metavar):
        if key in _CHOICES_FOR:
            action.choices = _CHOICES_FOR[key]
        elif key in _NAMES_FOR:
            action.complete = _names(_NAMES_FOR[key])  # type: ignore[attr-defined]  # an attribute that shtab adds
        elif key in _FILES_FOR:
            action.complete = shtab.CHOICE_FUNCTIONS[_FILES_FOR[key]]  # type: ignore[attr-defined]  # as above


def _names(kind: str) -> dict[str, str | dict[str, str]]:
    """How each shell asks for names of a kind, in the shape that shtab takes."""
    function = f"_flakeledger_{kind}"
    asked = f"flakeledger completion {kind} 2>/dev/null"
    zsh = f'{function}() {{ local -a names=(${{(f)"$({asked})"}}); compadd -a names }}'
    bash = f'{function}() {{ _flakeledger_names {kind} "$1"; }}'
    return {"bash": function, "zsh": function, "fish": f"({asked})", "preamble": {"bash": bash, "zsh": zsh}}
