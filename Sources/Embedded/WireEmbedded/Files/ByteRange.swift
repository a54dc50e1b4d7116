import WireHTTP

/// The part of a file that a request asks for (RFC 9110, section 14).
enum ByteRange: Equatable {
    /// The whole file: the request has no range, or one that may be ignored.
    case whole
    case part(Range<Int>)
    /// A range outside the file.
    case unsatisfiable

    /// Reads the `Range` field for a file of a size.
    ///
    /// Other units, malformed ranges and several ranges are ignored, as the specification permits.
    init(_ field: String?, of size: Int) {
        guard let field, let equals = field.firstIndex(of: "="), field[..<equals].lowercased() == "bytes" else {
            self = .whole
            return
        }
        let text = field[field.index(after: equals)...]
        let sides = text.split(separator: "-", omittingEmptySubsequences: false)
        guard !text.contains(","), sides.count == 2, let first = Self.number(sides[0]),
            let last = Self.number(sides[1]), first != nil || last != nil
        else {
            self = .whole
            return
        }
        switch (first, last) {
        case (let first?, let last?) where first > last: self = .whole
        case (let first?, let last):
            let end = min(last ?? .max - 1, .max - 1) + 1
            self = first < size ? .part(first..<min(size, end)) : .unsatisfiable
        case (nil, let length):
            let length = min(length ?? 0, size)
            self = length > 0 ? .part(size - length..<size) : .unsatisfiable
        }
    }

    /// Nil for anything but a number; the inner value is nil for an absent number.
    private static func number(_ text: Substring) -> Int?? {
        let text = text.drop { $0 == " " }
        if text.isEmpty { return .some(nil) }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        // A number beyond `Int` is beyond the end of every file.
        return .some(Int(text) ?? .max)
    }
}
