package import WireConfig

/// The name of a Keycloak realm: a part of the path of its addresses.
package struct RealmName: Sendable, Hashable {
    /// The name.
    package let text: String
}

extension RealmName: TextValue {
    package static var textForm: TextForm {
        TextForm(
            "the name of a realm",
            example: "tasks",
            pattern: "^[^\\u0000-\\u0020\\u007f/\\\\?#%][^\\u0000-\\u001f\\u007f/\\\\?#%]*$"
        )
    }

    package init(parsing text: String) throws(Misread) {
        let isName =
            (1...255).contains(text.utf8.count) && text.first != " " && text.last != " " && text != "." && text != ".."
            && text.utf8.allSatisfy { $0 > 0x1f && $0 != 0x7f && !"/\\?#%".utf8.contains($0) }
        guard isName else {
            throw Misread(help: "at most 255 bytes, without '/', '\\', '?', '#' and '%', and no space at either end")
        }
        self.init(text: text)
    }

    /// The name.
    package var description: String { text }
}

extension RealmName {
    /// The realm's name at the embedded identity server, without escapes.
    var plain: String {
        String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber) || "_.-".contains($0) ? $0 : "_" })
    }
}
