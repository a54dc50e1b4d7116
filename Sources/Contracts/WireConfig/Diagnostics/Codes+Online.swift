/// Codes for differences from the servers, found with `--online`: CW06.
extension Code {
    package static let unreachableServer = Code(
        "CW0601",
        "unreachable-server",
        .error,
        in: .servers,
        """
        A server named in the file does not respond: its host name cannot be resolved, no process listens, the request \
        timed out, or the response is not HTTP. The request was sent from the machine that ran 'validate-config \
        --online', through the proxy of its environment; results in another network may differ.
        """
    )
    package static let untrustedCertificate = Code(
        "CW0602",
        "untrusted-certificate",
        .error,
        in: .servers,
        """
        The certificate of a server named in the file is not trusted: it has expired, is for another host, is issued \
        by an unknown authority, or the handshake failed. The runner sends no requests to such a server. Set your \
        certificate authorities with CURL_CA_BUNDLE or SSL_CERT_FILE (a PEM file); the runner needs the same variable.
        """
    )
    package static let endingCertificate = Code(
        "CW0603",
        "ending-certificate",
        .warning,
        in: .servers,
        """
        The certificate of the server expires in less than 30 days. Automatic renewal usually happens earlier. After \
        the expiry no request is sent to the server. If certificates of the server have a lifetime of days, suppress \
        the warning.
        """
    )
    package static let unpinnedKey = Code(
        "CW0604",
        "pin-mismatch",
        .error,
        in: .servers,
        """
        The current key of the host matches none of its pins, so the runner would not connect. Either the key was \
        replaced and the pins must be updated, or the connection is intercepted. Ask the operator of the server; do \
        not copy the new key into the file only because it was served.
        """
    )
    package static let notAsked = Code(
        "CW0605",
        "not-asked",
        .note,
        in: .servers,
        """
        The value contains a reference that cannot be resolved here: an unset variable, a missing file or credential. \
        The server was not checked. Set the value where the check runs; the check needs no secrets but those of \
        'persistence.store' and its key.
        """
    )
    package static let noTimeToAsk = Code(
        "CW0606",
        "no-time-to-ask",
        .error,
        in: .servers,
        """
        The total timeout ended before this server was checked. Servers that did not respond are reported separately; \
        use a longer timeout: 'validate-config --online --online-timeout 60s'.
        """
    )

    static let onlineCodes: [Code] = [
        unreachableServer, untrustedCertificate, endingCertificate, unpinnedKey, notAsked, noTimeToAsk,
    ]
}
