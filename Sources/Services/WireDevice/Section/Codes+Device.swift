import WireConfig

/// The device: CW16.
extension Code {
    static let deviceNeedsTokens = Code(
        "CW1601",
        "device-needs-tokens",
        .error,
        """
        The server that keeps devices asks for a token of the app or of the user. Tokens come from the section 'auth'. A \
        device that only this machine needs to know is 'register: never'.
        """
    )
    static let unusedDeviceKey = Code(
        "CW1602",
        "unused-device-key",
        .warning,
        """
        With 'register: never' the device is known on this machine only; nothing is sent, so where and how it would be sent \
        does not matter. Without 'systemTags' nothing is said of the machine and the app, so what of them would be is not asked.
        """
    )
    static let systemTag = Code(
        "CW1603",
        "system-tag",
        .error,
        """
        With 'systemTags' corewire describes the machine and the app in tags of its own: platform, versions, model. Tags are told \
        apart by name, and 'apns' is the name of one that servers take for a word about push tokens.
        """
    )

    static let deviceCodes: [Code] = [deviceNeedsTokens, unusedDeviceKey, systemTag]
}
