package import WireBase

/// Why a JSON text is not the value that is read from it, and where.
package struct JSONMismatch: Error, Sendable {
    /// A JSON pointer (RFC 6901) to what is wrong; empty for the whole text.
    package private(set) var pointer = ""
    package private(set) var detail: String
    package let place: SourceRange?
    /// Whether a value is of another kind than expected, and the name of its member is yet to be said.
    var isOfKind = false

    package init(_ detail: String, _ place: SourceRange?) {
        (self.detail, self.place) = (detail, place)
    }

    /// The same, seen from the object or the array that holds it: only what goes wrong pays for pointers.
    func inside(_ name: String) -> JSONMismatch {
        var outer = self
        outer.pointer = "/\(Self.escaped(name))\(pointer)"
        if isOfKind {
            if Int(name) == nil { outer.detail = "\(name.quoted): \(detail)" }
            outer.isOfKind = false
        }
        return outer
    }

    /// `~` and `/` in a name are written `~0` and `~1`.
    private static func escaped(_ name: String) -> String {
        name.replacing("~", with: "~0").replacing("/", with: "~1")
    }
}

extension Problem {
    /// A body that is not as expected.
    package init(_ mismatch: JSONMismatch) {
        self.init(.badRequest, "invalid-body", "the body is not as expected", detail: mismatch.detail)
        let start = mismatch.place?.start
        spot = Spot(pointer: mismatch.pointer, line: start?.line, column: start?.column)
    }
}
