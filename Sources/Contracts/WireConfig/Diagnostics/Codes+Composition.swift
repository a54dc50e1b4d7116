/// Codes for environments, references and includes: CW03.
extension Code {
    package static let unknownEnvironment = Code(
        "CW0301",
        "unknown-environment",
        .error,
        """
        Environments are declared under 'environments'. Every name of an environment must be one of those: in \
        'environment', in 'extends', in the keys of clientIds, in --env and in COREWIRE_ENV. --env also accepts a URL: \
        it runs the default environment with that base URL.
        """
    )
    package static let environmentNotCovered = Code(
        "CW0302",
        "environment-not-covered",
        .error,
        """
        A mapping keyed by environments needs an entry for every declared environment; otherwise the gap would be \
        found only at a deployment. An environment can also add its own entry in its overlay.
        """
    )
    package static let extendsCycle = Code(
        "CW0303",
        "extends-cycle",
        .error,
        """
        An environment that extends another overrides its values. In a cycle there is no first environment. Remove \
        'extends' from the environment that needs nothing of the others.
        """
    )
    package static let badReference = Code(
        "CW0304",
        "bad-reference",
        .error,
        """
        References are written inside values: ${env:NAME}, ${env:NAME:-default}, ${file:path}, ${credential:name}. \
        They are resolved after the file is parsed, so their values are never read as YAML. '$${' stands for the \
        characters '${'.

        A default ends at the brace that closes its reference. Braces in a default must be balanced. A default may \
        contain references, which are resolved only where the default is used: ${env:NAME:-${env:OTHER:-{"k": "v"}}}.

        Keys and the values of 'include', 'environment' and 'extends' cannot contain references, because they are \
        needed before references are resolved.
        """
    )
    package static let unresolvedReference = Code(
        "CW0305",
        "unresolved-reference",
        .error,
        """
        A reference without a default names a value that this deployment does not provide. It is never replaced by an \
        empty text. 'corewire env contract ENV' lists all references of the environment; '--format env' prints them as \
        a template for a .env file.
        """
    )
    package static let includeCycle = Code(
        "CW0306",
        "include-cycle",
        .error,
        """
        A file must not include itself, directly or through other files.
        """
    )
    package static let badOverride = Code(
        "CW0307",
        "bad-override",
        .error,
        """
        --set needs PATH=VALUE, with the path as 'corewire explain' prints it: --set network.retries=5. The value is \
        read as YAML: --set 'auth.scopes=[openid, profile]'. An empty value (--set auth.realm=) removes the value of \
        the file, as null does. An unquoted '#' begins a comment: quote a value that contains one (--set 'app.name="#1 \
        Tasks"').
        """
    )
    package static let defaultEnvironment = Code(
        "CW0308",
        "default-environment",
        .error,
        """
        A file with environments needs 'environment', which names the one to run without --env or COREWIRE_ENV. \
        corewire does not guess, because a guess could select production.
        """
    )
    package static let unknownLint = Code(
        "CW0309",
        "unknown-lint",
        .error,
        """
        'allow' maps names of warnings to the reason why they are acceptable in this file. Errors cannot be allowed. \
        The name is in the brackets of each warning.
        """
    )
    package static let unusedAllow = Code(
        "CW0310",
        "unused-allow",
        .warning,
        """
        The allowed warning does not occur any more. Remove the line, so that it cannot hide a later mistake.
        """
    )
    package static let mixedEnvironment = Code(
        "CW0311",
        "mixed-environment",
        .error,
        """
        An environment with 'backend: embedded' uses no outside server: identity server, push registry, GraphQL and \
        content are embedded in corewire. An absolute URL to another server would mix test data with real data. Make \
        the URL relative, remove it in this environment (null), or use another backend.
        """
    )
    package static let noStandIn = Code(
        "CW0312",
        "no-stand-in",
        .error,
        """
        In an environment with 'backend: embedded' no request is sent to a server that the file names for all \
        environments. Most addresses have an embedded server that replaces them; this one has none. At the same key of \
        the environment, write an address of this machine, a path of an embedded server (inbox, echo), or null to \
        disable it there.
        """
    )

    static let compositionCodes: [Code] = [
        unknownEnvironment, environmentNotCovered, extendsCycle, badReference, unresolvedReference, includeCycle,
        badOverride, defaultEnvironment, unknownLint, unusedAllow, mixedEnvironment, noStandIn,
    ]
}
