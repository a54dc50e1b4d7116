package import WireBase

extension WebURL {
    /// The target of a path and a query below this URL, both percent-encoded: the one way in which a base URL and a path
    /// become an address that a request is sent to.
    ///
    /// One slash at the beginning of the path says nothing: `/orders` and `orders` are the same, below the path of this URL.
    /// An empty path, or `/`, is this URL itself. What this URL asks for itself is left out.
    package func below(_ path: String, query: String? = nil) throws(Fault) -> WebURL {
        if let flaw = TargetPath.flaw(below: path, query: query) { throw Fault(flaw) }
        return WebURL(
            scheme: scheme,
            host: host,
            port: port,
            path: TargetPath.joined(self.path, path),
            query: query,
            fragment: nil
        )
    }
}

extension Address {
    /// The URL it means, seen from a base URL: itself where it is absolute, and what is below the base URL otherwise.
    package func target(below base: WebURL) throws(Fault) -> WebURL {
        if let absolute { return absolute }
        guard let parts = URLParts(text) else {
            throw Fault("\(text.quoted) holds a character that no URL may hold")
        }
        return try base.below(parts.path, query: parts.query)
    }

    /// The URL it means, seen from a base URL; nil where there is none, or the address cannot be put below it.
    package func resolved(against base: WebURL?) -> WebURL? {
        if let absolute { return absolute }
        return base.flatMap { try? target(below: $0) }
    }
}

/// What a path and a query may be that are put below a URL of the file: whatever they say, they stay below.
package enum TargetPath {
    /// A path below another one, with one slash between them; nothing is added for nothing.
    package static func joined(_ base: String, _ path: String) -> String {
        let rest = path.utf8.first == UInt8(ascii: "/") ? String(path.dropFirst()) : path
        if rest.isEmpty { return base }
        return base.utf8.last == UInt8(ascii: "/") ? base + rest : "\(base)/\(rest)"
    }

    /// What is wrong with a path and a query that are to be put below a URL; nil where nothing is.
    package static func flaw(below path: String, query: String?) -> String? {
        if path.utf8.starts(with: "//".utf8) {
            return "the path begins with two slashes, after which some servers expect a host; expected one or none"
        }
        return flaw(ofPath: path) ?? query.flatMap(flaw(ofQuery:))
    }

    /// What is wrong with a path, percent-encoded; nil for one that may be sent.
    package static func flaw(ofPath path: String) -> String? {
        if let flaw = strangeByte(in: path, expecting: "a path, percent-encoded", but: "?#") { return flaw }
        guard path.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") }) else { return nil }
        guard let decoded = decoded(path) else { return "the path is wrongly percent-encoded" }
        if decoded.contains(where: { $0 < 0x20 || $0 == 0x7f }) { return "the path holds a control character" }
        // Servers differ in what they take for a separator, and some leave out what follows a semicolon.
        let segments = decoded.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        for segment in segments {
            let name = segment.prefix { $0 != UInt8(ascii: ";") }
            if name.elementsEqual("..".utf8) || name.elementsEqual(".".utf8) {
                return "the path has a segment '.' or '..', and would leave the base URL"
            }
        }
        return nil
    }

    private static func flaw(ofQuery query: String) -> String? {
        strangeByte(in: query, expecting: "a query, percent-encoded", but: "#")
    }

    private static func strangeByte(in text: String, expecting form: String, but excluded: String) -> String? {
        let strange = text.utf8.contains { byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
                UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"), UInt8(ascii: "#"):
                true
            case UInt8(ascii: "?"): excluded.utf8.contains(byte)
            default: byte <= 0x20 || byte >= 0x7f
            }
        }
        return strange ? "there is a character that no URL may hold, expected \(form)" : nil
    }

    private static func decoded(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        let source = Array(text.utf8)
        bytes.reserveCapacity(source.count)
        var index = 0
        while index < source.count {
            if source[index] == UInt8(ascii: "%") {
                guard index + 2 < source.count, let byte = Hexadecimal.byte(source[index + 1], source[index + 2]) else {
                    return nil
                }
                bytes.append(byte)
                index += 3
            } else {
                bytes.append(source[index])
                index += 1
            }
        }
        return bytes
    }
}
