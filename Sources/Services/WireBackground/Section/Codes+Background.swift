import WireConfig

/// Background work: CW15.
extension Code {
    static let retriesTurnedRound = Code(
        "CW1501",
        "retry-waits-turned-round",
        .error,
        """
        The pause between attempts starts at 'min' and grows up to 'max', so 'max' cannot be smaller than 'min'. The \
        defaults are 1s and 1h.
        """
    )
    static let directoryOutside = Code(
        "CW1502",
        "directory-outside",
        .error,
        """
        A relative folder for downloads is inside the data folder of the app, so '..' must not lead out of it. Use an \
        absolute path for another folder.
        """
    )

    static let backgroundCodes: [Code] = [retriesTurnedRound, directoryOutside] + taskCodes
}
