/// A help text whose settings are spelled in the syntax of the file at hand.
///
/// ```swift
/// "write \(setting: "realm: …", of: "auth"), or remove \(setting: "provider: keycloak", of: "auth")"
/// ```
/// In a YAML file the text is `write 'realm: …'`, in JSON `write "realm": "…"`, and in a foreign dialect it has the
/// dialect's key and location.
package struct Advice: Sendable {
    enum Piece: Sendable, Hashable {
        case words(String)
        /// An entry in YAML flow style; `of` is the path of its mapping, or nil for the mapping of the problem.
        case setting(String, of: [String]?)
        /// A value in YAML flow style.
        case value(String)
    }

    let pieces: [Piece]

    /// Makes advice without settings.
    package init(_ words: String) {
        pieces = [.words(words)]
    }

    /// The advice in the syntax of a file.
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
    /// The advice in YAML syntax.
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

        /// Inserts an entry, `key: value` in YAML flow style, for the mapping of the problem.
        package mutating func appendInterpolation(setting entry: String) {
            pieces.append(.setting(entry, of: nil))
        }

        /// Inserts an entry, `key: value` in YAML flow style, for the mapping at a path such as `push.tokens`.
        package mutating func appendInterpolation(setting entry: String, of path: String) {
            pieces.append(.setting(entry, of: path.split(separator: ".").map(String.init)))
        }

        /// Inserts a value in YAML flow style.
        package mutating func appendInterpolation(value: String) {
            pieces.append(.value(value))
        }
    }
}
