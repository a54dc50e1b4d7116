import WireBase

/// Synonyms, for suggesting the right command or option.
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
        // Fallback for a word without a synonym of its own group.
        ["list", "ls", "show", "info", "status"],
    ]

    /// The name that was probably meant.
    static func suggestion(for word: String, among names: [String]) -> String? {
        let same = groups.filter { $0.contains(word) }.joined()
        return same.first(where: names.contains) ?? Nearest.name(to: word, among: names)
    }
}
