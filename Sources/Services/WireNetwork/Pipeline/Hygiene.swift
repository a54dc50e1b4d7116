import WireBase
import WireHTTP

/// Which header fields go on, and which are between two neighbours only.
enum Hygiene {
    /// What a server said, without what was for the connection, and without what only corewire says.
    static func received(_ fields: Fields) -> Fields {
        kept(fields) { isCorewires($0) }
    }

    /// What an app sent, without what was for the connection or for corewire.
    ///
    /// Neither `Authorization` nor `Cookie` goes on: over a loopback address they are the local API's own.
    static func sent(_ fields: Fields) -> Fields {
        kept(fields) { name in isCorewires(name) || name.isOne(of: ownRequestFields) }
    }

    /// What a server's answer may say to an app, which reads it at the address of the local API: nothing that would hold for
    /// all of that address.
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

    /// The fields that `Connection` names as its own (RFC 9110, section 7.6.1).
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
        "Authorization", "Cookie", "Host", "Content-Length", "Expect", "Proxy",
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
