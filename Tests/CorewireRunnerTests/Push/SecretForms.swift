import Foundation

/// Secrets with the forms in which an output could repeat them.
struct SecretForms: Sendable {
    private let forms: [(name: String, text: String)]

    /// Takes the secrets by their names.
    init(_ secrets: [String: String]) {
        forms = secrets.sorted { $0.key < $1.key }.flatMap { name, secret in
            Self.forms(of: secret).map { ("\(name)\($0)", $1) }
        }
    }

    /// The names of the secrets that a text has, with their forms.
    func found(in text: String) -> [String] { forms.filter { text.contains($0.text) }.map(\.name) }

    /// The forms of a text, by a word for each.
    static func forms(of secret: String) -> [(name: String, text: String)] {
        let bytes = Array(secret.utf8)
        var forms = [
            ("", secret),
            (" in hex", hex(bytes)),
            (" in upper hex", hex(bytes).uppercased()),
            (" in a URL", secret.addingPercentEncoding(withAllowedCharacters: unreserved) ?? secret),
            // A key is Base64 for URLs already; others write its bytes with the usual letters.
            (" with letters of Base64", secret.replacing("-", with: "+").replacing("_", with: "/")),
        ]
        // Without the letters that depend on the bytes around it.
        for shift in 0..<3 {
            let whole = Data(repeating: 0, count: shift) + Data(bytes)
            let text = String(whole.base64EncodedString().dropFirst(shift == 0 ? 0 : 4).dropLast(4))
            forms.append((" in Base64, \(shift)", text))
            let forURLs = text.replacing("+", with: "-").replacing("/", with: "_")
            forms.append((" in Base64 for URLs, \(shift)", forURLs))
        }
        return forms
    }

    private static func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    )
}
