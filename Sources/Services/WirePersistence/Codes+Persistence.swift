import WireConfig

/// What apps store: CW24.
extension Code {
    static let namespaceSize = Code(
        "CW2401",
        "namespace-size",
        .error,
        """
        Three limits hold at once: of a single value, of a namespace, and of all namespaces together. Each must leave room \
        for the one before it, or it is the only one that ever has an effect.
        """
    )
    static let noNamespaces = Code(
        "CW2402",
        "no-namespaces",
        .warning,
        """
        With 'onlyDeclared: true' apps may use the namespaces that are listed, and none is. Every write is refused.
        """
    )
    static let storeKey = Code(
        "CW2403",
        "store-key",
        .error,
        """
        The store seals with AES-256-GCM, so its key has 32 bytes, written in base64: 'openssl rand -base64 32' makes one. \
        To change it, give the new one as 'key' and the former one as 'previousKey' until every process of the group has \
        been started once and the event 'state.resealed' has told that nothing is left.
        """
    )

    static let namespaceCount = Code(
        "CW2404",
        "namespace-count",
        .error,
        """
        An environment has as many namespaces as 'maxNamespaces' lets it, and all of them together as many as \
        'maxNamespacesTogether'. Where the first is more than the second, it never has an effect. Write both.
        """
    )

    static let persistenceCodes: [Code] = [namespaceSize, noNamespaces, storeKey, namespaceCount]
}
