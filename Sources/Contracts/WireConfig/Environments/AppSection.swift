/// What the product is called, and which processes belong together.
package struct AppSection: Section {
    package static let name = "app"
    package static let summary = "What the product is called, and which processes share one store."
    package static let isService = false

    @Setting package var id: AppID
    @Setting package var displayName: String?
    @Setting package var version: String?
    @Setting package var group: AppID?

    package init(_ keys: inout Keys) {
        _id = keys.required("id", "The identifier of the app, in reverse domain notation.")
        _displayName = keys.optional("name", "The name people see.", .example("Tasks"))
        _version = keys.optional(
            "version",
            "The version of the app, told to servers that ask for it.",
            .example("1.4.0")
        )
        _group = keys.optional("group", "Processes of one group share one store.", .example("group.com.example.tasks"))
    }
}

/// A name in reverse domain notation: `com.example.tasks`.
package struct AppID: Sendable, Hashable {
    /// The name.
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

    /// The name.
    package var description: String { text }
}
