import WireBase

/// Words for the same thing: one that is no command or option suggests the one that is.
enum Synonyms {
    private static let groups: [[String]] = [
        ["list", "ls"],
        ["show", "get", "info", "describe"],
        ["add", "create", "new"],
        ["remove", "delete", "drop", "rm", "cancel", "dismiss", "forget", "untag", "clear"],
        ["run", "start", "up"],
        ["watch", "follow", "tail"],
        ["format", "output"],
        ["env", "environment"],
        ["config", "file"],
        ["validate-config", "validate", "check", "lint"],
        // Where a word has none of its own group, one of these shows as much.
        ["list", "ls", "show", "info", "status"],
    ]

    /// The one of the names that was probably meant.
    static func suggestion(for word: String, among names: [String]) -> String? {
        let same = groups.filter { $0.contains(word) }.joined()
        return same.first(where: names.contains) ?? Nearest.name(to: word, among: names)
    }
}
