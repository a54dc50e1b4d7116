import WireConfig

/// Add-ons: CW19.
extension Code {
    static let addonTemplate = Code(
        "CW1901",
        "addon-template",
        .error,
        """
        An add-on is started once, with the runner, before anything has arrived that could fill a place such as \
        {{ title }}. It is told about events one by one, as lines of JSON on its standard input.
        """
    )
    static let addonVariable = Code(
        "CW1902",
        "addon-variable",
        .error,
        """
        'env' and 'secrets' become environment variables of the add-on. Their names are made of letters, digits and \
        underscores; a name stands in one of the two only; names that begin with COREWIRE_ are set by corewire.
        """
    )
    static let sameAddon = Code(
        "CW1903",
        "same-addon",
        .warning,
        """
        Two add-ons start the same program with the same arguments, so everything happens twice. Most often an entry was \
        copied and its program forgotten.
        """
    )
    static let duplicateHook = Code(
        "CW1904",
        "duplicate-hook",
        .warning,
        """
        An add-on is told about each event once, however often the hook is listed.
        """
    )

    static let addonCodes: [Code] = [addonTemplate, addonVariable, sameAddon, duplicateHook]
}
