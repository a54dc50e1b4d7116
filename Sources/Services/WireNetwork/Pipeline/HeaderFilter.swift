import WireBase
import WireHTTP

/// Removes hop-by-hop and internal header fields.
enum HeaderFilter {
    /// The fields of a server's response without those of the connection and those that only corewire sets.
    static func received(_ fields: Fields) -> Fields {
        kept(fields) { isCorewires($0) }
    }

    /// The fields of an app's request without those of the connection and of corewire.
    ///
    /// `Authorization` and `Cookie` are removed: over a loopback address they belong to the local API. So are the
    /// fields by which a browser describes its page and its request to the local API.
    static func sent(_ fields: Fields) -> Fields {
        kept(fields) { name in
            isCorewires(name) || name.isOne(of: ownRequestFields) || name.startsLikeField("Sec-")
        }
    }

    /// The fields of a server's response that an app may see at the address of the local API.
    ///
    /// Fields that would apply to that whole address are removed.
    static func answered(_ fields: Fields) -> Fields {
        kept(fields) { $0.isOne(of: originFields) || $0.startsLikeField("Access-Control-") }
    }

    private static func kept(_ fields: Fields, unless isLeftOut: (String) -> Bool) -> Fields {
        let named = connectionNames(fields)
        var kept = Fields()
        for field in fields.all {
            let isOfConnection = field.name.isOne(of: hopByHop) || (!named.isEmpty && field.name.isOne(of: named))
            if !isOfConnection, !isLeftOut(field.name) { kept.add(field.name, field.value) }
        }
        return kept
    }

    /// The fields that `Connection` names (RFC 9110, section 7.6.1).
    private static func connectionNames(_ fields: Fields) -> [String] {
        guard fields["Connection"] != nil else { return [] }
        return fields.values(of: "Connection").flatMap { $0.split(separator: ",") }
            .map { String($0.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }) }
    }

    private static func isCorewires(_ name: String) -> Bool {
        name.startsLikeField("Corewire-") || name.isSameField(as: "X-Corewire")
    }

    private static let hopByHop = [
        "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "TE", "Trailer",
        "Transfer-Encoding", "Upgrade", "HTTP2-Settings",
    ]

    private static let ownRequestFields = [
        "Authorization", "Cookie", "Host", "Content-Length", "Expect", "Proxy", "Origin", "Referer", "Pragma",
        "Upgrade-Insecure-Requests",
    ]

    private static let originFields = [
        "Set-Cookie", "Strict-Transport-Security", "Alt-Svc", "Clear-Site-Data", "Public-Key-Pins",
        "Content-Security-Policy", "Content-Security-Policy-Report-Only", "Service-Worker-Allowed", "Report-To", "NEL",
        "Reporting-Endpoints",
    ]
}

extension String {
    fileprivate func isOne(of names: [String]) -> Bool { names.contains { isSameField(as: $0) } }

    fileprivate func startsLikeField(_ start: String) -> Bool {
        let (own, other) = (utf8, start.utf8)
        guard own.count >= other.count else { return false }
        return zip(own, other).allSatisfy { $0 == $1 || ($0 ^ $1 == 0x20 && $1.isLetter) }
    }
}
