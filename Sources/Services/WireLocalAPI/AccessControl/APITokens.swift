import WireBase
import WireHTTP
import WireSecrets

/// The tokens of the loopback address with their rights.
///
/// All of them are compared each time, so that the duration reveals at most their lengths.
struct APITokens: Sendable {
    private let known: [(token: Secret<[UInt8]>, rights: Rights)]

    init(_ tokens: [(token: Secret<String>, rights: Rights)]) {
        known = tokens.map { (Secret(Array($0.token.reveal().utf8)), $0.rights) }
    }

    func rights(of token: Span<UInt8>) -> Rights? {
        var found: Int?
        for index in known.indices {
            let candidate = known[index].token.reveal()
            if isEqual(candidate.span, token) { found = found ?? index }
        }
        return found.map { known[$0].rights }
    }
}
