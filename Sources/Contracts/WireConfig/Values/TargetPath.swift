package import WireBase

extension WebURL {
    /// Appends a percent-encoded path and query to this URL; used for every request URL.
    ///
    /// One leading slash is ignored: `/orders` and `orders` are the same, below the path of this URL. An empty path, or
    /// `/`, is this URL itself. The query of this URL is dropped.
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
    /// The URL relative to a base URL: itself where it is absolute, otherwise below the base URL.
    package func target(below base: WebURL) throws(Fault) -> WebURL {
        if let absolute { return absolute }
        guard let parts = URLParts(text) else {
            throw Fault("\(text.quoted) contains a character that is not allowed in a URL")
        }
        return try base.below(parts.path, query: parts.query)
    }

    /// The URL relative to a base URL; nil where there is no base URL, or the address cannot be appended.
    package func resolved(against base: WebURL?) -> WebURL? {
        if let absolute { return absolute }
        return base.flatMap { try? target(below: $0) }
    }
}

/// Validates paths and queries so that a request cannot leave the base URL.
package enum TargetPath {
    /// Joins two paths with one slash; an empty path adds nothing.
    package static func joined(_ base: String, _ path: String) -> String {
        let rest = path.utf8.first == UInt8(ascii: "/") ? String(path.dropFirst()) : path
        if rest.isEmpty { return base }
        return base.utf8.last == UInt8(ascii: "/") ? base + rest : "\(base)/\(rest)"
    }

    /// The flaw of a path and query; nil where they are valid.
    package static func flaw(below path: String, query: String?) -> String? {
        if path.utf8.starts(with: "//".utf8) {
            return "the path begins with two slashes, after which some servers expect a host; expected one or none"
        }
        return flaw(ofPath: path) ?? query.flatMap(flaw(ofQuery:))
    }

    /// The flaw of a percent-encoded path; nil where it is valid.
    package static func flaw(ofPath path: String) -> String? {
        if let flaw = strangeByte(in: path, expecting: "a path, percent-encoded", but: "?#") { return flaw }
        guard path.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") }) else { return nil }
        guard let decoded = decoded(path) else { return "the path has an invalid percent-encoding" }
        if decoded.contains(where: { $0 < 0x20 || $0 == 0x7f }) { return "the path contains a control character" }
        // Servers differ in their separators, and some ignore the text after a semicolon.
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
        return strange ? "found a character that is not allowed in a URL, expected \(form)" : nil
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
