import WireConfig

/// The embedded servers: CW23.
extension Code {
    static let unusedBackends = Code(
        "CW2301",
        "unused-backends",
        .warning,
        """
        The embedded servers run in environments with 'backend: embedded'. This file has no such environment, so the section \
        has no effect.
        """
    )
    static let openBackends = Code(
        "CW2302",
        "open-backends",
        .warning,
        """
        The embedded servers are for development: they verify little, and a user without a password may sign in with \
        any. On an address other than 127.0.0.1 or [::1] every machine of the network can use them. If a phone must \
        reach them, allow the warning with that reason.
        """
    )
    static let sameAddress = Code(
        "CW2303",
        "same-address",
        .error,
        """
        Two servers cannot listen at one address. Servers without an address of their own share 'backends.listen', each below \
        a path of its own, so most files need none.
        """
    )
    static let sameEmail = Code(
        "CW2304",
        "same-email",
        .warning,
        """
        Users sign in with their name or their email address. An address of two users signs in the first one listed.
        """
    )
    static let noUserToSignIn = Code(
        "CW2305",
        "nobody-to-sign-in",
        .error,
        """
        'signIn: automatic' signs in the first user that is not blocked. If all are blocked, every sign-in fails; to test that, \
        write 'signIn: page'.
        """
    )
    static let dataWithoutSchema = Code(
        "CW2306",
        "data-without-schema",
        .error,
        """
        The GraphQL server is built from its schema, and the data file fills the schema's fields. Set 'schema', or remove 'data'.
        """
    )

    static let badClaims = Code(
        "CW2307",
        "bad-claims",
        .error,
        """
        Claims are names with values, added to the ID token and the userinfo response. The claims for issuer, \
        subject, audience and lifetime (iss, sub, aud, exp …) follow from the request; with other values the runner \
        would refuse the token. Names, email addresses and roles have their own keys.
        """
    )

    static let badRedirect = Code(
        "CW2308",
        "bad-redirect",
        .error,
        """
        The identity server redirects users to registered URIs only. They are absolute, have no fragment and no user \
        name (RFC 6749, section 3.1.2), and lead to an app or a server, never into the browser itself (javascript:, data:).
        """
    )

    static let badContent = Code(
        "CW2309",
        "bad-content",
        .error,
        """
        The content server is filled from a folder: a YAML or JSON file for each module, with its fields and its instances. \
        Instances hold the fields of their module and no others, each of its type; a field of type 'relation' refers to \
        instances of another module by their keys.
        """
    )

    static let badGraphQL = Code(
        "CW2310",
        "bad-graphql",
        .error,
        """
        The GraphQL server is built from a schema in SDL. Types with '@model' are stored: each has a key, and fields that \
        are scalars, enums or models. Its data file is YAML or JSON: the objects of each model, whose values fit its \
        fields; for a schema without models the results of each operation, below 'operations'.
        """
    )

    static let backendsCodes: [Code] = [
        unusedBackends, openBackends, sameAddress, sameEmail, noUserToSignIn, dataWithoutSchema,
        badClaims, badRedirect, badContent, badGraphQL,
    ]
}
