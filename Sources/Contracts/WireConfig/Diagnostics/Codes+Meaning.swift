/// What the sections say together: CW04. The rules of one service have their codes in its folder.
extension Code {
    package static let foreignHost = Code(
        "CW0401",
        "foreign-host",
        .warning,
        """
        An environment uses a URL at the host that is the base URL of another environment. Most often an overlay was copied \
        and one line forgotten, and a test deployment then writes to production, or the other way round.

        If several environments share a server on purpose, allow it with the reason.
        """
    )
    package static let environmentParity = Code(
        "CW0402",
        "environment-parity",
        .warning,
        """
        All the other environments set this key, this one does not, and neither does the file. An environment that differs \
        from its siblings by leaving something out was most often forgotten when the key was added.

        Write the key, write null where it is left out on purpose, or allow the warning with the reason.
        """
    )
    package static let noBaseURL = Code(
        "CW0403",
        "no-base-url",
        .error,
        """
        A relative URL is resolved against the base URL of the environment. This environment has none. Write 'baseUrl' in \
        the environment or at the top of the file, or make the URL absolute.
        """
    )
    package static let plainHTTP = Code(
        "CW0404",
        "plain-http",
        .error,
        """
        What goes over http:// or ws:// can be read and changed by everybody on the way, tokens first. Outside the loopback \
        interface only https:// and wss:// are accepted (OWASP MASVS-NETWORK-1, RFC 9700).
        """
    )

    package static let wiringCycle = Code(
        "CW0405",
        "wiring-cycle",
        .error,
        """
        Each of these services needs another one of them before it can start, so none can be the first. The message names \
        them in the order they ask for each other. Take out one of the settings by which one needs the next.
        """
    )

    package static let needsUser = Code(
        "CW0406",
        "needs-user",
        .error,
        """
        With 'needs: [user]' work begins when a user signs in. No section of the file signs users in, so it would never \
        begin. Add the section 'auth', with another mode than 'app', or remove the need.
        """
    )

    package static let tokenHost = Code(
        "CW0407",
        "token-host",
        .error,
        """
        Access tokens are given to the server of the environment's base URL: the same scheme, host and port. Any other server \
        could use a token in the user's name, so a request that asks for one is sent there only if 'network.tokenHosts' names \
        the server, as push.example.com or push.example.com:8443. A request that asks for none is sent to any server, without \
        a token.
        """
    )

    package static let foreignServer = Code(
        "CW0408",
        "foreign-server",
        .warning,
        """
        The section carries a token unless it says 'authenticated: false', and its server is not the one of the base URL. No \
        token goes to another server, so the requests are sent without one. Name the server in 'network.tokenHosts', or say \
        'authenticated: false'.
        """
    )

    package static let authorizationUse = Code(
        "CW0409",
        "authorization-use",
        .error,
        """
        'authorization' says whose token a request carries. It needs a request that carries it ('post'), a section that gives \
        tokens ('auth'), and takes the place of 'authenticated': only one of the two may be given.
        """
    )

    static let meaningCodes: [Code] = [
        foreignHost, environmentParity, noBaseURL, plainHTTP, wiringCycle, needsUser, tokenHost, foreignServer,
        authorizationUse,
    ]
}
