import WireBase

/// The addresses that a setting accepts; used for validation, messages, the schema and the reference.
package struct AddressTerms: Sendable, Equatable {
    /// The accepted schemes, the usual one first.
    package let schemes: [String]
    /// Whether a path relative to the environment's `baseUrl` is accepted.
    package let mayBeRelative: Bool
    /// The part of the URL in use.
    package let reach: Reach

    /// How a request URL is made from the address.
    package enum Reach: Sendable {
        /// Paths are appended, so a query or fragment would be lost.
        case path
        /// Requests use exactly this URL; a fragment is never sent.
        case query
        /// The URL comes from outside; a fragment is removed silently.
        case all
    }

    package init(_ schemes: [String], mayBeRelative: Bool, reach: Reach) {
        self.schemes = schemes
        self.mayBeRelative = mayBeRelative
        self.reach = reach
    }

    static let web = ["https", "http"]
    static let sockets = ["wss", "ws"]
    static let brokers = ["mqtts", "mqtt"]

    /// A base URL for relative addresses.
    package static let base = Self(web, mayBeRelative: false, reach: .path)
    /// A server, or a folder of it, to which request paths are appended.
    package static let root = Self(web, mayBeRelative: true, reach: .path)
    /// The exact URL of a request.
    package static let endpoint = Self(web, mayBeRelative: true, reach: .query)
    /// The URL of a WebSocket.
    package static let webSocket = Self(sockets, mayBeRelative: true, reach: .query)
    /// The URL of a message stream, over HTTP or a WebSocket.
    package static let stream = Self(web + sockets, mayBeRelative: true, reach: .query)
    /// The URL of an MQTT broker, over TCP or a WebSocket.
    package static let broker = Self(brokers + sockets, mayBeRelative: false, reach: .query)
    /// The URL of a file, as in browsers: a fragment is not sent.
    package static let download = Self(web, mayBeRelative: true, reach: .all)
    /// A URL in a file of another system, which has no base URL.
    package static let foreign = Self(web + sockets, mayBeRelative: false, reach: .query)
    /// An address that arrives at run time: any request or WebSocket URL.
    package static let any = Self(web + sockets, mayBeRelative: true, reach: .all)
}

extension AddressTerms {
    /// The redirect URL of a browser sign-in, as far as it is on the web.
    package static let redirect = Self(web, mayBeRelative: false, reach: .query)
    /// The URL of a proxy.
    package static let proxy = Self(["http", "https", "socks5"], mayBeRelative: false, reach: .path)

    /// The probable correction of a text that looks like another kind of address.
    package func slip(in text: String, expected: String) -> Misread? {
        AddressSlip(in: text, terms: self)?.misread(expected)
    }

    /// The probable correction of a mistyped scheme, for values with rules of their own for other forms.
    package func schemeSlip(in text: String, expected: String) -> Misread? {
        AddressSlip(schemeOf: text, terms: self)?.misread(expected)
    }
}

// MARK: Text

extension AddressTerms {
    /// The schemes as URL beginnings, for a sentence.
    var schemeNoun: String { schemes.map { "\($0)://" }.listed() }

    private var noun: String {
        let article = schemes.first.map { "aeioh".contains($0.prefix(1)) ? "an" : "a" } ?? "a"
        return "\(article) \(schemeNoun) URL"
            + (mayBeRelative ? ", or a path relative to the environment's baseUrl" : "")
    }

    private var example: String {
        mayBeRelative && schemes != Self.sockets ? "graphql" : "\(schemes.first ?? "https")://api.example.com"
    }

    /// The form of the text, for the schema and the reference.
    package var textForm: TextForm {
        TextForm(noun, example: example, pattern: AddressPattern(self).text, addresses: self)
    }
}

// MARK: Parsing

extension AddressTerms {
    /// Parses an address of this kind; throws the problem with a probable correction.
    package func parse(_ text: String) throws(Misread) -> Address {
        if let slip = AddressSlip(in: text, terms: self) { throw slip.misread(noun) }
        guard !text.isEmpty else { throw misread() }
        guard let parts = URLParts(text) else { throw unfitCharacter(in: text) }
        guard parts.scheme != nil else { return try path(text, parts) }
        let url = try absolute(text, parts)
        try checkReach(parts, of: text)
        return Address(absolute: url, text: text)
    }

    private func misread(
        _ expected: String? = nil,
        at range: Range<Int>? = nil,
        label: String? = nil,
        help: String? = nil,
        fix: String? = nil
    ) -> Misread {
        var misread = Misread(expected: expected ?? noun, help: help, fix: fix)
        (misread.code, misread.range, misread.label) = (.badAddress, range, label)
        return misread
    }

    private func unfitCharacter(in text: String) -> Misread {
        guard let index = text.unicodeScalars.firstIndex(where: { URLParts(String($0)) == nil }) else {
            return misread()
        }
        let start = text.utf8.distance(from: text.startIndex, to: index)
        let character = text.unicodeScalars[index]
        let range = start..<start + String(character).utf8.count
        guard character.isASCII, !character.isUnfitForDisplay else {
            return misread(
                at: range,
                label: "a URL consists of ASCII characters",
                help: "percent-encode a path; write a host as xn--…"
            )
        }
        let encoded = String(character).encodedForURL
        return misread(
            at: range,
            label: "this character is not allowed in a URL",
            help: character == "{"
                ? "write ${env:NAME} for a value of the deployment, or \(encoded) in a path or query"
                : "in a path or query write \(encoded)"
        )
    }

    private func absolute(_ text: String, _ parts: URLParts) throws(Misread) -> WebURL {
        let scheme = parts.scheme ?? ""
        guard schemes.contains(scheme) else { throw wrongScheme(scheme, of: text) }
        do {
            return try WebURL(parts, of: text)
        } catch {
            var misread = error
            misread.code = .badAddress
            throw misread
        }
    }

    private func wrongScheme(_ scheme: String, of text: String) -> Misread {
        let range = 0..<scheme.utf8.count
        let counterparts = ["https": "wss", "http": "ws", "wss": "https", "ws": "http"]
        let rest = text.dropFirst(scheme.count)
        // A query may have a token.
        if rest.contains("?") {
            var misread = misread(help: "write \(schemeNoun)")
            misread.hidesText = true
            return misread
        }
        guard let counterpart = counterparts[scheme], schemes.contains(counterpart), rest.hasPrefix("://") else {
            let path = mayBeRelative && !rest.hasPrefix("://") ? ", or for a path ./\(text.shown(upTo: 60))" : ""
            return misread(at: range, label: "not a scheme of this setting", help: "write \(schemeNoun)\(path)")
        }
        let host = rest.dropFirst(3).prefix { !":/?#".contains($0) }
        let isPlain = WebURL.plainSchemes.contains(scheme) && Self.isLoopback(String(host))
        let meant = isPlain ? counterpart : counterpart.hasPrefix("ws") ? "wss" : "https"
        // A WebSocket starts with an HTTP request, so the same server is meant; the reverse is not certain.
        return misread(
            at: range,
            label: "did you mean \(meant)\(String(rest).shown(upTo: 60))?",
            fix: schemes == Self.sockets ? meant + rest : nil
        )
    }

    private func path(_ text: String, _ parts: URLParts) throws(Misread) -> Address {
        guard mayBeRelative else {
            let host = text.prefix { !"/?#".contains($0) }
            throw misread(label: Host.isHost(host) ? "did you mean \(usual(host))://\(text.shown(upTo: 60))?" : nil)
        }
        guard text != "./" else { throw misread() }
        // The first segment of a relative path must not contain a colon (RFC 3986, section 4.2).
        let first = text.utf8.prefix { !"/?#".utf8.contains($0) }
        if let colon = first.firstIndex(of: UInt8(ascii: ":")) {
            let start = text.utf8.distance(from: text.startIndex, to: colon)
            throw misread(
                at: start..<start + 1,
                label: "this is not the beginning of a path",
                help: "write \(schemeNoun), or for a path put './' before it"
            )
        }
        guard !parts.path.utf8.split(separator: UInt8(ascii: "/")).contains(where: { $0.elementsEqual("..".utf8) })
        else { throw misread("a path without '..'") }
        try checkReach(parts, of: text)
        // './' only marks the beginning of a path, and is not part of it.
        return Address(absolute: nil, text: text.hasPrefix("./") ? String(text.dropFirst(2)) : text)
    }

    private func checkReach(_ parts: URLParts, of text: String) throws(Misread) {
        let end = text.utf8.count
        if parts.fragment != nil, reach != .all, let hash = text.utf8.firstIndex(of: UInt8(ascii: "#")) {
            let start = text.utf8.distance(from: text.startIndex, to: hash)
            throw misread("a URL without '#'", at: start..<end, label: "never sent to a server", help: "remove it")
        }
        if parts.query != nil, reach == .path {
            // A query may have a token.
            var misread = misread(
                "a URL without '?'",
                help: "remove what follows the '?': it is dropped, because paths are appended to this URL"
            )
            misread.hidesText = true
            throw misread
        }
    }

    /// The scheme to suggest for a host: the usual one, or the one without TLS on this machine.
    func usual(_ host: some StringProtocol) -> String {
        let first = schemes.first ?? "https"
        return Self.isLoopback(String(host)) ? schemes.first(where: WebURL.plainSchemes.contains) ?? first : first
    }

    private static func isLoopback(_ host: String) -> Bool { Host.isLoopback(host.lowercased()) || host == "[::1]" }
}
