import WireConfig

/// Add-ons: CW19.
extension Code {
    static let addonTemplate = Code(
        "CW1901",
        "addon-template",
        .error,
        """
        An add-on is started once, with the runner, so its arguments cannot use values of events such as {{ title }}. \
        The add-on gets events as lines of JSON on standard input.
        """
    )
    static let addonVariable = Code(
        "CW1902",
        "addon-variable",
        .error,
        """
        'env' and 'secrets' become environment variables of the add-on. Names consist of letters, digits and \
        underscores, and appear in one of the two only; names that begin with COREWIRE_ are reserved.
        """
    )
    static let sameAddon = Code(
        "CW1903",
        "same-addon",
        .warning,
        """
        Two add-ons start the same program with the same arguments, so each event is handled twice. Usually an entry \
        was copied and its program was not changed.
        """
    )
    static let duplicateHook = Code(
        "CW1904",
        "duplicate-hook",
        .warning,
        """
        A hook is listed twice. An add-on gets each event once.
        """
    )

    static let addonCodes: [Code] = [addonTemplate, addonVariable, sameAddon, duplicateHook]
}
