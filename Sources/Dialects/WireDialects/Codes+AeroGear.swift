import WireConfig

/// The AeroGear dialect: CW25.
extension Code {
    static let serviceList = Code(
        "CW2501",
        "service-list",
        .error,
        """
        A file with 'services' is read as AeroGear's mobile-services.json: 'services' is a list, and each service a \
        mapping with 'type', 'url' and usually 'config', 'id' and 'name'.

        corewire's layout does not have this key: each service is a section at the top level of the file (auth, push, \
        sync).
        """
    )
    static let serviceKey = Code(
        "CW2502",
        "service-key",
        .error,
        """
        A service of an AeroGear file has a 'type', which is text, and an address, 'url'. All further settings are in \
        'config', a mapping. AeroGear's SDKs reject the whole file when one of these is missing; corewire reports the \
        service.
        """
    )
    static let duplicateService = Code(
        "CW2503",
        "duplicate-service",
        .warning,
        """
        Services of an AeroGear file are identified by their type or id, and the first one is used. A second one has \
        no effect, and is exported unchanged. 'sync' and 'sync-app' are the same service under two names.

        Remove the service that is not needed. To use different servers in different deployments, write the file in \
        corewire's layout with environments.
        """
    )
    static let unknownService = Code(
        "CW2504",
        "unknown-service",
        .warning,
        """
        corewire supports the types keycloak, sync, sync-app, push, metrics and security. A service of another type \
        has no effect; it is listed and exported unchanged.

        If the app itself uses the service, suppress the warning with that reason: "allow": { "unknown-service": "read \
        by the app" } at the top of the file.
        """
    )
    static let almostKnownKey = Code(
        "CW2505",
        "almost-known-key",
        .warning,
        """
        Keys of 'config' that corewire does not use are kept without a check, because Keycloak and others add keys of \
        their own. This key is probably a misspelling of a key that corewire uses. Keys are case-sensitive.

        Settings of corewire's layout have no effect in 'config': move them to their section at the top level of the \
        file.
        """
    )
    static let badPin = Code(
        "CW2506",
        "certificate-pin",
        .error,
        """
        'https.certificatePins' is a list, and each entry has both 'host' and 'certificateHash': the SHA-256 of the \
        certificate's public key (SPKI) in base64. An incomplete pin would have no effect.
        """
    )

    static let aeroGearCodes: [Code] = [
        serviceList, serviceKey, duplicateService, unknownService, almostKnownKey, badPin,
    ]
}
