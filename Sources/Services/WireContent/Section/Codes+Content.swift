import WireConfig

/// Content: CW17.
extension Code {
    static let contentNeedsTokens = Code(
        "CW1701",
        "content-needs-tokens",
        .error,
        """
        The content server requires a token of the app or of the user. Tokens come from the section 'auth'. If the \
        server accepts requests without a token, set 'authenticated: false'.
        """
    )
    static let twoModuleNames = Code(
        "CW1702",
        "two-module-names",
        .error,
        """
        A module is identified at the server by its name or by its id, not by both. The id is stable when an editor \
        changes the name.
        """
    )
    static let sameModule = Code(
        "CW1703",
        "same-module",
        .error,
        """
        Two entries store the same module in the same language. The module would be loaded twice, and the copies could \
        differ after a change.
        """
    )
    static let unusedSync = Code(
        "CW1704",
        "unused-content-sync",
        .warning,
        """
        'syncEvery' sets the sync interval of the modules under 'modules', and the file lists none. Other modules are \
        loaded on request.
        """
    )
    static let segmentationWithoutTags = Code(
        "CW1705",
        "segmentation-without-tags",
        .warning,
        """
        Segmentation requests content with certain tags. Without tags of the device or of the section it has no \
        effect, and the server sends all content.
        """
    )

    static let contentCodes: [Code] = [
        contentNeedsTokens, twoModuleNames, sameModule, unusedSync, segmentationWithoutTags,
    ]
}
