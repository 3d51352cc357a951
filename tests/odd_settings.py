"""Ways to make git itself odd: configuration, variables, rights.

Invariants:
* Nothing of the repository is another one. Programs that are named leave a mark when they are started.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable

from odd_place import Odd, Place

# configuration and environment


def configured(**values: str) -> Callable[[Place], Odd]:
    """Settings of the repository."""

    def make(place: Place) -> Odd:
        place.configure(**values)
        return Odd(place.root)

    return make


def programs(place: Place) -> Odd:
    """Every setting, hook and variable by which git starts a program; none of them may start here."""
    program = place.program("program")
    for hook in HOOKS:
        place.program(hook)
    place.attributes("* diff=odd merge=odd\n")
    for name in PROGRAMS:
        place.git("config", name, str(program))
    for name in PLUMBING:
        place.git("config", f"alias.{name}", f"!{program}")
    place.git("config", "core.hooksPath", str(program.parent))
    variables = ("GIT_EXTERNAL_DIFF", "GIT_PAGER", "PAGER", "GIT_SSH_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS")
    return Odd(place.root, dict.fromkeys((*variables, "GIT_EDITOR", "GIT_SEQUENCE_EDITOR"), str(program)))


def odd_output(place: Place) -> Odd:
    """Settings that change what git prints."""
    for name, value in OUTPUT.items():
        place.git("config", name, value)
    (place.folder / "order").write_text("tests/*\n")
    place.git("config", "diff.orderFile", str(place.folder / "order"))
    return Odd(place.root)


def odd_behaviour(place: Place) -> Odd:
    """Settings that change what git reads and stores; ignored are files that are tracked already."""
    for name, value in BEHAVIOUR.items():
        place.git("config", name, value)
    (place.folder / "ignored").write_text("ledgers/\ntests/\n")
    place.git("config", "core.excludesFile", str(place.folder / "ignored"))
    (place.folder / "attributes").write_text("* export-ignore merge=union linguist-generated\n*.py -diff\n")
    place.git("config", "core.attributesFile", str(place.folder / "attributes"))
    return Odd(place.root)


def variables_of_a_hook(place: Place) -> Odd:
    """What git sets for a hook that it starts, and what a wrapper may have set before."""
    variables = dict(HOOK_VARIABLES)
    (place.folder / "config").write_text("[flakeledger]\n\tbase = nowhere\n")
    (place.folder / "shallow").write_text(place.git("rev-parse", "HEAD") + "\n")
    variables |= {
        "GIT_CONFIG": str(place.folder / "config"),
        "GIT_SHALLOW_FILE": str(place.folder / "shallow"),
        "GIT_EXTERNAL_DIFF": str(place.program("program")),
        "GIT_CEILING_DIRECTORIES": str(place.folder),
        "GIT_TRACE": str(place.folder / "trace"),
    }
    return Odd(place.root, variables)


#: who owns nothing here
STRANGER = 65534
HOOKS = (
    *("applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg"),
    *("commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "reference-transaction"),
    *("post-index-change", "fsmonitor-watchman", "pre-auto-gc", "post-rewrite", "sendemail-validate"),
)
PROGRAMS = (
    *("core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy"),
    *("core.alternateRefsCommand", "diff.external", "diff.odd.textconv", "diff.odd.command", "merge.odd.driver"),
    *("merge.flakeledger.driver", "gpg.program", "credential.helper", "interactive.diffFilter", "sequence.editor"),
    *("trailer.decision.command", "trailer.decision.cmd", "uploadpack.packObjectsHook", "pager.diff", "pager.log"),
    *("pager.config", "pager.grep", "pager.ls-tree", "pager.rev-list", "protocol.ext.command"),
)
PLUMBING = ("cat-file", "diff-index", "diff-tree", "ls-files", "rev-parse", "rev-list", "merge-base", "config", "add")
OUTPUT = {
    **dict.fromkeys(("color.ui", "color.diff", "color.grep", "color.status", "column.ui"), "always"),
    **dict.fromkeys(("diff.noprefix", "diff.mnemonicPrefix", "diff.relative", "diff.suppressBlankEmpty"), "true"),
    **dict.fromkeys(("grep.lineNumber", "grep.column", "grep.fullName", "log.showSignature", "log.follow"), "true"),
    "core.quotePath": "false",
    "core.abbrev": "4",
    "diff.renames": "copies",
    "diff.algorithm": "histogram",
    "diff.context": "0",
    "diff.interHunkContext": "9",
    "diff.submodule": "log",
    "diff.ignoreSubmodules": "all",
    "diff.colorMoved": "zebra",
    "diff.wordRegex": ".",
    "diff.statGraphWidth": "3",
    "format.pretty": "oneline",
    "grep.patternType": "perl",
    "log.date": "relative",
    "log.decorate": "full",
    "log.diffMerges": "remerge",
    "i18n.logOutputEncoding": "utf-16",
    "status.short": "true",
    "status.showUntrackedFiles": "no",
    "advice.detachedHead": "true",
}
BEHAVIOUR = {
    **dict.fromkeys(("core.fileMode", "core.trustCtime", "core.preloadIndex", "core.protectNTFS"), "false"),
    **dict.fromkeys(("core.splitIndex", "core.untrackedCache", "commit.gpgSign", "tag.gpgSign"), "true"),
    **dict.fromkeys(("submodule.recurse", "rerere.enabled", "merge.renormalize", "core.precomposeUnicode"), "true"),
    **dict.fromkeys(("index.sparse", "core.logAllRefUpdates", "transfer.fsckObjects"), "true"),
    "core.bigFileThreshold": "1",
    "core.checkStat": "minimal",
    "core.compression": "0",
    "core.whitespace": "trailing-space,space-before-tab,cr-at-eol",
    "core.commentChar": ";",
    "merge.conflictStyle": "diff3",
    "merge.ff": "only",
    "trailer.ifexists": "doNothing",
    "trailer.separators": "#",
    "trailer.where": "start",
}
HOOK_VARIABLES = {
    "GIT_INDEX_FILE": ".git/index",
    "GIT_PREFIX": "",
    "GIT_REFLOG_ACTION": "commit",
    "GIT_EDITOR": ":",
    "GIT_AUTHOR_DATE": "@1700000000 +0000",
    "GIT_LITERAL_PATHSPECS": "0",
    "GIT_GLOB_PATHSPECS": "1",
    "GIT_ICASE_PATHSPECS": "1",
    "GIT_DIFF_OPTS": "-u0",
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "color.ui",
    "GIT_CONFIG_VALUE_0": "always",
    "GIT_CONFIG_PARAMETERS": "'core.quotepath'='false'",
    "GIT_NAMESPACE": "other",
    "GIT_REPLACE_REF_BASE": "refs/heads/",
    "GIT_FLUSH": "0",
    "GIT_OPTIONAL_LOCKS": "1",
    "GIT_NO_LAZY_FETCH": "0",
    "GIT_MERGE_VERBOSITY": "5",
    "LC_ALL": "de_DE.UTF-8",
    "LANGUAGE": "de",
}


# rights


def foreign(place: Place) -> Odd:
    """Files of another owner, as root meets them; elsewhere git is told that they are."""
    if os.geteuid():
        return Odd(place.root, {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"})
    for path in (place.root, *place.root.rglob("*")):
        os.chown(path, STRANGER, STRANGER, follow_symlinks=False)
    return Odd(place.root)


def trusted(place: Place) -> Odd:
    """The same, with the word that the folder is safe."""
    odd = foreign(place)
    config = place.folder / "gitconfig"
    config.write_text("[safe]\n\tdirectory = *\n")
    return odd._replace(environment={**odd.environment, "GIT_CONFIG_GLOBAL": str(config)})


def read_only(*paths: str) -> Callable[[Place], Odd]:
    """Nobody may write at or below these paths."""

    def make(place: Place) -> Odd:
        for path in paths:
            subprocess.run(["chmod", "-R", "a-w", place.root / path], check=True)
        return Odd(place.root, powerless=True)

    return make
