/// The identity of the app, and the group whose processes share a store.
package struct AppSection: Section {
    package static let name = "app"
    package static let summary = "The identity of the app, and the processes that share its store."
    package static let isService = false

    @Setting package var id: AppID
    @Setting package var displayName: String?
    @Setting package var version: String?
    @Setting package var group: AppID?

    package init(_ keys: inout Keys) {
        _id = keys.required("id", "Identifier of the app, in reverse domain notation.")
        _displayName = keys.optional("name", "Display name of the app.", .example("Tasks"))
        _version = keys.optional(
            "version",
            "Version of the app, sent to servers.",
            .example("1.4.0")
        )
        _group = keys.optional(
            "group",
            "Group of apps whose processes share a store.",
            .example("group.com.example.tasks")
        )
    }
}

/// An identifier in reverse domain notation: `com.example.tasks`.
package struct AppID: Sendable, Hashable {
    /// The identifier.
    package let text: String
}

extension AppID: TextValue {
    package static var textForm: TextForm {
        TextForm(
            "a name in reverse domain notation",
            example: "com.example.tasks",
            pattern: "^[A-Za-z][A-Za-z0-9_-]*(\\.[A-Za-z0-9_-]+)+$"
        )
    }

    package init(parsing text: String) throws(Misread) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let isRight = parts.count >= 2 && parts.allSatisfy { Identifier.isName(String($0)) } && text.utf8.count <= 128
        guard isRight else {
            throw Misread(help: "letters, digits, '-' and '_', in at least two parts: com.example.tasks")
        }
        self.init(text: text)
    }

    /// The identifier.
    package var description: String { text }
}
