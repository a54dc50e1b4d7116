import WireConfig

/// Add-ons: CW19.
extension Code {
    static let addonTemplate = Code(
        "CW1901",
        "addon-template",
        .error,
        """
        An add-on is started once, with the runner, before any event could fill a variable such as {{ title }}. It \
        gets events one by one, as lines of JSON on its standard input.
        """
    )
    static let addonVariable = Code(
        "CW1902",
        "addon-variable",
        .error,
        """
        'env' and 'secrets' become environment variables of the add-on. Names consist of letters, digits and \
        underscores, and appear in only one of the two; names that begin with COREWIRE_ are reserved.
        """
    )
    static let sameAddon = Code(
        "CW1903",
        "same-addon",
        .warning,
        """
        Two add-ons start the same program with the same arguments, so everything happens twice. Usually an entry \
        was copied and its program not changed.
        """
    )
    static let duplicateHook = Code(
        "CW1904",
        "duplicate-hook",
        .warning,
        """
        An add-on gets each event once, however often the hook is listed.
        """
    )

    static let addonCodes: [Code] = [addonTemplate, addonVariable, sameAddon, duplicateHook]
}
