/// What this machine lacks, found with `--local`: CW05.
extension Code {
    package static let localNeed = Code(
        "CW0501",
        "local-need",
        .error,
        in: .machine,
        """
        The configuration asks for something of the machine: a file, a folder it may write to, a program, a free port. It \
        is not there, or this user may not use it. The check is made as the user who runs it; run it as the user the \
        service will have.
        """
    )
    package static let unfitReference = Code(
        "CW0502",
        "unfit-reference",
        .error,
        in: .machine,
        """
        The reference resolves here, and the text it brings is not what the setting takes. The text itself is not shown, \
        because it may be a secret.
        """
    )
    package static let exposedSecret = Code(
        "CW0503",
        "exposed-secret",
        .warning,
        in: .machine,
        """
        The file with the secret can be read by other users of this machine. Make it 0600, or hand it over as a credential \
        of the service manager.
        """
    )

    package static let expiredPin = Code(
        "CW0504",
        "expired-pin",
        .warning,
        in: .machine,
        """
        The last day the pin was meant to hold is over, by the clock of this machine. The pin still counts: pinning does not \
        switch itself off. Find out which key the server has now, and write its pin and that of a spare key.
        """
    )

    static let localCodes: [Code] = [localNeed, unfitReference, exposedSecret, expiredPin]
}
