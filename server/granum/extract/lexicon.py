"""The words by which a sentence tells its type; data, read once.

A sign is a list of phrases, written as lower-case words. ``classify`` looks each word of a sentence up in one
table, so that a sentence costs one pass whatever the number of phrases.
"""

from __future__ import annotations

from enum import IntEnum, auto


class Sign(IntEnum):
    """What a phrase speaks for. Strong signs decide alone; weak ones need the company that ``classify`` asks for."""

    SECURITY = auto()
    CREDENTIAL = auto()
    PROTECTION = auto()
    NO_CREDENTIAL = auto()
    MUST = auto()
    LIMIT = auto()
    SHOULD = auto()
    NO_LIMIT = auto()
    ARCHITECTURE = auto()
    STRUCTURE = auto()
    DECISION = auto()
    REASON = auto()
    RISK = auto()
    TEST = auto()
    PROCEDURE = auto()
    MODAL_BEHAVIOR = auto()


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(phrase.strip() for phrase in text.replace("\n", "|").split("|") if phrase.strip())


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SIGNS: dict[Sign, tuple[str, ...]] = {
    Sign.SECURITY: _phrases(
        """
        shell=false | shell=true | injection | injections | sql injection | xss | csrf | ssrf | clickjacking
        vulnerability | vulnerabilities | vulnerable | exploit | exploits | exploited | attacker | attackers | attack
        attacks | malicious | maliciously | untrusted | tamper | tampered | tampering | tamper proof | spoof | spoofed
        spoofing | forged | forgery | sanitize | sanitizes | sanitized | sanitise | sanitised | sanitizing
        unsanitized | whitelist | whitelisted | blacklist | blacklisted | allowlist | allow list | denylist
        deny list | credential theft | security issue | security issues | security risk | security hole | security
        sensitive information | sensitive data | privilege escalation | least privilege | path traversal
        directory traversal | brute force | timing attack | timing attacks | constant time comparison | never log
        never logged | man in the middle | replay attack | eavesdropping | phishing | impersonate | impersonation
        privilege | privileges | unauthorized | unauthorised | unauthenticated | secret_key | secret key
        single sign on | session hijacking | session fixation | samesite | httponly | insecure | insecurely
        securely | leak between | leaks between | xml bomb | zip slip | zip bomb | billion laughs | sandbox escape
        """
    ),
    Sign.CREDENTIAL: _phrases(
        """
        credential | credentials | password | passwords | passphrase | secret | secrets | api key | api keys
        private key | private keys | access token | access tokens | auth token | bearer token | refresh token
        csrf token | session token | session cookie | session cookies | cookie | cookies | signature | signatures
        signed | permission | permissions | authentication | authorization | authenticated | authorized | certificate
        certificates | tls | ssl | encryption | encrypted | hashing | salt | hmac | host header | token | tokens
        query owner | actor | actors
        """
    ),
    Sign.PROTECTION: _phrases(
        """
        safe | safely | unsafe | protect | protects | protection | protected | prevent | prevents | preventing
        guess | guessing | leak | leaks | leaked | escape | escaped | escapes | quoted and escaped | reject | rejects
        rejected | deny | denies | denied | verify | verifies | only | private | must not | never | forbidden | revoke
        revoked | expire | expired | trust | trusted | allow | allowed | allows | restrict | restricted | restrictions
        can update | can delete | can view | enforces | enforced | disclose | disclosed | expose | exposed
        """
    ),
    Sign.NO_CREDENTIAL: _phrases(
        """
        cancel token | cancellation token | parser token | lexer token | throttle token | token bucket | coin token
        tokenizer | tokenize | tokenizes | tokenized | tokenization | token usage | token stream | escape sequence
        escape key | escape character | parenthesis token | token count | next token | csi escape
        """
    ),
    Sign.MUST: _phrases(
        """
        must | must not | mustn't | cannot | can not | can't | never | always | not allowed | not permitted | forbidden
        prohibited | disallowed | disallow | required | is mandatory | mandatory | at most | at least | invariant
        invariants | immutable | may not | may only | can only | is only | are only | only valid | only be | must only
        do not | don't | has to be | have to be | needs to be | need to be | it is an error to | not supported
        no longer supported | unsupported | is required | are required | exactly one | no more than | no less than
        not be | only works | only supports | only support | not thread safe | thread safe | needs to | has to
        """
    ),
    Sign.SHOULD: _phrases("should | should not | shouldn't | ought to | are encouraged to | is recommended"),
    Sign.LIMIT: _phrases(
        """
        only | require | requires | limited to | restricted to | doesn't affect | does not affect | has no effect
        have no effect | up to | maximum | minimum | unless | regardless of | mutually exclusive | responsible for
        """
    ),
    Sign.NO_LIMIT: _phrases(
        """
        only a few | read only | not only | if required | as required | when required | where required | required by
        at least as | always been | write only | if only | required field | required fields
        """
    ),
    Sign.ARCHITECTURE: _phrases(
        """
        layer | layers | boundary | boundaries | owned by | depends on | depend on | adapter | adapters | façade
        facade | wrapper around | thin wrapper | abstraction | abstractions | abstract base class | abstracted
        middleware | decoupled | architecture | interface | delegates to | separation of concerns | entry point
        entry points | base class for | backend | backends | is responsible for | are responsible for | is maintained by
        plugins can | pluggable | extension point | the interface between | built on top of | is built on | subsystem
        single source of truth | composed of | consists of
        """
    ),
    Sign.STRUCTURE: _phrases(
        "module | package | component | components | subclass | subclasses | inherits from | wraps"
    ),
    Sign.DECISION: _phrases(
        """
        decided | decide to | we chose | chosen | rationale | trade off | trade offs | tradeoff | because we | so we
        that's why | that is why | this is why | the reason | for historical reasons | historical reasons
        backward compatibility | backwards compatibility | backwards compatible | backward compatible | deliberately
        intentionally | on purpose | by design | for now | workaround | work around | we accept | we use | we prefer
        we don't | we do not | unfortunately | deprecated | in favor of | in favour of | discouraged | we map
        we redefine | we only | we want | we need | we can't | we cannot | instead of | rather than | we return
        historically | for simplicity | for performance reasons | performance reasons | to avoid | we rejected
        """
    ),
    Sign.REASON: _phrases("because | since | so that | otherwise | in order to | due to | therefore | hence"),
    Sign.RISK: _phrases(
        """
        raise | raises | raised | raising | throw | throws | thrown | panic | panics | may fail | can fail | might fail
        will fail | race | race condition | race conditions | data loss | undefined behavior | undefined behaviour
        deadlock | deadlocks | dangerous | crash | crashes | corrupt | corrupted | corruption | memory leak
        memory leaks | returns an error | return an error | malfunction | breaking changes | may break | can break
        not work correctly | inadvertently | infinite loop | overflow | hang | hangs | error may | err
        """
    ),
    Sign.TEST: _phrases(
        "assert | asserts | verify | verifies | expect | expects | regression test | test that | tests that"
    ),
    Sign.PROCEDURE: _phrases(
        """
        how to | workflow | make sure | please | first step | you can use | you will need to | follow these steps
        step 1 | step 2 | step 3 | step one
        """
    ),
    Sign.MODAL_BEHAVIOR: _phrases(
        """
        will be | it will | this will | will return | is returned | are returned | is ignored | are ignored | be used
        returns | yields | emits | accepts | is called | are called | is skipped | are skipped | responds | by default
        """
    ),
}

#: Verbs that programs do, in their base form; a sentence that begins with one says what something does.
VERBS = _words(
    """
    abort accept access acquire activate adapt add adjust advance aggregate alias align allocate allow alter analyze
    annotate append apply archive ask assemble assert assign associate attach attempt augment authenticate await bind
    block bootstrap break broadcast build bulk bump cache calculate call cancel capture cast catch change check choose
    clean clear clone close coerce collapse collect combine commit compact compare compile complete compose compress
    compute concatenate configure confirm connect construct consume contain control convert copy count cover create
    cut deactivate decide decode decorate decrease decrement decrypt deduplicate default defer define delay delegate
    delete deliver deny deprecate derive describe deserialize destroy detach detect determine disable discard
    disconnect discover dispatch display distribute divide do download drain draw drop dump duplicate emit emulate
    enable encapsulate encode encrypt end enforce enqueue ensure enter enumerate equal erase escape establish estimate
    evaluate evict examine exclude execute exit expand expect expire explain export expose express extend extract
    fail fall fetch fill filter finalize find finish fire fix flag flatten flush fold follow force format forward free
    freeze freshen gather generate get give grab grant group grow guarantee guess handle hash help hide highlight hold
    hook identify ignore implement import include increase increment indent index indicate infer inform inherit
    initialize inject insert inspect install instantiate instruct intercept interpolate interpret intersect invalidate
    invert invoke issue iterate join jump keep kill launch lex limit link list listen load locate lock log look loop
    lower maintain make manage map mark mask match measure merge migrate mimic modify monitor move mutate name narrow
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
INSTRUCTIONS = VERBS | _words(
    "consider decide deploy download edit ensure follow go have make note pin read refer remember review see start"
    " try visit wait keep"
)
