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
        The embedded servers are for development: they perform few checks, and a user without a password may sign in \
        with any password. At an address other than 127.0.0.1 or [::1], other machines of the network can use them. If \
        a phone must reach them, suppress the warning with that reason.
        """
    )
    static let sameAddress = Code(
        "CW2303",
        "same-address",
        .error,
        """
        Two servers cannot listen at the same address. Servers without 'listen' share the address of \
        'backends.listen', each below its own path.
        """
    )
    static let sameEmail = Code(
        "CW2304",
        "same-email",
        .warning,
        """
        Users sign in with their name or their email address. If two users have the same email address, the first one \
        is signed in.
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
        Claims are names with values, added to the ID token and the userinfo response. The claims for issuer, subject, \
        audience and lifetime (iss, sub, aud, exp …) follow from the request; the runner would reject a token with \
        other values. Names, email addresses and roles have their own keys.
        """
    )

    static let badRedirect = Code(
        "CW2308",
        "bad-redirect",
        .error,
        """
        The identity server redirects users to registered URIs only. A redirect URI is absolute, has no fragment and \
        no user name (RFC 6749, section 3.1.2), and does not have a scheme that the browser itself handles \
        (javascript:, data:).
        """
    )

    static let badContent = Code(
        "CW2309",
        "bad-content",
        .error,
        """
        The content server is filled from a folder: a YAML or JSON file for each module, with its fields and its \
        instances. Instances have only the fields of their module, each with a value of its type; a field of type \
        'relation' refers to instances of another module by their keys.
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
