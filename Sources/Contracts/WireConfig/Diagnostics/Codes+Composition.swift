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
        A mapping keyed by environments needs an entry for every declared environment; otherwise the missing entry \
        would be noticed only at deployment. An environment can also add its own entry in its overlay.
        """
    )
    package static let extendsCycle = Code(
        "CW0303",
        "extends-cycle",
        .error,
        """
        An environment that extends another overrides its values. The environments extend each other in a cycle. \
        Remove 'extends' from one of them.
        """
    )
    package static let badReference = Code(
        "CW0304",
        "bad-reference",
        .error,
        """
        References are written inside values: ${env:NAME}, ${env:NAME:-default}, ${file:path}, ${credential:name}. \
        They are resolved after the file is parsed, so their values are never parsed as YAML. Write '$${' for the \
        characters '${'.

        A default ends at the closing brace of its reference. Braces in a default must be balanced. A default may \
        contain references, which are resolved only if the default is used: ${env:NAME:-${env:OTHER:-{"k": "v"}}}.

        Keys and the values of 'include', 'environment' and 'extends' cannot contain references, because they are \
        needed before references are resolved.
        """
    )
    package static let unresolvedReference = Code(
        "CW0305",
        "unresolved-reference",
        .error,
        """
        The deployment does not provide the value of a reference without a default. The reference is never replaced by \
        an empty text. 'corewire env contract ENV' lists all references of the environment; '--format env' prints them \
        as a template for a .env file.
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
        corewire does not choose one, because it could choose production.
        """
    )
    package static let unknownLint = Code(
        "CW0309",
        "unknown-lint",
        .error,
        """
        'allow' maps the names of suppressed warnings to a reason. Errors cannot be suppressed. Each warning prints \
        its name in brackets.
        """
    )
    package static let unusedAllow = Code(
        "CW0310",
        "unused-allow",
        .warning,
        """
        The suppressed warning no longer occurs. Remove the entry, so that it does not hide a later warning.
        """
    )
    package static let mixedEnvironment = Code(
        "CW0311",
        "mixed-environment",
        .error,
        """
        An environment with 'backend: embedded' uses embedded servers for identity, push, GraphQL and content. An \
        absolute URL of another server would mix test data with real data. Make the URL relative, remove it in this \
        environment (null), or use another backend.
        """
    )
    package static let noStandIn = Code(
        "CW0312",
        "no-stand-in",
        .error,
        """
        In an environment with 'backend: embedded' no request is sent to a server that the file sets for all \
        environments. Most URLs are replaced by an embedded server; this URL has none. Set the same key in the \
        environment to a URL of this machine, a path of an embedded server (inbox, echo), or null.
        """
    )

    static let compositionCodes: [Code] = [
        unknownEnvironment, environmentNotCovered, extendsCycle, badReference, unresolvedReference, includeCycle,
        badOverride, defaultEnvironment, unknownLint, unusedAllow, mixedEnvironment, noStandIn,
    ]
}
