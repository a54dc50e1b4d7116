/// What to do about a problem, in words; the settings in it are spelled as the file at hand spells them.
///
/// ```swift
/// "write \(setting: "realm: …", of: "auth"), or remove \(setting: "provider: keycloak", of: "auth")"
/// ```
/// In a YAML file that is `write 'realm: …'`, in JSON `write "realm": "…"`, and in a foreign dialect the dialect's own key
/// and the place it stands at.
package struct Advice: Sendable {
    enum Piece: Sendable, Hashable {
        case words(String)
        /// An entry of the file as YAML writes it on one line; the path is that of the mapping that holds it, nil where
        /// it is the mapping that the problem points at.
        case setting(String, of: [String]?)
        /// A value by itself, as YAML writes it on one line.
        case value(String)
    }

    let pieces: [Piece]

    /// Advice without a setting in it.
    package init(_ words: String) {
        pieces = [.words(words)]
    }

    /// The advice as a file of a syntax needs it.
    package func text(in syntax: FileSyntax) -> String {
        pieces.map { piece in
            switch piece {
            case .words(let words): words
            case .setting(let entry, let path): syntax.spelled(entry, of: path)
            case .value(let value): syntax.spelled(value)
            }
        }
        .joined()
    }
}

extension Advice: CustomStringConvertible {
    /// The advice as a YAML file needs it.
    package var description: String { text(in: .yaml) }
}

extension Advice: ExpressibleByStringInterpolation {
    package init(stringLiteral words: String) {
        self.init(words)
    }

    package init(stringInterpolation: StringInterpolation) {
        pieces = stringInterpolation.pieces
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var pieces: [Piece] = []

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ words: String) {
            pieces.append(.words(words))
        }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            pieces.append(.words(value.description))
        }

        /// An entry to write, `key: value` in YAML's flow style, in the mapping the problem points at.
        package mutating func appendInterpolation(setting entry: String) {
            pieces.append(.setting(entry, of: nil))
        }

        /// An entry to write, `key: value` in YAML's flow style, in the mapping at a path such as `push.tokens`.
        package mutating func appendInterpolation(setting entry: String, of path: String) {
            pieces.append(.setting(entry, of: path.split(separator: ".").map(String.init)))
        }

        /// A value to write, in YAML's flow style.
        package mutating func appendInterpolation(value: String) {
            pieces.append(.value(value))
        }
    }
}
