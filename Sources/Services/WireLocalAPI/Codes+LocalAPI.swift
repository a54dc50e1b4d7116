import WireConfig

/// The local API: CW22.
extension Code {
    static let noListener = Code(
        "CW2201",
        "api-unreachable",
        .error,
        """
        Apps, the console and the program 'corewire' connect to a runner through its socket or its loopback address. \
        With neither, the runner can only be started and stopped.
        """
    )
    static let notLoopback = Code(
        "CW2202",
        "api-not-local",
        .error,
        """
        The local API returns tokens and user data over plain HTTP, so it listens on 127.0.0.1 and [::1] only. To make \
        it available to other machines, use a reverse proxy with TLS and authentication.
        """
    )
    static let withoutListen = Code(
        "CW2203",
        "without-listen",
        .warning,
        """
        Console, tokens, host names and origins apply to the loopback address; at the socket the kernel identifies \
        callers. Without 'listen' the key has no effect.
        """
    )
    static let hostWildcard = Code(
        "CW2204",
        "host-wildcard",
        .error,
        """
        A web page can resolve its own name to 127.0.0.1 and then call this machine from a browser (DNS rebinding). To \
        prevent that, the list must contain the exact host of a request.
        """
    )
    static let plainOrigin = Code(
        "CW2205",
        "plain-origin",
        .warning,
        """
        A page over http:// can be modified in transit, and injected code could call the local API. Serve the page \
        over https:// or from this machine.
        """
    )
    static let openToAll = Code(
        "CW2206",
        "open-to-all",
        .warning,
        """
        A caller with the right to write can get tokens and act as the signed-in user. If all processes of the machine \
        belong to the app, suppress the warning with a reason.
        """
    )
    static let unusedAccess = Code(
        "CW2207",
        "unused-access",
        .warning,
        """
        'access' lists the callers of the socket besides root and the runner's user. The right to write includes the \
        right to read. Without a socket, 'access' has no effect; at the loopback address the token decides.
        """
    )
    static let connectionLimits = Code(
        "CW2208",
        "connection-limits",
        .error,
        """
        The limit for one user is above the limit for all connections, and so has no effect: one user can use all \
        connections.
        """
    )

    static let localAPICodes: [Code] = [
        noListener, notLoopback, withoutListen, hostWildcard, plainOrigin, openToAll, unusedAccess, connectionLimits,
    ]
}
