/// What the servers do not agree with, found with `--online`: CW06.
extension Code {
    package static let unreachableServer = Code(
        "CW0601",
        "unreachable-server",
        .error,
        in: .servers,
        """
        A server that the file names does not answer as a server: its name has no address, nobody listens, nothing came in \
        time, or what came is no HTTP. The question was asked from the machine 'validate-config --online' ran on, through the \
        proxy its environment names; a deployment inside another network may see more, or less.
        """
    )
    package static let untrustedCertificate = Code(
        "CW0602",
        "untrusted-certificate",
        .error,
        in: .servers,
        """
        A server that the file names has no certificate that can be believed: it is over, for another host, by an authority \
        nobody here knows, or the handshake failed. No request is ever sent to such a server. Authorities of your own are \
        named by CURL_CA_BUNDLE, else SSL_CERT_FILE, a file in PEM; where they are missing here, they are missing for the runner, too.
        """
    )
    package static let endingCertificate = Code(
        "CW0603",
        "ending-certificate",
        .warning,
        in: .servers,
        """
        The certificate of the server holds for less than 30 days. Whoever renews them by a machine does so before that; from \
        its end on nothing is sent to the server. Where certificates are meant to live for days only, allow the warning.
        """
    )
    package static let unpinnedKey = Code(
        "CW0604",
        "pin-mismatch",
        .error,
        in: .servers,
        """
        The file pins keys for the host, and the one it has now is none of them, so the runner would not speak to it. Either \
        the key was replaced, then the pins have to follow, or somebody stands in between. Ask whoever runs the server which \
        it is; do not copy the new key into the file just because it was served.
        """
    )
    package static let notAsked = Code(
        "CW0605",
        "not-asked",
        .note,
        in: .servers,
        """
        The value stands for something that is not here: a variable that is not set, a file, a credential. What it would have \
        named was not asked, so nothing is known of it. Set it where the check runs, if it is no secret; secrets are never \
        needed for the check.
        """
    )
    package static let noTimeToAsk = Code(
        "CW0606",
        "no-time-to-ask",
        .error,
        in: .servers,
        """
        The time for all questions together was over before the server was asked, because others took theirs. Those that did \
        not answer are told as such; 'validate-config --online --online-timeout 60s' gives more time.
        """
    )

    static let onlineCodes: [Code] = [
        unreachableServer, untrustedCertificate, endingCertificate, unpinnedKey, notAsked, noTimeToAsk,
    ]
}
