/// Codes for rules across sections: CW04. The codes of one service are in its folder.
extension Code {
    package static let foreignHost = Code(
        "CW0401",
        "foreign-host",
        .warning,
        """
        An environment uses a URL at the base host of another environment. Usually an overlay was copied and one line \
        not changed; a test deployment would then write to production, or the other way round.

        If several environments share a server on purpose, allow the warning with the reason.
        """
    )
    package static let environmentParity = Code(
        "CW0402",
        "environment-parity",
        .warning,
        """
        All other environments set this key; this environment and the file do not. Usually the environment was \
        forgotten when the key was added.

        Write the key, write null where it is left out on purpose, or allow the warning with the reason.
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
        Each of these services needs another one of them before it can start, so none can be first. The message names \
        them in the order of their dependencies. Remove one of the settings that cause a dependency.
        """
    )

    package static let needsUser = Code(
        "CW0406",
        "needs-user",
        .error,
        """
        With 'needs: [user]' work begins when a user signs in. No section of the file signs users in, so the work \
        would never begin. Add the section 'auth', with another mode than 'app', or remove the need.
        """
    )

    package static let tokenHost = Code(
        "CW0407",
        "token-host",
        .error,
        """
        Access tokens are sent to the server of the environment's base URL: the same scheme, host and port. Another \
        server could use a token in the user's name. A request with a token is sent there only if 'network.tokenHosts' \
        names the server, such as push.example.com or push.example.com:8443. A request without a token can be sent to \
        any server.
        """
    )

    package static let foreignServer = Code(
        "CW0408",
        "foreign-server",
        .warning,
        """
        Requests of this section have a token unless the section says 'authenticated: false', and its server is not \
        the one of the base URL. Tokens are not sent to other servers, so the requests are sent without one. Name the \
        server in 'network.tokenHosts', or write 'authenticated: false'.
        """
    )

    package static let authorizationUse = Code(
        "CW0409",
        "authorization-use",
        .error,
        """
        'authorization' selects the token of a request. It needs a request ('post') and a section that provides tokens \
        ('auth'). It replaces 'authenticated': only one of the two is allowed.
        """
    )

    static let meaningCodes: [Code] = [
        foreignHost, environmentParity, noBaseURL, plainHTTP, wiringCycle, needsUser, tokenHost, foreignServer,
        authorizationUse,
    ]
}
