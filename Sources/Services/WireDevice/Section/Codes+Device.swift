import WireConfig

/// The device: CW16.
extension Code {
    static let deviceNeedsTokens = Code(
        "CW1601",
        "device-needs-tokens",
        .error,
        """
        The device server requires a token of the app or of the user, and tokens come from the section 'auth'. For a \
        device that is stored on this machine only, set 'register: never'.
        """
    )
    static let unusedDeviceKey = Code(
        "CW1602",
        "unused-device-key",
        .warning,
        """
        With 'register: never' nothing is sent, so the address and the credentials have no effect. Without \
        'systemTags' no facts about the machine and the app are added, so 'facts' has no effect.
        """
    )
    static let systemTag = Code(
        "CW1603",
        "system-tag",
        .error,
        """
        With 'systemTags' corewire sets tags that describe the machine and the app: platform, versions, model. Tags \
        are distinguished by name only. 'apns' is also reserved: servers interpret it as a push token.
        """
    )

    static let deviceCodes: [Code] = [deviceNeedsTokens, unusedDeviceKey, systemTag]
}
