import WireBase
import WireHTTP
import WireSecrets

/// The tokens the loopback address accepts, and what each lets its holder do.
///
/// They are compared as digests, which takes the same time whatever differs, and all of them each time.
struct APITokens: Sendable {
    private let known: [(digest: Digest, rights: Rights)]
    private let secrecy: any Secrecy

    init(_ tokens: [(token: Secret<String>, rights: Rights)], _ secrecy: any Secrecy) throws {
        known = try tokens.map { (try secrecy.digest(Array($0.token.reveal().utf8)), $0.rights) }
        self.secrecy = secrecy
    }

    func rights(of token: String) -> Rights? {
        guard let digest = try? secrecy.digest(Array(token.utf8)) else { return nil }
        var found: Rights?
        for candidate in known where candidate.digest == digest { found = found ?? candidate.rights }
        return found
    }
}
