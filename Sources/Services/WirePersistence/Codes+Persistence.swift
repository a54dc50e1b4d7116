import WireConfig

/// The app's store: CW24.
extension Code {
    static let namespaceSize = Code(
        "CW2401",
        "namespace-size",
        .error,
        """
        Three limits apply: to a single value, to a namespace, and to all namespaces together. Each must be at least \
        as large as the one before it, which otherwise never has an effect.
        """
    )
    static let noNamespaces = Code(
        "CW2402",
        "no-namespaces",
        .warning,
        """
        With 'onlyDeclared: true' apps may use only listed namespaces, and none is listed. Every write is rejected.
        """
    )
    static let storeKey = Code(
        "CW2403",
        "store-key",
        .error,
        """
        The store is encrypted with AES-256-GCM, so its key has 32 bytes, in base64: 'openssl rand -base64 32' \
        generates one. To change it, set the new one as 'key' and the former one as 'previousKey' until every \
        process of the group has restarted once and the event 'state.resealed' has reported that nothing is left.
        """
    )

    static let namespaceCount = Code(
        "CW2404",
        "namespace-count",
        .error,
        """
        'maxNamespaces' limits the namespaces of an environment, 'maxNamespacesTogether' those of all environments. \
        If the first is larger than the second, it never has an effect. Set both.
        """
    )

    static let sharedStore = Code(
        "CW2405",
        "shared-store",
        .error,
        """
        Runners that share a database recognize each other by 'app.group', and read what the others have sealed with \
        the same 'persistence.key': both are required, the same for all. Generate the key once with \
        'openssl rand -base64 32' and give it to each machine as a credential.
        """
    )

    static let persistenceCodes: [Code] = [namespaceSize, noNamespaces, storeKey, namespaceCount, sharedStore]
}
