import WireBase
import WireConfig
import WireHTTP
import WireService

/// What push servers answer: whether a good status comes from them at all, and what they say of a bad one.
extension PushRegistrar {
    /// Why an answer with a good status is none of this server's; nil where it is one.
    ///
    /// A network that wants a sign-in first, and a proxy in between, answer any request with a page and status 200.
    func objection(to answer: OutboxAnswer, to kind: PushErrand.Kind, telling token: ProviderToken?) -> String? {
        if answer.isPage { return "an HTML page, which is none of this server's answers" }
        let json = answer.json
        if json == nil, answer.claimsJSON { return "JSON that cannot be read, or was cut off" }
        switch (value, kind) {
        case (.unifiedPush, .register), (.unifiedPush, .update):
            guard let device = json, device.members != nil else { return "no JSON, where it tells the device" }
            guard let told = device["deviceToken"]?.string, let token else { return nil }
            return told == token.text ? nil : "another device than it was told"
        case (.altcraft, _) where kind.isOfRegistration || kind == .profile:
            return json?["error"]?.integer == nil ? "no JSON with 'error', which the platform always tells" : nil
        default: return nil
        }
    }

    /// What the server says of its refusal, in one line and without what it was told in confidence; nil where it says nothing.
    func words(of answer: OutboxAnswer, without secrets: [String]) -> String? {
        answer.words(without: secrets + credentials)
    }

    /// What requests of the registrar carry that a server may repeat.
    private var credentials: [String] {
        switch value {
        case .unifiedPush(let account):
            let secret = account.variantSecret.reveal()
            return [secret, Base64.text(of: Array("\(account.variantID.text):\(secret)".utf8))]
        case .healthCloud(let account): return [account.apiKey.reveal()]
        case .rest(let account): return account.apiKey.map { [$0.reveal()] } ?? []
        case .altcraft(let account): return account.roleToken.map { [$0.reveal()] } ?? []
        case .halo: return []
        }
    }
}
