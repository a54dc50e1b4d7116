import WireConfig

/// The AeroGear dialect: CW25.
extension Code {
    static let serviceList = Code(
        "CW2501",
        "service-list",
        .error,
        """
        A file with 'services' is read as AeroGear's mobile-services.json: 'services' is a list, and each service a mapping \
        with 'type', 'url' and most often 'config', 'id' and 'name'.

        In corewire's own layout there is no such key; each service is a section at the top of the file: auth, push, sync.
        """
    )
    static let serviceKey = Code(
        "CW2502",
        "service-key",
        .error,
        """
        A service of an AeroGear file says what it is ('type', a text) and where it is ('url'). What else it needs stands \
        in 'config', a mapping. The SDKs of AeroGear refuse the whole file when one of these is missing; corewire names the \
        service.
        """
    )
    static let duplicateService = Code(
        "CW2503",
        "duplicate-service",
        .warning,
        """
        Services of an AeroGear file are looked up by their type or their id, and the first one found is used. A second one \
        is kept for those who write the file back, and wired by nobody. 'sync' and 'sync-app' are the same service under \
        two names.

        Remove the one that is not meant. Different servers for different deployments are environments: write the file in \
        corewire's layout and lay them over it.
        """
    )
    static let unknownService = Code(
        "CW2504",
        "unknown-service",
        .warning,
        """
        corewire wires the types keycloak, sync, sync-app, push, metrics and security. A service of another type is kept, \
        shown and written back, and nothing is started for it.

        If the app itself uses the service, allow the warning with that reason: \
        "allow": { "unknown-service": "read by the app" } at the top of the file.
        """
    )
    static let almostKnownKey = Code(
        "CW2505",
        "almost-known-key",
        .warning,
        """
        Keys of 'config' that corewire does not use are kept and not looked at, because Keycloak and others add keys of \
        their own. This one is so close to a key that is used that it was most likely meant to be that key. Keys are \
        compared to the letter, case included.

        Settings of corewire's own layout have no effect in 'config' either: they stand in their section at the top of the \
        file.
        """
    )
    static let badPin = Code(
        "CW2506",
        "certificate-pin",
        .error,
        """
        'https.certificatePins' is a list, and each entry has both 'host' and 'certificateHash': the SHA-256 of the \
        certificate's public key (SPKI) in base64. A pin that is only half there would protect nothing without a sign.
        """
    )

    static let aeroGearCodes: [Code] = [
        serviceList, serviceKey, duplicateService, unknownService, almostKnownKey, badPin,
    ]
}
