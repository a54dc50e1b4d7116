import WireBase

/// The rules of names on a bus (D-Bus Specification, "Bus names").
package enum BusName {
    private static let longest = 255

    /// Whether a connection may have this name besides its unique one: `com.example.tasks`.
    package static func isWellKnown(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count >= 2 && name.utf8.count <= longest && parts.allSatisfy { isPart($0.utf8) }
    }

    private static func isPart(_ part: Substring.UTF8View) -> Bool {
        guard let first = part.first, !first.isDigit else { return false }
        return part.allSatisfy {
            $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
    }
}
