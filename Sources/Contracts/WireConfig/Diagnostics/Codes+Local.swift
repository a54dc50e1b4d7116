/// Codes for requirements that this machine does not meet, found with `--local`: CW05.
extension Code {
    package static let localNeed = Code(
        "CW0501",
        "local-need",
        .error,
        in: .machine,
        """
        The configuration needs something on this machine: a file, a folder with write permission, a program, a free \
        port. It does not exist, or this user may not use it. The check runs as the current user; run it as the user \
        of the service.
        """
    )
    package static let unfitReference = Code(
        "CW0502",
        "unfit-reference",
        .error,
        in: .machine,
        """
        The reference resolves on this machine to a text that the setting does not accept. The text is not shown, \
        because it may be a secret.
        """
    )
    package static let exposedSecret = Code(
        "CW0503",
        "exposed-secret",
        .warning,
        in: .machine,
        """
        Other users of this machine can read the file with the secret. Set its mode to 0600, or use a credential of \
        the service manager.
        """
    )

    package static let expiredPin = Code(
        "CW0504",
        "expired-pin",
        .warning,
        in: .machine,
        """
        The last day of the pin has passed by the clock of this machine. The pin still applies: an expired pin does \
        not disable pinning. Find out the current key of the server, and write its pin and that of a spare key.
        """
    )

    static let localCodes: [Code] = [localNeed, unfitReference, exposedSecret, expiredPin]
}
