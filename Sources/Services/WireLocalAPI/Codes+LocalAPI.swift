import WireConfig

/// The local API: CW22.
extension Code {
    static let noDoor = Code(
        "CW2201",
        "api-unreachable",
        .error,
        """
        Apps, the console and the program 'corewire' itself speak to a runner through its socket or its loopback address. \
        With neither, the runner can be started and stopped and nothing else.
        """
    )
    static let notLoopback = Code(
        "CW2202",
        "api-not-local",
        .error,
        """
        The local API hands out tokens and user data. It speaks plain HTTP, because nothing leaves the machine, so it \
        listens on 127.0.0.1 and [::1] only. Where other machines must reach it, put a server with TLS and a sign-in of \
        its own in front of it.
        """
    )
    static let withoutListen = Code(
        "CW2203",
        "without-listen",
        .warning,
        """
        Console, tokens, names and origins belong to the loopback address: on the socket the kernel says who calls. \
        Without 'listen' there is no such address, and the key has no effect.
        """
    )
    static let hostWildcard = Code(
        "CW2204",
        "host-wildcard",
        .error,
        """
        A web page can make a name of its own lead to 127.0.0.1 and then call this machine from a browser (DNS rebinding). \
        What stops it is that the name in the request must be on the list, word for word.
        """
    )
    static let plainOrigin = Code(
        "CW2205",
        "plain-origin",
        .warning,
        """
        A page that comes over http:// can be changed on the way, by an access point for instance, and what was put into \
        it may then call the local API. Serve the page over https:// or from this machine.
        """
    )
    static let openToAll = Code(
        "CW2206",
        "open-to-all",
        .warning,
        """
        Whoever may write may also ask for tokens, and act as the signed-in user. On a machine where every process belongs \
        to the app this can be right; then allow the warning with the reason.
        """
    )
    static let unusedAccess = Code(
        "CW2207",
        "unused-access",
        .warning,
        """
        'access' says who may use the socket besides root and the user the runner belongs to. Who may write may read as \
        well. Where there is no socket there is nothing to say; at the loopback address the token decides.
        """
    )
    static let connectionLimits = Code(
        "CW2208",
        "connection-limits",
        .error,
        """
        The connections of one user are a part of all connections. A limit beyond the whole never has an effect, and one \
        user can then keep out all others.
        """
    )

    static let localAPICodes: [Code] = [
        noDoor, notLoopback, withoutListen, hostWildcard, plainOrigin, openToAll, unusedAccess, connectionLimits,
    ]
}
