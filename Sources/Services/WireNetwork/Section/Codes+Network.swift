import WireConfig

/// Requests: CW11.
extension Code {
    static let backoffOrder = Code(
        "CW1101",
        "backoff-order",
        .error,
        """
        The waits between repetitions begin with 'first' and double until they reach 'max'. A first wait beyond the \
        longest one cannot be doubled.
        """
    )
    static let connectTimeout = Code(
        "CW1102",
        "connect-timeout",
        .warning,
        """
        'timeout' covers the whole request, the connection included. A connection that may take longer than the request \
        is cut off by it, and 'connectTimeout' never has an effect.
        """
    )
    static let headerField = Code(
        "CW1103",
        "header-field",
        .error,
        """
        'headers' are added to every request to the base URL. Fields that follow from the request, the connection or the \
        token are set by corewire; a second one would contradict the first, and some servers and proxies then \
        disagree about where a request ends. A value is one line of text.
        """
    )
    static let secretHeader = Code(
        "CW1104",
        "secret-header",
        .warning,
        """
        Values of 'headers' are plain text, shown by 'explain', 'env show' and the local API. Keys and tokens \
        have keys of their own in the sections that use them, and those are never shown. If the value is public, allow \
        the warning with the reason.
        """
    )
    static let duplicatePin = Code(
        "CW1105",
        "duplicate-pin",
        .warning,
        """
        The same key is pinned twice for one host. Most often the second was meant to be the backup key and the hash of \
        the first was copied.
        """
    )
    static let noBackupPin = Code(
        "CW1106",
        "no-backup-pin",
        .warning,
        """
        A host with one pin becomes unreachable on the day its key changes, for every installation that still has this \
        file. Pin a second key that is kept offline (RFC 7469, section 4.3, requires one); the server moves to it when \
        the first is lost. If all installations can be updated at once, allow the warning with the reason.
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
        A pin is compared with the key the host shows during the TLS handshake. A host without TLS \
        shows none, so an attacker in between could bypass the pin.
        """
    )

    static let proxyLogin = Code(
        "CW1109",
        "proxy-login",
        .error,
        """
        'proxyUser' and 'proxyPassword' are sent only to the proxy that 'proxy' names. One without the \
        other, or without a proxy, would never be used.
        """
    )

    static let networkCodes: [Code] = [
        backoffOrder, connectTimeout, headerField, secretHeader, duplicatePin, noBackupPin, plainWildcard,
        pinnedPlainHost, proxyLogin,
    ]
}
