import Synchronization
import WireBase
import WireConfig

/// Replaces secrets in clear by references in a written file; equal secrets share one reference.
package final class SecretReferences: Sendable {
    /// A secret replaced by a reference.
    package struct Replaced: Sendable {
        /// The first setting with the secret.
        package let path: String
        /// The location of the secret.
        package let place: SourceRange
        /// The environment variable for the secret.
        package let variable: String

        /// The reference.
        package var text: String { "${env:\(variable)}" }
    }

    private struct Known {
        var all: [Replaced] = []
        var byPlace: [SourceRange: Int] = [:]
        var taken: Set<String> = []
    }

    private let known = Mutex(Known())

    package init() {}

    /// All replacements, in order.
    package var all: [Replaced] { known.withLock(\.all) }

    /// The reference for a secret.
    package func text(for path: [String], _ place: SourceRange) -> String {
        known.withLock { known in
            if let index = known.byPlace[place] { return known.all[index].text }
            let name = Self.variable(for: path)
            var (free, number) = (name, 2)
            while known.taken.contains(free) { (free, number) = ("\(name)_\(number)", number + 1) }
            let replaced = Replaced(path: path.joined(separator: "."), place: place, variable: free)
            known.byPlace[place] = known.all.count
            known.taken.insert(free)
            known.all.append(replaced)
            return replaced.text
        }
    }

    /// Converts a path such as `push.registrars.ups.variantSecret` to the name of a variable.
    private static func variable(for path: [String]) -> String {
        let words = path.joined(separator: "_").utf8.reduce(into: "") { name, byte in
            let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            if isUpper, !name.hasSuffix("_") { name += "_" }
            name += byte.isLetter || byte.isDigit ? String(UnicodeScalar(byte)) : "_"
        }
        return words.uppercased()
    }
}
