import WireBase

/// An absolute URL with a host (RFC 3986), parsed and validated.
package struct WebURL: Sendable, Hashable {
    /// The scheme, in lower case.
    package let scheme: String
    /// The host: a name, an IPv4 address, or an IPv6 address without its brackets.
    package let host: String
    /// The port, if given.
    package let port: Int?
    /// The path with its leading slash; empty where there is none.
    package let path: String
    /// What follows `?`.
    package let query: String?
    /// What follows `#`.
    package let fragment: String?
}

extension WebURL: TextValue {
    package static var textForm: TextForm {
        TextForm(
            "a URL such as https://api.example.com",
            example: "https://api.example.com",
            pattern: "^[A-Za-z][A-Za-z0-9+.-]*://.+"
        )
    }

    package init(parsing text: String) throws(Misread) {
        guard let parts = URLParts(text) else { throw Misread() }
        try self.init(parts, of: text)
    }

    /// Reads only addresses of the declared kind.
    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        let terms = reader.terms
        return readText(node, with: reader) { (text) throws(Misread) in
            guard let url = try terms.parse(text).absolute else { throw Misread() }
            return url
        }
    }

    init(_ parts: URLParts, of text: String) throws(Misread) {
        guard let scheme = parts.scheme else {
            throw Misread(
                help: Host.isHost(parts.path.prefix { $0 != "/" }) ? "write https://\(text.shown(upTo: 60))" : nil
            )
        }
        guard let authority = parts.authority else {
            throw Misread(help: "a URL begins with '\(scheme)://' and a host")
        }
        guard !authority.utf8.contains(UInt8(ascii: "@")) else {
            throw Misread(
                expected: "a URL without user name and password",
                help: "credentials in URLs appear in logs; use the keys for credentials",
                hidesText: true
            )
        }
        let (host, port) = try Self.hostAndPort(authority)
        self.init(
            scheme: scheme,
            host: host,
            port: port,
            path: parts.path,
            query: parts.query,
            fragment: parts.fragment
        )
    }

    private static func hostAndPort(_ authority: Substring) throws(Misread) -> (String, Int?) {
        var host = authority
        var port: Int?
        if let colon = authority.utf8.lastIndex(of: UInt8(ascii: ":")),
            !authority[colon...].utf8.contains(UInt8(ascii: "]"))
        {
            host = authority[..<colon]
            let digits = authority[authority.utf8.index(after: colon)...]
            guard let number = Int(digits), (1...65_535).contains(number) else {
                throw Misread(expected: "a URL with a port from 1 to 65535")
            }
            port = number
        }
        if host.utf8.first == UInt8(ascii: "["), host.utf8.last == UInt8(ascii: "]") {
            let address = host.dropFirst().dropLast()
            guard Host.isIPv6(address) else { throw Misread(expected: "a URL with a valid IPv6 address") }
            return (String(address), port)
        }
        guard Host.isHost(host) else {
            let isBare = Host.isIPv6(authority)
            throw Misread(
                expected: "a URL with a valid host",
                help: isBare ? "write an IPv6 address in brackets: [\(authority)]" : nil
            )
        }
        return (host.lowercased(), port)
    }

    /// The URL as text.
    package var description: String {
        let shownHost = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return "\(scheme)://\(shownHost)" + (port.map { ":\($0)" } ?? "") + path + (query.map { "?\($0)" } ?? "")
            + (fragment.map { "#\($0)" } ?? "")
    }
}

extension WebURL {
    package func record(at node: NodeID, with reader: Reader) {
        record(at: node, with: reader, isProxy: false)
    }

    /// Records a server, or a proxy through which requests pass.
    package func record(at node: NodeID, with reader: Reader, isProxy: Bool) {
        reader.record(Address(absolute: self, text: description), at: node, isProxy: isProxy)
    }

    /// Resolves a reference against this URL (RFC 3986, section 5.2); nil for an invalid reference.
    package func resolving(_ reference: String) -> WebURL? {
        guard let parts = URLParts(reference) else { return nil }
        if parts.scheme != nil { return try? WebURL(parsing: reference) }
        if parts.authority != nil { return try? WebURL(parsing: "\(scheme):\(reference)") }
        var next = WebURL(scheme: scheme, host: host, port: port, path: path)
        if parts.path.isEmpty {
            return next.asking(parts.query ?? query)
        }
        // A URL without a path, such as https://api.example.com, has the folder '/'.
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
        let merged = parts.path.hasPrefix("/") ? parts.path : folder + parts.path
        next = WebURL(scheme: scheme, host: host, port: port, path: Self.withoutDots(merged))
        return next.asking(parts.query)
    }

    package init(scheme: String, host: String, port: Int?, path: String) {
        self.init(scheme: scheme, host: host, port: port, path: path, query: nil, fragment: nil)
    }

    private func asking(_ query: String?) -> WebURL {
        WebURL(scheme: scheme, host: host, port: port, path: path, query: query, fragment: nil)
    }

    /// Removes dot segments (RFC 3986, section 5.2.4).
    private static func withoutDots(_ path: String) -> String {
        var kept: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for segment in segments {
            switch segment {
            case ".": break
            case "..": _ = kept.popLast()
            default: kept.append(segment)
            }
        }
        let endsInFolder = segments.last == "." || segments.last == ".."
        return "/" + kept.joined(separator: "/") + (endsInFolder && !kept.isEmpty ? "/" : "")
    }

    /// Whether the host is this machine.
    package var isLoopback: Bool { Host.isLoopback(host) }

    /// Whether traffic to the URL is unencrypted and leaves this machine.
    package var isReadableOnTheWay: Bool { Self.plainSchemes.contains(scheme) && !isLoopback }

    /// The schemes without TLS; with an "s" they are those with it.
    static let plainSchemes: Set<String> = ["http", "ws", "mqtt"]
}

/// A URL, absolute or relative to the base URL of the environment.
package struct Address: Sendable, Hashable {
    /// The absolute URL, where it is one.
    package let absolute: WebURL?
    /// The text as written, without a leading './'; the path of the embedded server, where that replaces the URL.
    package let text: String
    /// Whether an embedded server replaces the named one.
    package var isStoodInFor = false

    /// The address of the embedded server that replaces this one: a path below the base URL.
    package func stoodInFor(at path: String) -> Address {
        Address(absolute: nil, text: absolute == nil ? text : path, isStoodInFor: true)
    }
}

extension Address: TextValue {
    package static var textForm: TextForm { AddressTerms.any.textForm }

    package init(parsing text: String) throws(Misread) {
        self = try AddressTerms.any.parse(text)
    }

    /// Reads only addresses of the declared kind.
    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        let terms = reader.terms
        return readText(node, with: reader) { (text) throws(Misread) in try terms.parse(text) }
    }

    package func record(at node: NodeID, with reader: Reader) {
        reader.record(self, at: node)
    }

    /// Whether the query has an item that usually has a secret value: `?token=`.
    var seemsToCarrySecret: Bool {
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return false }
        return text[mark...].split { "?&#".contains($0) }.contains { item in
            HeaderName.seemsToCarrySecret(String(item.prefix { $0 != "=" }))
        }
    }

    /// The address in a form that can be read again.
    package var description: String {
        absolute == nil && (try? AddressTerms.any.parse(text)) == nil ? "./\(text)" : text
    }
}

/// A URI reference split into its parts (RFC 3986, appendix B), without decoding.
package struct URLParts {
    package var scheme: String?
    package var authority: Substring?
    package var path = ""
    package var query: String?
    package var fragment: String?

    /// Splits a text; nil for characters not allowed in a URI.
    package init?(_ text: String) {
        guard text.utf8.allSatisfy(\.mayStandInURI) else { return nil }
        var rest = Substring(text)
        if let hash = rest.utf8.firstIndex(of: UInt8(ascii: "#")) {
            fragment = String(rest[rest.utf8.index(after: hash)...])
            rest = rest[..<hash]
        }
        if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
            query = String(rest[rest.utf8.index(after: mark)...])
            rest = rest[..<mark]
        }
        if let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
            scheme = rest[..<colon].lowercased()
            rest = rest[rest.utf8.index(after: colon)...]
        }
        if rest.utf8.starts(with: "//".utf8) {
            let inside = rest.utf8.dropFirst(2)
            let end = inside.firstIndex(of: UInt8(ascii: "/")) ?? inside.endIndex
            authority = rest[inside.startIndex..<end]
            rest = rest[end...]
        }
        path = String(rest)
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, first.isLetter else { return false }
        return text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "+.-".utf8.contains($0) }
    }
}

extension UInt8 {
    /// Whether the byte is allowed in a URI; a switch for speed.
    fileprivate var mayStandInURI: Bool {
        switch self {
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
            UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
            false
        default: (0x21...0x7e).contains(self)
        }
    }
}
