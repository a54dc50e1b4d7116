import WireBase
import WireService

/// The tokens the loopback address accepts, and what each lets its holder do.
///
/// They are compared as digests, in the same time whatever differs, and all of them each time.
struct APITokens: Sendable {
    private let known: [(digest: [UInt8], rights: Rights)]
    private let confidences: any Confidences

    init(_ tokens: [(token: Secret<String>, rights: Rights)], _ confidences: any Confidences) {
        known = tokens.map { (confidences.digest(of: Array($0.token.reveal().utf8)), $0.rights) }
        self.confidences = confidences
    }

    func rights(of token: String) -> Rights? {
        let digest = confidences.digest(of: Array(token.utf8))
        var found: Rights?
        for candidate in known where confidences.isSame(candidate.digest, as: digest) { found = found ?? candidate.rights }
        return found
    }
}
