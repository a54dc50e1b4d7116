import WireConfig

/// Requests: CW11.
extension Code {
    static let backoffOrder = Code(
        "CW1101",
        "backoff-order",
        .error,
        """
        The pause between retries starts at 'first' and doubles up to 'max', so 'first' cannot be greater than 'max'.
        """
    )
    static let connectTimeout = Code(
        "CW1102",
        "connect-timeout",
        .warning,
        """
        'timeout' covers the whole request, the connection included. 'connectTimeout' has no effect if it is longer \
        than 'timeout'.
        """
    )
    static let headerField = Code(
        "CW1103",
        "header-field",
        .error,
        """
        'headers' are added to every request to the base URL. corewire sets the fields of the request, the connection \
        and the token; a second value could make servers and proxies disagree about the end of a request. A value is a \
        single line of text.
        """
    )
    static let secretHeader = Code(
        "CW1104",
        "secret-header",
        .warning,
        """
        Values of 'headers' are plain text, shown by 'explain', 'env show' and the local API. Set credentials with the \
        keys of the sections that use them, whose values are never shown. If the value is public, suppress the warning \
        with a reason.
        """
    )
    static let duplicatePin = Code(
        "CW1105",
        "duplicate-pin",
        .warning,
        """
        The same key is pinned twice for one host. Usually the second pin was meant for the backup key, and the hash \
        of the first was copied.
        """
    )
    static let noBackupPin = Code(
        "CW1106",
        "no-backup-pin",
        .warning,
        """
        A host with one pin becomes unreachable on the day its key changes, for every installation that still has this \
        file. Pin a second key that is kept offline (RFC 7469, section 4.3, requires one); the server uses it when the \
        first key is lost. If all installations can be updated at once, suppress the warning with a reason.
        """
    )
    static let plainWildcard = Code(
        "CW1107",
        "plain-wildcard",
        .error,
        """
        Requests without TLS are an exception for single hosts inside a closed network. A wildcard would allow them \
        for all future hosts below that name.
        """
    )
    static let pinnedPlainHost = Code(
        "CW1108",
        "pinned-plain-host",
        .error,
        """
        A pin is compared with the key of the host in the TLS handshake. A host without TLS has no key, so an attacker \
        could bypass the pin.
        """
    )

    static let proxyLogin = Code(
        "CW1109",
        "proxy-login",
        .error,
        """
        'proxyUser' and 'proxyPassword' are sent only to the proxy that 'proxy' names. They have no effect without \
        each other, or without a proxy.
        """
    )

    static let duplicateCertificate = Code(
        "CW1110",
        "duplicate-certificate",
        .error,
        """
        A server gets one client certificate. An entry for a host takes precedence over one for its domain \
        ('*.example.com'), but two entries for the same host contradict each other.
        """
    )

    static let networkCodes: [Code] = [
        backoffOrder, connectTimeout, headerField, secretHeader, duplicatePin, noBackupPin, plainWildcard,
        pinnedPlainHost, proxyLogin, duplicateCertificate,
    ]
}
