import WireConfig

/// Content: CW17.
extension Code {
    static let contentNeedsTokens = Code(
        "CW1701",
        "content-needs-tokens",
        .error,
        """
        The content server requires a token of the app or of the user. Tokens come from the section 'auth'. A server \
        open without a token is 'authenticated: false'.
        """
    )
    static let twoModuleNames = Code(
        "CW1702",
        "two-module-names",
        .error,
        """
        A module is found at the server by its name or by its identifier, not by both. The identifier stays when an editor \
        changes the name.
        """
    )
    static let sameModule = Code(
        "CW1703",
        "same-module",
        .error,
        """
        Two entries keep the same module in the same language. It would be loaded twice, and its two copies would differ for \
        a while after every change.
        """
    )
    static let unusedSync = Code(
        "CW1704",
        "unused-content-sync",
        .warning,
        """
        'syncEvery' says how often the modules under 'modules' are synced. There are none; other modules are loaded \
        on request.
        """
    )
    static let segmentationWithoutTags = Code(
        "CW1705",
        "segmentation-without-tags",
        .warning,
        """
        Segmentation requests content with certain tags. Without the tags of the device and without tags of its own \
        it has no effect, and the server sends all content.
        """
    )

    static let contentCodes: [Code] = [
        contentNeedsTokens, twoModuleNames, sameModule, unusedSync, segmentationWithoutTags,
    ]
}
