import WireConfig

/// Formats: CW20.
extension Code {
    static let patternAndStyle = Code(
        "CW2001",
        "pattern-and-style",
        .warning,
        """
        A pattern sets the exact format; styles leave it to the language. With a pattern, the styles have no effect. \
        Remove one of the two.
        """
    )
    static let nothingOfTime = Code(
        "CW2002",
        "nothing-of-time",
        .warning,
        """
        With both styles 'none' every date is an empty text.
        """
    )

    static let formattingCodes: [Code] = [patternAndStyle, nothingOfTime]
}
