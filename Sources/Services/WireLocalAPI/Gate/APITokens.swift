import WireBase
import WireHTTP
import WireSecrets

/// The tokens the loopback address accepts, and what each lets its holder do.
///
/// All of them are compared each time, whatever differs: the time it takes tells their lengths at most.
struct APITokens: Sendable {
    private let known: [(token: Secret<[UInt8]>, rights: Rights)]

    init(_ tokens: [(token: Secret<String>, rights: Rights)]) {
        known = tokens.map { (Secret(Array($0.token.reveal().utf8)), $0.rights) }
    }

    func rights(of token: some Sequence<UInt8>) -> Rights? {
        let token = Array(token)
        var found: Rights?
        for candidate in known where isEqual(candidate.token.reveal(), token) { found = found ?? candidate.rights }
        return found
    }
}
