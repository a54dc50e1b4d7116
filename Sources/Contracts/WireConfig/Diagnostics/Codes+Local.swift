/// Codes for requirements that this machine does not meet, found with `--local`: CW05.
extension Code {
    package static let localNeed = Code(
        "CW0501",
        "local-need",
        .error,
        in: .machine,
        """
        The configuration requires a file, a writable folder, a program or a free port on this machine, which does not \
        exist or is not accessible to this user. The check runs as the current user; run it as the user of the \
        service.
        """
    )
    package static let unfitReference = Code(
        "CW0502",
        "unfit-reference",
        .error,
        in: .machine,
        """
        The reference resolves on this machine to a value that the setting does not accept. The value is not shown, \
        because it may be a secret.
        """
    )
    package static let exposedSecret = Code(
        "CW0503",
        "exposed-secret",
        .warning,
        in: .machine,
        """
        Other users of this machine can read the file with the secret. Set the mode of the file to 0600, or use a \
        credential of the service manager.
        """
    )

    package static let expiredPin = Code(
        "CW0504",
        "expired-pin",
        .warning,
        in: .machine,
        """
        The last day of the pin has passed. The pin still applies: an expired pin does not disable pinning. Read the \
        current key of the server with 'corewire pin', and set its pin and the pin of a backup key.
        """
    )

    static let localCodes: [Code] = [localNeed, unfitReference, exposedSecret, expiredPin]
}
