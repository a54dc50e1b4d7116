import WireConfig

/// The embedded servers: CW23.
extension Code {
    static let unusedBackends = Code(
        "CW2301",
        "unused-backends",
        .warning,
        """
        The embedded servers run in environments with 'backend: embedded'. This file has none, so the section is read and \
        nothing comes of it.
        """
    )
    static let openBackends = Code(
        "CW2302",
        "open-backends",
        .warning,
        """
        The embedded servers are for development: they believe what they are told, and with no password given they accept \
        any. On an address other than 127.0.0.1 or [::1] everybody in the network can use them. For a phone that must \
        reach them that is the purpose; then allow the warning with the reason.
        """
    )
    static let sameAddress = Code(
        "CW2303",
        "same-address",
        .error,
        """
        Two servers cannot listen at one address. Servers without an address of their own share the common one, each below \
        a path of its own, so most files need none.
        """
    )
    static let sameEmail = Code(
        "CW2304",
        "same-email",
        .warning,
        """
        Users sign in with their name or their address. With one address for two of them, the first one listed is meant.
        """
    )
    static let nobodyToSignIn = Code(
        "CW2305",
        "nobody-to-sign-in",
        .error,
        """
        'signIn: automatic' signs in the first user that is not blocked. Where all are, every sign-in fails; to try that, \
        write 'signIn: page'.
        """
    )
    static let dataWithoutSchema = Code(
        "CW2306",
        "data-without-schema",
        .error,
        """
        The GraphQL server is made from its schema; data fill the fields it names. Without a schema there is no server.
        """
    )

    static let badClaims = Code(
        "CW2307",
        "bad-claims",
        .error,
        """
        Claims are names with values, put into the ID token and the answer of the userinfo endpoint. Those that say who \
        made the token, for whom and for how long (iss, sub, aud, exp …) follow from the request; with others the runner \
        would rightly refuse the token. Names, addresses and roles have keys of their own.
        """
    )

    static let badRedirect = Code(
        "CW2308",
        "bad-redirect",
        .error,
        """
        The identity server sends users back to exactly the URIs it knows. They are absolute, have no fragment and no user \
        name (RFC 6749, section 3.1.2), and lead to an app or a server, never into the browser itself (javascript:, data:).
        """
    )

    static let badContent = Code(
        "CW2309",
        "bad-content",
        .error,
        """
        The content server is filled from a folder: a YAML or JSON file for each module, with its fields and its instances. \
        Instances hold the fields of their module and no others, each of its type; a field of type 'relation' names \
        instances of another module by their keys.
        """
    )

    static let badGraphQL = Code(
        "CW2310",
        "bad-graphql",
        .error,
        """
        The GraphQL server is made from a schema in SDL. Types marked with '@model' are kept: each has a key, and fields that \
        are scalars, enums or models. Its data are a YAML or JSON file: the objects of each model, whose values fit its \
        fields; for a schema without models the answers of each operation, below 'operations'.
        """
    )

    static let backendsCodes: [Code] = [
        unusedBackends, openBackends, sameAddress, sameEmail, nobodyToSignIn, dataWithoutSchema,
        badClaims, badRedirect, badContent, badGraphQL,
    ]
}
