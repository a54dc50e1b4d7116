import WireBase
package import WireConfig

/// Header fields of requests, in the order of the file.
///
/// A type of its own, because the names follow RFC 9110, ignore case, and are partly reserved.
package struct HeaderFields: Sendable {
    /// A header field.
    package struct Field: Sendable {
        /// Its name, as the file gives it.
        package let name: HeaderName
        /// Its value.
        package let value: String
    }

    /// All fields.
    package let fields: [Field]

    package init(_ fields: [Field] = []) {
        self.fields = fields
    }
}

extension HeaderFields: SettingValue {
    package static var form: Form { .named(.text(TextForm("the value of a header field", example: "kiosk"))) }
    package static var placeholder: Self { Self() }
    package var literal: Literal { .mapping(fields.map { ($0.name.text, .text($0.value)) }) }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        guard reader.expectMapping(node, form: { form }) else { return .none }
        var fields: [Field] = []
        var seen: [String: Entry] = [:]
        let entries = reader.document.entries(node).filter { !reader.isNull($0.value) }
        for entry in entries {
            let key = reader.document.text(entry.key)
            let earlier = seen.updateValue(entry, forKey: key.lowercased())
            if let field = reader.descend(to: key, key: entry.key, { reader.headerField(entry, key, after: earlier) }) {
                fields.append(field)
            }
        }
        return fields.count == entries.count ? .complete(Self(fields)) : .partial(Self(fields))
    }
}

extension Reader {
    fileprivate func headerField(_ entry: Entry, _ key: String, after earlier: Entry?) -> HeaderFields.Field? {
        let folded = key.lowercased()
        let seemsSecret = HeaderName.seemsToCarrySecret(folded)
        // Before any report about the field: excerpts leave out noted secrets.
        if seemsSecret { noteUnlessReference(secretAt: entry.value) }
        let value = String.read(entry.value, with: self).value
        guard let name = try? HeaderName(parsing: key) else {
            reportHeader(.headerField, "\(key.quoted) is not the name of a header field", at: entry.key)
            return nil
        }
        if let earlier {
            reportHeader(.headerField, "the field is set twice", at: entry.key, after: earlier.key)
        } else if HeaderFields.own.contains(folded) {
            let help = folded == "authorization" ? "tokens come from the section 'auth'" : "remove it"
            reportHeader(.headerField, "corewire sets this field itself", at: entry.key, help: help)
        } else if seemsSecret {
            let help = "values of 'headers' appear in output; put keys into the secret settings of their sections"
            reportHeader(.secretHeader, "the field looks like a secret", at: entry.key, help: help)
        }
        if let value, value.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7f }) {
            reportHeader(.headerField, "the value has a line break or another control character", at: entry.value)
        }
        return value.map { HeaderFields.Field(name: name, value: $0) }
    }

    private func reportHeader(
        _ code: Code,
        _ message: String,
        at node: NodeID,
        help: String? = nil,
        after earlier: NodeID? = nil
    ) {
        report(
            Diagnostic(code, "\(pathText): \(message)", at: document.place(document.target(node)))
                .helped(by: help)
                .related(earlier.map { document.place($0) }, "the first is here")
        )
    }
}

extension HeaderFields {
    /// The fields that follow from the request, the connection or the token.
    fileprivate static let own: Set<String> = [
        "authorization", "connection", "content-length", "content-type", "cookie", "expect", "host", "keep-alive",
        "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade",
    ]
}
