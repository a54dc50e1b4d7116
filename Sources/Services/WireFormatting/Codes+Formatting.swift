import WireConfig

/// Formats: CW20.
extension Code {
    static let patternAndStyle = Code(
        "CW2001",
        "pattern-and-style",
        .warning,
        """
        A pattern says to the letter how a time is shown; the styles leave it to the language. Where there is a pattern, \
        the styles have no effect. Keep one of the two.
        """
    )
    static let nothingOfTime = Code(
        "CW2002",
        "nothing-of-time",
        .warning,
        """
        With both styles 'none' every date is shown as the empty text.
        """
    )

    static let formattingCodes: [Code] = [patternAndStyle, nothingOfTime]
}
