/// Codes for rules across sections: CW04. The codes of one service are in its folder.
extension Code {
    package static let foreignHost = Code(
        "CW0401",
        "foreign-host",
        .warning,
        """
        An environment uses a URL at the base host of another environment. Usually an overlay was copied and a line \
        was not changed; a test deployment could then write to production.

        If the environments share the server on purpose, suppress the warning with a reason.
        """
    )
    package static let environmentParity = Code(
        "CW0402",
        "environment-parity",
        .warning,
        """
        All other environments set this key; this environment and the file do not. Usually the environment was \
        forgotten when the key was added.

        Set the key, set it to null if it is omitted on purpose, or suppress the warning with a reason.
        """
    )
    package static let noBaseURL = Code(
        "CW0403",
        "no-base-url",
        .error,
        """
        A relative URL is resolved against the base URL of the environment, and this environment has none. Write \
        'baseUrl' in the environment or at the top of the file, or make the URL absolute.
        """
    )
    package static let plainHTTP = Code(
        "CW0404",
        "plain-http",
        .error,
        """
        Traffic over http:// and ws:// is not encrypted: anyone on the network path can read and change it, tokens \
        included. Except on the loopback interface, only https:// and wss:// are accepted (OWASP MASVS-NETWORK-1, RFC \
        9700).
        """
    )

    package static let wiringCycle = Code(
        "CW0405",
        "wiring-cycle",
        .error,
        """
        The services depend on each other in a cycle, so none of them can start first. The message lists them in the \
        order of their dependencies. Remove a setting that causes one of the dependencies.
        """
    )

    package static let needsUser = Code(
        "CW0406",
        "needs-user",
        .error,
        """
        With 'needs: [user]' the work starts when a user signs in. The file has no section that signs users in, so the \
        work never starts. Add the section 'auth' with another mode than 'app', or remove 'user' from 'needs'.
        """
    )

    package static let tokenHost = Code(
        "CW0407",
        "token-host",
        .error,
        """
        Access tokens are sent to the server of the environment's base URL: the same scheme, host and port. Another \
        server could misuse the token. A request with a token is sent to another server only if 'network.tokenHosts' \
        lists it, such as push.example.com or push.example.com:8443. A request without a token can be sent to any \
        server.
        """
    )

    package static let foreignServer = Code(
        "CW0408",
        "foreign-server",
        .warning,
        """
        Requests of this section carry a token, and the server of the section is not the server of the base URL. \
        Tokens are not sent to other servers, so the requests are sent without a token. Add the server to \
        'network.tokenHosts', or set 'authenticated: false'.
        """
    )

    package static let authorizationUse = Code(
        "CW0409",
        "authorization-use",
        .error,
        """
        'authorization' selects the token of a request. It requires a request ('post') and the section 'auth'. \
        'authorization' and 'authenticated' exclude each other.
        """
    )

    static let meaningCodes: [Code] = [
        foreignHost, environmentParity, noBaseURL, plainHTTP, wiringCycle, needsUser, tokenHost, foreignServer,
        authorizationUse,
    ]
}
