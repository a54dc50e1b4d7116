import WireBase

/// A URI to which the browser may be redirected (RFC 6749, section 3.1.2; RFC 8252, section 7).
package struct RedirectTarget: Sendable, Hashable {
    /// The URI as received, used for comparison and redirects.
    package let text: String
    package let scheme: String
    /// The text without the port, for loopback addresses.
    private let withoutPort: String?
    /// The source that a page's form-action policy must allow.
    package let origin: String

    private static let unsafeSchemes: Set<String> = [
        "javascript", "data", "vbscript", "file", "blob", "about", "view-source", "filesystem",
    ]

    /// Nil for a URI that is not absolute, has a fragment or a user name, or has a forbidden scheme.
    package init?(_ text: String) {
        guard (1...2_048).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !Self.isForbidden($0) }),
            let colon = text.firstIndex(of: ":")
        else { return nil }
        let scheme = text[..<colon].lowercased()
        guard let first = scheme.utf8.first, (0x61...0x7a).contains(first),
            scheme.utf8.allSatisfy({
                (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0)
            }),
            !Self.unsafeSchemes.contains(scheme)
        else { return nil }
        self.text = text
        self.scheme = scheme
        let rest = text[text.index(after: colon)...]
        guard rest.hasPrefix("//") else {
            guard scheme != "http", scheme != "https", !rest.isEmpty else { return nil }
            (withoutPort, origin) = (nil, "\(scheme):")
            return
        }
        let authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { return nil }
        let isWeb = scheme == "http" || scheme == "https"
        guard !isWeb || !authority.isEmpty else { return nil }
        let tail = rest.dropFirst(2 + authority.count)
        let host = Self.loopbackHosts.first { host in
            authority == host || (authority.hasPrefix(host + ":") && Self.isPort(authority.dropFirst(host.count + 1)))
        }
        withoutPort = scheme == "http" ? host.map { "http://\($0)\(tail)" } : nil
        // A policy's list of sources cannot contain addresses in brackets.
        origin = isWeb && !authority.contains("[") ? "\(scheme)://\(authority)" : "\(scheme):"
    }

    private static let loopbackHosts = ["127.0.0.1", "[::1]"]

    private static func isPort(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.count <= 5 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
            && (Int(text).map { $0 <= 65_535 } ?? false)
    }

    /// Characters that could change the text around the URI: fragments, quotes, brackets, policies.
    private static func isForbidden(_ byte: UInt8) -> Bool { "#\\\"<>^`{|};,'".utf8.contains(byte) }

    /// Whether a registered URI matches this one: exactly, and for a loopback address at any port.
    package func isMeant(by registered: String) -> Bool {
        if text == registered { return true }
        guard let withoutPort, let other = RedirectTarget(registered) else { return false }
        return other.withoutPort == withoutPort
    }

    /// Returns the URI with additional query items.
    package func adding(_ items: [(String, String)]) -> String {
        guard !items.isEmpty else { return text }
        let query = items.map { "\($0.0.queryEscaped)=\($0.1.queryEscaped)" }.joined(separator: "&")
        return text + (text.contains("?") ? (text.hasSuffix("?") || text.hasSuffix("&") ? "" : "&") : "?") + query
    }
}

extension String {
    /// The text escaped for a query: all but unreserved characters (RFC 3986, section 2.3).
    package var queryEscaped: String {
        var escaped: [UInt8] = []
        for byte in utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e: escaped.append(byte)
            default:
                let digits = Array("0123456789ABCDEF".utf8)
                escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// The text escaped for HTML.
    package var htmlEscaped: String {
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
