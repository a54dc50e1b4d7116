import WireConfig

/// Background work: CW15.
extension Code {
    static let retriesTurnedRound = Code(
        "CW1501",
        "retry-waits-turned-round",
        .error,
        """
        The waits between attempts begin with 'min' and grow up to 'max'; 'max' cannot be the smaller one. The defaults are 1s \
        and 1h.
        """
    )
    static let directoryOutside = Code(
        "CW1502",
        "directory-outside",
        .error,
        """
        A relative folder for downloads lies in the data folder of the app, where each app has its own. A path that climbs \
        out of it with '..' would end in a place that depends on where that folder is. A folder elsewhere is named by its \
        absolute path.
        """
    )

    static let backgroundCodes: [Code] = [retriesTurnedRound, directoryOutside] + taskCodes
}
