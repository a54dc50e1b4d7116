package import WireBase

/// Why a JSON text is not the value that is read from it, and where.
package struct JSONMismatch: Error, Sendable {
    /// A JSON pointer (RFC 6901) to what is wrong; empty for the whole text.
    package private(set) var pointer = ""
    package private(set) var detail: String
    package let place: SourceRange?
    /// What of a request it is about.
    package private(set) var part = MemberPlace.body
    /// Whether a newer program has written the record, which may still read it.
    package internal(set) var isOfNewerVersion = false
    /// Whether a value is of another kind than expected: its message begins with the name of its member.
    var needsMemberName = false

    /// The member it is about, or that holds what it is about.
    package var member: String { pointer.split(separator: "/").first.map(String.init) ?? "" }

    package init(_ detail: String, _ place: SourceRange?) {
        (self.detail, self.place) = (detail, place)
    }

    /// The same, seen from the object that holds it: only what goes wrong pays for pointers.
    func inside(member name: String) -> JSONMismatch {
        var outer = inside(name)
        if needsMemberName { outer.detail = "\(name.quoted): \(detail)" }
        return outer
    }

    /// The same of a member that stands in a part of a request, and has no place in a text.
    func inside(member name: String, _ part: MemberPlace) -> JSONMismatch {
        var outer = inside(name)
        outer.part = part
        return outer
    }

    /// The same, seen from the array that holds it.
    func inside(index: Int) -> JSONMismatch { inside("\(index)") }

    private func inside(_ name: String) -> JSONMismatch {
        var outer = self
        outer.pointer = "/\(Self.escaped(name))\(pointer)"
        outer.needsMemberName = false
        return outer
    }

    /// `~` and `/` in a name are written `~0` and `~1`.
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
    /// A request that is not as expected.
    package init(_ mismatch: JSONMismatch) {
        switch mismatch.part {
        case .body:
            self.init(.badRequest, "invalid-body", "the body is not as expected", detail: mismatch.detail)
            let start = mismatch.place?.start
            spot = Spot(pointer: mismatch.pointer, line: start?.line, column: start?.column)
        case .header:
            let detail = "\(mismatch.member.quoted): \(mismatch.detail)"
            self.init(.badRequest, "malformed-field", "a field is not as expected", detail: detail)
        case .query: self = .invalidQuery("\(mismatch.member.quoted): \(mismatch.detail)")
        case .path: self.init(.badRequest, "malformed-target", "the path is not as expected", detail: mismatch.detail)
        }
    }
}
