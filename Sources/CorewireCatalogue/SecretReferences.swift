import Synchronization
import WireBase
import WireConfig

/// The references that a written file has in the place of secrets in clear: one for each secret, however often the file
/// has it.
package final class SecretReferences: Sendable {
    /// A secret that became a reference.
    package struct Replaced: Sendable {
        /// The setting that it is the value of, or the first of them.
        package let path: String
        /// Where the secret is written.
        package let place: SourceRange
        /// The environment variable that the deployment gives the secret in.
        package let variable: String

        /// What is written instead of it.
        package var text: String { "${env:\(variable)}" }
    }

    private struct Known {
        var all: [Replaced] = []
        var byPlace: [SourceRange: Int] = [:]
        var taken: Set<String> = []
    }

    private let known = Mutex(Known())

    package init() {}

    /// All of them, in the order they were met in.
    package var all: [Replaced] { known.withLock(\.all) }

    /// What is written instead of a secret.
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

    /// `push.registrars.ups.variantSecret` as the name of a variable.
    private static func variable(for path: [String]) -> String {
        let words = path.joined(separator: "_").utf8.reduce(into: "") { name, byte in
            let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            if isUpper, !name.hasSuffix("_") { name += "_" }
            name += byte.isLetter || byte.isDigit ? String(UnicodeScalar(byte)) : "_"
        }
        return words.uppercased()
    }
}
