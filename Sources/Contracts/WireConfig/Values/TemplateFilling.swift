package import WireBase

/// Fills templates with values.
package struct TemplateFilling: Sendable {
    /// Formats a value in the user's language; nil where the value does not fit the format.
    package typealias Formats = @Sendable (JSONValue, ValueForm) -> String?

    /// Why a template cannot be filled.
    package enum Failure: Error, Equatable, CustomStringConvertible {
        /// A placeholder without a default has no value.
        case missing(String)
        /// The result exceeds the limit.
        case tooLong(Int)

        package var description: String {
            switch self {
            case .missing(let path):
                "no value for \(path.quoted); if the value may be missing, write '{{ \(path) | default: \"…\" }}'"
            case .tooLong(let limit): "the result is longer than \(limit) bytes"
            }
        }
    }

    private let find: @Sendable (String) -> JSONValue?
    private let formats: Formats
    private let limit: Int

    /// Makes a filling; localized formats are delegated to `formats`.
    package init(
        upTo limit: ByteCount = .kibibytes(64),
        formats: @escaping Formats = { _, _ in nil },
        finding find: @escaping @Sendable (String) -> JSONValue?
    ) {
        (self.find, self.formats) = (find, formats)
        self.limit = limit.bytes
    }

    package func fill(_ template: Template) throws(Failure) -> String {
        var filled = ""
        for piece in template.pieces {
            switch piece {
            case .text(let text): filled += text
            case .value(let path, let filters): filled += try value(path, filters)
            }
            guard filled.utf8.count <= limit else { throw .tooLong(limit) }
        }
        return filled
    }

    private func value(_ path: String, _ filters: [Template.Filter]) throws(Failure) -> String {
        var value = find(path)
        if case .null? = value { value = nil }
        for filter in filters {
            if filter.name == .default {
                if value.isNothing { value = .string(filter.argument ?? "") }
            } else if let present = value {
                value = .string(apply(filter, to: present))
            }
        }
        guard let value else { throw .missing(path) }
        return value.plainText
    }

    private func apply(_ filter: Template.Filter, to value: JSONValue) -> String {
        switch filter.name {
        case .upper: value.plainText.uppercased()
        case .lower: value.plainText.lowercased()
        case .trim: String(value.plainText.trimmingSpace)
        case .truncate: value.plainText.truncated(to: filter.argument.flatMap { Int($0) } ?? 0)
        case .json: value.text()
        case .urlEncode: value.plainText.encodedForURL
        case .default: value.plainText
        default: filter.form.flatMap { formats(value, $0) } ?? value.plainText
        }
    }
}

extension JSONValue? {
    /// Whether the value counts as missing for a default.
    fileprivate var isNothing: Bool {
        guard let self else { return true }
        if case .string(let text) = self { return text.isEmpty }
        return false
    }
}

extension JSONValue {
    /// The value as text: text as it is, other values as JSON.
    package var plainText: String {
        if case .string(let text) = self { text } else { text() }
    }

    /// The value at a path of names separated by dots; a member whose name contains dots is found as well.
    package func value(at path: String) -> JSONValue? {
        if let whole = self[path] { return whole }
        guard let point = path.firstIndex(of: ".") else { return nil }
        return self[String(path[..<point])]?.value(at: String(path[path.index(after: point)...]))
    }
}

extension String {
    fileprivate var trimmingSpace: Substring {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return rest
    }

    /// Truncates to a number of characters, ending with an ellipsis.
    fileprivate func truncated(to count: Int) -> String {
        guard count >= 0, self.count > count else { return self }
        return count == 0 ? "" : prefix(count - 1) + "…"
    }

    /// Percent-encodes all but the unreserved characters of RFC 3986.
    package var encodedForURL: String {
        var encoded = ""
        for byte in utf8 {
            if byte.isLetter || byte.isDigit || "-._~".utf8.contains(byte) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded += "%" + Hexadecimal.text(of: [byte]).uppercased()
            }
        }
        return encoded
    }
}
