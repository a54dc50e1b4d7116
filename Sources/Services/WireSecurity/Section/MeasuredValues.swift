import WireBase
package import WireConfig
import WireSecurityContract

/// A TCP port.
package struct PortNumber: Sendable, Hashable, CustomStringConvertible {
    /// The number, from 1 to 65535.
    package let number: Int

    /// The number in digits.
    package var description: String { "\(number)" }
}

extension PortNumber: SettingValue {
    package static var form: Form { .integer }
    package static var placeholder: Self { Self(number: 9_229) }
    package var literal: Literal { .integer(number) }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        guard let number = Int.read(node, with: reader).value else { return .none }
        guard (1...65_535).contains(number) else {
            reader.reportMismatch(node, expected: "a port from 1 to 65535")
            return .none
        }
        return .complete(Self(number: number))
    }
}

/// The SHA-256 of a file.
package struct FileDigest: Sendable, Hashable {
    /// The hash in small hexadecimal digits.
    package let hexadecimal: String
}

extension FileDigest: TextValue {
    package static var textForm: TextForm {
        TextForm(
            "64 hexadecimal digits",
            example: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            pattern: "^[0-9A-Fa-f]{64}$"
        )
    }

    package init(parsing text: String) throws(Misread) {
        guard text.utf8.count == 64, text.utf8.allSatisfy(\.isHexDigit) else {
            let found = text.utf8.allSatisfy(\.isHexDigit) ? "found \(text.utf8.count) digits" : nil
            throw Misread(help: found ?? "run sha256sum to get them")
        }
        self.init(hexadecimal: text.lowercased())
    }

    /// The hash.
    package var description: String { hexadecimal }
}

/// A version of numbers: `6.1`, `6.1.55`.
package struct VersionNumber: Sendable, Hashable, Comparable {
    /// The numbers, the weightiest first.
    package let parts: [Int]

    /// Orders by the first number that differs; a missing one counts as 0.
    package static func < (left: Self, right: Self) -> Bool {
        let count = max(left.parts.count, right.parts.count)
        return left.padded(to: count).lexicographicallyPrecedes(right.padded(to: count))
    }

    private func padded(to count: Int) -> [Int] {
        parts + Array(repeating: 0, count: count - parts.count)
    }
}

extension VersionNumber: TextValue {
    package static var textForm: TextForm {
        TextForm("a version such as 6.1", example: "6.1", pattern: "^[0-9]+(\\.[0-9]+){0,3}$")
    }

    package init(parsing text: String) throws(Misread) {
        let words = text.split(separator: ".", omittingEmptySubsequences: false)
        let parts = words.compactMap { word in word.utf8.allSatisfy(\.isDigit) ? Int(word) : nil }
        guard (1...4).contains(parts.count), parts.count == words.count else {
            throw Misread(help: "use numbers separated by dots")
        }
        self.init(parts: parts)
    }

    /// The version.
    package var description: String { parts.map(String.init).joined(separator: ".") }
}

/// A Linux capability: `CAP_NET_BIND_SERVICE`.
package struct Capability: Sendable, Hashable {
    /// The name, in capital letters.
    package let text: String
}

extension Capability: TextValue {
    package static var textForm: TextForm {
        TextForm("a capability such as CAP_NET_BIND_SERVICE", example: "CAP_NET_BIND_SERVICE", pattern: "^CAP_[A-Z_]+$")
    }

    package init(parsing text: String) throws(Misread) {
        guard CapabilityNames.all.contains(text) else {
            let wanted = text.uppercased().hasPrefix("CAP_") ? text.uppercased() : "CAP_" + text.uppercased()
            let nearest = Nearest.names(to: wanted, among: CapabilityNames.all)
            throw Misread(
                help: nearest.first.map { _ in "did you mean \(nearest.listed())?" },
                fix: nearest.count == 1 ? nearest.first : nil
            )
        }
        self.init(text: text)
    }

    /// The name.
    package var description: String { text }
}

/// The build-id of a program, set by its linker.
package struct BuildStamp: Sendable, Hashable {
    /// The id in lower-case hexadecimal digits.
    package let hexadecimal: String
}

extension BuildStamp: TextValue {
    package static var textForm: TextForm {
        TextForm(
            "a build-id, 16 to 64 hexadecimal digits",
            example: "9ec7fb9bde43c4f3c1c3f2b0d4c8f7e6a5b4c3d2",
            pattern: "^[0-9A-Fa-f]{16,64}$"
        )
    }

    package init(parsing text: String) throws(Misread) {
        guard (16...64).contains(text.utf8.count), text.utf8.allSatisfy(\.isHexDigit) else {
            throw Misread(help: "run 'file' or 'readelf -n' to get it")
        }
        self.init(hexadecimal: text.lowercased())
    }

    package var description: String { hexadecimal }
}
