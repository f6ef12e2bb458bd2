"""The words by which a sentence tells its type; data, read once.

A sign is a list of phrases, written as lower-case words. ``classify`` looks each word of a sentence up in one
table, so that a sentence costs one pass whatever the number of phrases (a regular expression for each sign cost
fifteen times as much).
"""

from __future__ import annotations

import re
from enum import IntEnum, auto

import msgspec


class Sign(IntEnum):
    """What a phrase speaks for. ``classify`` says which company each needs to decide."""

    FALSE_FRIEND = auto()  # taken out of the sentence before the others are looked for
    SECURITY = auto()  # decides alone
    CREDENTIAL = auto()  # a secret, whatever is said of it
    TOKEN = auto()  # a credential in some company only
    SAFETY = auto()  # what is done to keep something safe
    ESCAPING = auto()
    MARKUP = auto()  # what escaping protects
    ACCESS = auto()  # two of these speak of who may do what
    MUST = auto()
    LIMIT = auto()
    SHOULD = auto()
    ARCHITECTURE = auto()
    INTERFACE = auto()
    CHOICE = auto()  # a decision, told as one
    PREFERENCE = auto()
    REASON = auto()
    WE = auto()
    FAILURE = auto()
    DANGER = auto()
    TEST = auto()
    PROCEDURE = auto()
    OUTCOME = auto()


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(phrase.strip() for phrase in text.replace("\n", "|").split("|") if phrase.strip())


def words_in(text: str) -> frozenset[str]:
    """A set of words from a text of them."""
    return frozenset(text.split())


def _pairs(firsts: str, seconds: str) -> tuple[str, ...]:
    """Every phrase of a first part and a second, both given with bars between them."""
    return tuple(f"{first} {second}" for first in _phrases(firsts) for second in _phrases(seconds))


SIGNS: dict[Sign, tuple[str, ...]] = {
    Sign.FALSE_FRIEND: _phrases(
        """
        cancel token | cancel tokens | cancellation token | cancellation tokens | parser token | parser tokens
        lexer token | throttle token | throttle tokens | token bucket | coin token | coin tokens | token usage
        token stream | token type | token types | token count | next token | previous token | parenthesis token
        tokens per | max tokens | token limit | dask tokens | template token | template tokens | csi escape
        escape sequence | escape sequences | escape key | escape code | escape codes | ansi escape | escape character
        escape characters | escape hatch | function signature | function signatures | method signature
        method signatures | call signature | signature of the function | type signature | signed integer
        signed integers | signed int | signed char | signed number | signed zero | primary key | foreign key
        only a few | not only | only if necessary | if only | read only | write only | as required | if required
        when required | where required | required field | required fields | missing required | required argument
        required arguments | required parameter | required by | at least as | may not exist
        may not have | may not match | may not always | may not yet | always been | doesn't always | not always
        don't always | any interface | network interface | external interface | web interface | user interface
        command line interface | admin interface | interface name | race to | trace | escaped copy | permission denied
        private method | private methods | private function | private attribute | private api | private module
        private variable | safe to | thread safe | thread safely | type safe | type safety | exception safe
        dependency injection | fault injection | session scope | on the safe side | expect to be | no need to
        do not need to | don't need to | doesn't need to | not required | isn't required | not have to | never mind
        as always | if and only if | first and only | the only difference | one and only | secrets manager
        that should | which should | might have to | may have to | might need to | may need to
        allowed values | that needs to be | that need to be | expected to raise
        the same interface
        """
    ),
    Sign.SECURITY: _phrases(
        """
        shell=false | shell=true | sql injection | code injection | command injection | shell injection
        header injection | script injection | html injection | injection attack | injection attacks | xss | csrf | ssrf
        clickjacking | vulnerability | vulnerabilities | vulnerable | attacker | attackers | attack | attacks
        malicious | maliciously | untrusted | tamper | tampered | tampering | spoof | spoofed | spoofing | forged
        forgery | sanitize | sanitizes | sanitized | sanitizing | sanitise | sanitised | unsanitized | whitelist
        whitelisted | blacklist | blacklisted | allowlist | allow list | denylist | deny list | credential theft
        security issue | security issues | security risk | security risks | security hole | security holes
        security reasons | security implications | security sensitive | security purposes | security measure
        security vulnerability | security feature | for security | sensitive information | sensitive data
        privilege escalation | least privilege | path traversal | directory traversal | brute force | timing attack
        constant time comparison | timing safe | never log | never logged | man in the middle | replay attack
        eavesdropping | phishing | impersonate | impersonation | unauthorized | unauthorised | secret_key | secret key
        single sign on | session hijacking | session fixation | samesite | httponly | insecure | insecurely
        remote code execution | arbitrary code | unsafe characters | leak between | leaks between | zip slip
        zip bomb | billion laughs | escalate privileges | drop privileges | drops privileges | cryptographically
        """
    ),
    Sign.CREDENTIAL: _phrases(
        """
        credential | credentials | password | passwords | passphrase | secret | secrets | api key | api keys
        private key | private keys | access token | access tokens | auth token | bearer token | refresh token
        csrf token | session token | session cookie | session cookies | host header | api token | api tokens
        """
    ),
    Sign.TOKEN: _phrases(
        """
        token | tokens | cookie | cookies | signature | signatures | signed | certificate | certificates | tls | ssl
        salt | hmac | encryption | encrypted | authentication | authorization | session | security | login | pin
        """
    ),
    Sign.SAFETY: _phrases(
        """
        safe | safely | unsafe | protect | protects | protected | protection | guess | guessing | leak | leaks | leaked
        restrictions | restrict | restricts | deny | denied | denies | revoke | revoked | expire | expires | expired
        trust | trusted | disclose | disclosed | expose | exposed | exposes | compromise | compromised | steal | stolen
        """
    ),
    Sign.ESCAPING: _phrases("escape | escapes | escaped | escaping | quoted | quoting | autoescape | autoescaping"),
    Sign.MARKUP: _phrases("html | sql | shell | xml | javascript | safe | safely | markup | unsafe | user input"),
    Sign.ACCESS: _phrases(
        """
        deny | denied | denies | allow | allowed | allows | owner | private | permission | permissions | grant | granted
        grants | unauthenticated | authorized | restricted | restrictions | access control | superuser | anonymous user
        default deny | owner can | only visible | root user
        """
    ),
    Sign.MUST: _phrases(
        """
        must | mustn't | cannot | can not | can't | never | always | not allowed | not permitted | forbidden
        prohibited | is required | are required | be required | mandatory | at most | at least | invariant | invariants
        may not | may only | can only | is only | are only | must only | should only | only be | only works
        only supports | only supported | only available | only used | only allow | only allows | only allowed
        only valid | only once | only one | only way | it is an error to | has to be | have to be | needs to be
        need to be | needs to | need to | has to | have to | no more than | no less than | caller is responsible
        callers are responsible | user is responsible | you are responsible | responsibility of the caller
        caller's responsibility | no longer supported | not thread safe | are prohibited | cannot be | required to
        requires that | should never | should always | shall | shall not | required when | required if | required for
        """
    ),
    Sign.SHOULD: _phrases("should | shouldn't | ought to | encouraged to | is recommended | recommended to"),
    Sign.LIMIT: _phrases(
        """
        only | require | requires | limited to | restricted to | doesn't affect | does not affect
        has no effect | have no effect | maximum | minimum | regardless of | mutually exclusive | immutable
        unsupported | not supported | doesn't support | does not support | disallow | disallows | disallowed
        exactly one | thread safe | supported only | up to the caller | no effect | up to the user
        """
    ),
    Sign.ARCHITECTURE: _phrases(
        """
        layer | layers | owned by | depends on | depend on | adapter | adapters | façade | facade | wrapper around
        wrapper for | wrapper over | wraps | abstraction | abstractions | abstract base class | abstracted
        supports middleware | middleware layer
        decoupled | decouples | architecture | delegates to | delegate to | separation of concerns
        entry point | entry points | responsible for | is maintained by | plugins can | pluggable | extension point
        extension points | built on top of | is built on | subsystem | single source of truth | composed of
        plugin interface | base class for | building block | building blocks | orchestrates | client server
        """
    ),
    Sign.INTERFACE: (
        *_phrases("interface | interfaces | plugin system | boundary between | boundaries between"),
        *_pairs(
            "module | package | service | trust | system | architectural | process | crate", "boundary | boundaries"
        ),
    ),
    Sign.CHOICE: _phrases(
        """
        decided | we decide | we chose | we choose | chosen option | was chosen | were chosen | rationale | trade off
        trade offs | tradeoff | tradeoffs | because we | so we | that's why | that is why | this is why | the reason
        historical reasons | backward compatibility | backwards compatibility | backwards compatible
        backward compatible | backward compat | backwards compat | deliberate | deliberately | intentionally
        intentional | on purpose | by design | for now | workaround | workarounds | work around | works around
        we accept | we prefer | we rejected | unfortunately | in favor of | in favour of | discouraged | historically
        for simplicity | performance reasons | for consistency | is deprecated | are deprecated | been deprecated
        deprecated in | deprecated since | deprecated as of | we redefine | we opted | opted for | opt for | so i
        """
    ),
    Sign.PREFERENCE: _phrases("instead of | rather than | to avoid | in order to avoid | avoids"),
    Sign.REASON: _phrases("because | so that | since"),
    Sign.WE: _phrases("we | our | us | we're | we've | we'll | we'd"),
    Sign.FAILURE: (
        *_phrases(
            """
            raise | raises | raised | raising | throw | throws | thrown | panic | panics | data loss | race condition
            race conditions | race | undefined behavior | undefined behaviour | deadlock | deadlocks | dangerous
            crash | crashes | corrupt | corrupts | corrupted | corruption | memory leak | memory leaks
            returns an error | return an error | malfunction | breaking change | breaking changes | can break
            work correctly | inadvertently | infinite loop | infinite recursion | may not work | segfault
            stack overflow | out of memory | memory exhaustion | use after free | dangling pointer | lose data
            should not happen | shouldn't happen | should never happen | unexpected results | unexpected behavior
            surprising results | error occurs | an exception | starvation
            """
        ),
        *_pairs(
            "may | might | can | could",
            "fail | break | crash | hang | lead to | result in | corrupt | lose | leak | overflow | deadlock | block"
            " | cause | be lost | be corrupted | not work",
        ),
        *_pairs(
            "will | would", "fail | break | crash | hang | corrupt | lose | leak | overflow | deadlock | result in"
        ),
    ),
    Sign.DANGER: _phrases(
        "beware | careful | caution | danger | risk | risks | risky | unstable | fails | hangs"
        " | experimental | without notice | subject to change | may change | not guaranteed | no guarantee"
    ),
    Sign.TEST: _phrases("assert | asserts | verify that | expect that | regression test | test that | tests that"),
    Sign.PROCEDURE: _phrases(
        """
        workflow | make sure | please | first step | you can use | you may use | you could use | follow these
        you want to | likely want to | probably want to | you may need to | you specify
        step 1 | step 2 | step 3 | step one
        """
    ),
    Sign.OUTCOME: _phrases(
        """
        is returned | are returned | is ignored | are ignored | is called | are called | is skipped | are skipped
        is used | are used | is raised | is passed | are passed | is set to | is stored | are stored | is converted
        are converted | is created | are created | is removed | are removed | returns | yields | emits | accepts
        responds | by default | defaults to | possible to | is replaced | is executed | are executed | is run
        """
    ),
}

#: Verbs that programs do, in their base form; a sentence that begins with one says what something does.
VERBS = words_in(
    """
    abort accept access acquire activate adapt add adjust advance aggregate alias align allocate allow alter analyze
    annotate answer append apply archive ask assemble assert assign associate attach attempt augment authenticate await
    bind
    block bootstrap break broadcast build bulk bump cache calculate call cancel capture cast catch change check choose
    clean clear clone close coerce collapse collect combine commit compact compare compile complete compose compress
    compute concatenate configure confirm connect construct consume contain control convert copy count cover create
    cut deactivate decide decode decorate decrease decrement decrypt deduplicate defer define delay delegate
    delete deliver deny deprecate derive describe deserialize destroy detach detect determine disable discard
    disconnect discover dispatch display distribute divide do download drain draw drop dump duplicate emit emulate
    enable encapsulate encode encrypt end enforce enqueue ensure enter enumerate equal erase escape establish estimate
    evaluate evict examine exclude execute exit expand expect expire explain export expose express extend extract
    fail fall fetch fill filter finalize find finish fire fix flag flatten flush fold follow force format forward free
    freeze freshen gather generate get give grab grant group grow guarantee guess handle hash help hide highlight hold
    hook identify ignore implement import include increase increment indent index indicate infer inform inherit
    initialize inject insert inspect install instantiate instruct intercept interpolate interpret intersect invalidate
    invert invoke issue iterate join jump keep kill launch lex limit link list listen load locate lock log look loop
    lower maintain make manage map mark mask match measure merge migrate mimic modify monitor move mutate name
    narrow multiply
    normalize notify obtain offer omit open optimize order output overload override overwrite pack pad parse partition
    pass patch pause perform permit persist pick place plot poll pop populate post prefix prepare prepend preserve
    pretend prevent print process produce prompt propagate protect provide prune publish pull purge push put query
    queue quote raise randomize reach read rebuild receive recommend reconstruct record recreate recurse redirect
    redraw reduce refer refresh register reject release reload remember remove rename render reorder repeat replace
    reply report represent request require resample reserve reset reshape resize resolve respond restart restore
    restrict resume retain retrieve retry return reverse revert revoke rewind rewrite rollback rotate round route run
    sanitize save scan schedule scope search seek select send separate serialize serve set setup shift show shrink
    shuffle shut sign signal simplify simulate skip sleep slice snapshot solve sort spawn specify split squash stack
    start stop store stream strip submit subscribe substitute subtract sum supply support suppress suspend swap switch
    sync synchronize tag take tell terminate test throw toggle tokenize touch track transfer transform translate
    transpose traverse treat trigger trim truncate try tune turn undo unescape uninstall unlink unlock unpack
    unregister unset unsubscribe unwrap update upgrade upload use validate verify visit wait walk warn watch wrap
    write yield zip look rely initialise serialise normalise finalise synchronise analyse behave act work respond
    """
)

#: Verbs by which a text tells its reader what to do; in prose they begin a procedure.
INSTRUCTIONS = VERBS | words_in(
    "consider decide deploy download edit ensure follow go have make note pin read refer remember review see start"
    " try visit wait keep"
)

#: Words that tell the reader how to use the thing itself, in whatever source they open a sentence.
USAGES = words_in("use subclass prefer consider")

_CONTRACTIONS = words_in("it's that's there's let's here's what's who's")
_WORD = re.compile(r"[\w'=]+(?:-only\b)?")
#: ASCII with a blank for each character that parts words.
_PARTED = bytes(code if chr(code).isalnum() or chr(code) in "_'=" else ord(" ") for code in range(128)).ljust(256)


def words_of(sentence: str) -> tuple[str, ...]:
    """The sentence's words, lower case; hyphens part words, except in ``keyword-only`` and its like."""
    text = sentence.lower().replace("’", "'")
    if text.isascii() and "-only" not in text:
        # bytes, since to translate a string costs as much as the pattern: four times this
        words = text.encode().translate(_PARTED).decode().split()
    else:
        words = _WORD.findall(text)
    if "'s" not in text:
        return tuple(words)
    return tuple(word if word in _CONTRACTIONS else word.removesuffix("'s") for word in words)


class Wording(msgspec.Struct, frozen=True, gc=False):
    """A sentence and its words, told once for all who ask: in order, and which there are."""

    text: str
    words: tuple[str, ...]
    different: set[str]


def worded(sentence: str) -> Wording:
    """The sentence with its words."""
    words = words_of(sentence)
    return Wording(sentence, words, set(words))
