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
        does not matter.
        """
    )
    static let systemTag = Code(
        "CW1603",
        "system-tag",
        .error,
        """
        With 'systemTags' corewire describes the machine and the app in tags of its own: platform, versions, model, and \
        'apns'. Tags are told apart by name, so a tag of the file with the same name would be replaced.
        """
    )

    static let deviceCodes: [Code] = [deviceNeedsTokens, unusedDeviceKey, systemTag]
}
