package import WireBase

/// Why a JSON text does not match the expected type, and where.
package struct JSONMismatch: Error, Sendable {
    /// A JSON pointer (RFC 6901) to the mismatch; empty for the whole text.
    package private(set) var pointer = ""
    package private(set) var detail: String
    package let place: SourceRange?
    /// The part of the request that does not match.
    package private(set) var part = MemberPlace.body
    /// Whether a newer program has written the record; that program can still read it.
    package internal(set) var isOfNewerVersion = false
    /// Whether the value has an unexpected type, so that the message begins with the member name.
    var needsMemberName = false

    /// The top-level member of the mismatch.
    package var member: String { pointer.split(separator: "/").first.map(String.init) ?? "" }

    package init(_ detail: String, _ place: SourceRange?) {
        (self.detail, self.place) = (detail, place)
    }

    /// Prefixes the pointer with a member name; computed only when a mismatch occurs.
    func inside(member name: String) -> JSONMismatch {
        var outer = inside(name)
        if needsMemberName { outer.detail = "\(name.quoted): \(detail)" }
        return outer
    }

    /// Prefixes a member in another part of the request, which has no location in the text.
    func inside(member name: String, _ part: MemberPlace) -> JSONMismatch {
        var outer = inside(name)
        outer.part = part
        return outer
    }

    /// Prefixes the pointer with an array index.
    func inside(index: Int) -> JSONMismatch { inside("\(index)") }

    private func inside(_ name: String) -> JSONMismatch {
        var outer = self
        outer.pointer = "/\(Self.escaped(name))\(pointer)"
        outer.needsMemberName = false
        return outer
    }

    /// Escapes `~` and `/` as `~0` and `~1`.
    static func escaped(_ name: String) -> String {
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "~": escaped += "~0"
            case "/": escaped += "~1"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension Problem: WrappingError {
    /// The problem for a request that does not match.
    package init(_ mismatch: JSONMismatch) {
        switch mismatch.part {
        case .body:
            self.init(.badRequest, "invalid-body", "invalid body", detail: mismatch.detail)
            let start = mismatch.place?.start
            spot = Spot(pointer: mismatch.pointer, line: start?.line, column: start?.column)
        case .header:
            let detail = "\(mismatch.member.quoted): \(mismatch.detail)"
            self.init(.badRequest, "malformed-field", "invalid header field", detail: detail)
        case .query: self = .invalidQuery("\(mismatch.member.quoted): \(mismatch.detail)")
        case .path: self.init(.badRequest, "malformed-target", "invalid path", detail: mismatch.detail)
        }
    }
}
