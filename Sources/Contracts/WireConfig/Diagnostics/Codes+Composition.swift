/// Environments, references, includes: CW03.
extension Code {
    package static let unknownEnvironment = Code(
        "CW0301",
        "unknown-environment",
        .error,
        """
        Environments are declared under 'environments'. Whatever names one, be it 'environment', 'extends', the keys of \
        clientIds, --env or COREWIRE_ENV, must name one of those. --env also takes a URL: the default environment with that \
        base URL.
        """
    )
    package static let environmentNotCovered = Code(
        "CW0302",
        "environment-not-covered",
        .error,
        """
        A mapping keyed by environments has an entry for every declared environment. A gap would be found on the day of \
        the deployment that falls into it. An environment can also add its own entry from its overlay.
        """
    )
    package static let extendsCycle = Code(
        "CW0303",
        "extends-cycle",
        .error,
        """
        An environment that extends another is laid over it. Going round in a circle there is no first one. Break the \
        chain at the environment that needs nothing of the others.
        """
    )
    package static let badReference = Code(
        "CW0304",
        "bad-reference",
        .error,
        """
        References stand inside values: ${env:NAME}, ${env:NAME:-default}, ${file:path}, ${credential:name}. They are put \
        in after the file is parsed, so what they bring is never read as YAML. '$${' stands for the characters '${'.

        A default goes to the brace that closes its reference: braces in it stand in pairs, and it may hold references of \
        its own, which are asked for only where the default is: ${env:NAME:-${env:OTHER:-{"k": "v"}}}.

        Keys hold no references, and neither do 'include', 'environment' and 'extends': what they name must be known before \
        anything else is.
        """
    )
    package static let unresolvedReference = Code(
        "CW0305",
        "unresolved-reference",
        .error,
        """
        A reference without a default names something this deployment does not provide. It never becomes an empty text. \
        'corewire env contract ENV' lists what the environment asks for, with '--format env' as a template for a .env file.
        """
    )
    package static let includeCycle = Code(
        "CW0306",
        "include-cycle",
        .error,
        """
        A file may not include itself, directly or through others.
        """
    )
    package static let badOverride = Code(
        "CW0307",
        "bad-override",
        .error,
        """
        --set takes PATH=VALUE, the path as 'corewire explain' writes it: --set network.retries=5. The value is read as \
        YAML: --set 'auth.scopes=[openid, profile]'. An empty value (--set auth.realm=) removes what the file says, as null does. \
        An unquoted '#' begins a comment: a value that holds one is written in quotes (--set 'app.name="#1 Tasks"').
        """
    )
    package static let defaultEnvironment = Code(
        "CW0308",
        "default-environment",
        .error,
        """
        Where a file declares environments, 'environment' says which of them runs when nobody chooses one with --env or \
        COREWIRE_ENV. Guessing would one day choose production.
        """
    )
    package static let unknownLint = Code(
        "CW0309",
        "unknown-lint",
        .error,
        """
        'allow' maps names of warnings to the reason why they are right in this file. Errors cannot be allowed. The name \
        stands in the brackets of each warning.
        """
    )
    package static let unusedAllow = Code(
        "CW0310",
        "unused-allow",
        .warning,
        """
        The warning that is allowed here does not occur any more. Remove the line, so that it cannot hide a later mistake.
        """
    )
    package static let mixedEnvironment = Code(
        "CW0311",
        "mixed-environment",
        .error,
        """
        An environment with 'backend: embedded' has no outside server at all: issuer, push registry, GraphQL and content \
        come from corewire itself. One absolute URL to somewhere else would mix test data with real data. Make the URL \
        relative, remove it in this environment (null), or use another backend.
        """
    )
    package static let noStandIn = Code(
        "CW0312",
        "no-stand-in",
        .error,
        """
        In an environment with 'backend: embedded' nothing is sent to a server that the file names for all environments. \
        For most addresses a built-in server stands in; this one has none. Write an address of this machine, or a path of \
        a built-in server (inbox, echo), at the same key of the environment, or null to do without it there.
        """
    )

    static let compositionCodes: [Code] = [
        unknownEnvironment, environmentNotCovered, extendsCycle, badReference, unresolvedReference, includeCycle,
        badOverride, defaultEnvironment, unknownLint, unusedAllow, mixedEnvironment, noStandIn,
    ]
}
