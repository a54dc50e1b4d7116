package import WireBase

/// The value of a header field (RFC 9110, section 5.5).
package struct HeaderValue: Sendable, Hashable {
    /// The value.
    package let text: String
}

extension HeaderValue: TextValue {
    package static var textForm: TextForm { TextForm("the value of a header field", example: "tasks") }

    package init(parsing text: String) throws(Misread) {
        guard Self.isValue(text) else {
            // The value may be a credential, depending on the name, which is not known here.
            throw Misread(help: "printable ASCII characters, without spaces at the ends", hidesText: true)
        }
        self.init(text: text)
    }

    package static func isValue(_ text: String) -> Bool {
        guard let first = text.utf8.first, let last = text.utf8.last, first.isVisible, last.isVisible else {
            return false
        }
        return text.utf8.allSatisfy { $0.isVisible || $0 == UInt8(ascii: " ") }
    }

    /// The value.
    package var description: String { text }
}

extension HeaderValue: SecretContent {
    package init(secret text: String) throws(Misread) {
        do throws(Misread) { try self.init(parsing: text) } catch {
            var misread = error
            misread.expected = Self.textForm.noun
            throw misread
        }
    }
}

extension Secret where Value == HeaderValue {
    /// The value as any text.
    package var text: Secret<String> { Secret<String>(reveal().text) }
}
