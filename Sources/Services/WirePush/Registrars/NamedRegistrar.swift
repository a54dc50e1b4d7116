import WireBase
import WireConfig
import WireHTTP
import WireWorkContract

/// One registrar of the file, wherever its server is in this environment.
struct NamedRegistrar: Sendable {
    let name: String
    let value: any PushRegistrar
    /// Everything before the paths of its requests.
    let address: String

    init(_ name: String, _ value: any PushRegistrar, in host: PushHost) {
        (self.name, self.value, address) = (name, value, value.address(of: name, in: host))
    }

    var path: String { "push.registrars.\(name)" }
    /// The value of `type`.
    var type: String { Swift.type(of: value).word }

    /// Whether it is told of such things.
    func takes(_ kind: PushErrand.Kind) -> Bool { value.errands.contains(kind) }

    func number(of happening: PushHappening) -> PushNumber? { Swift.type(of: value).number(of: happening) }

    // MARK: What it answers

    /// Why an answer with a good status is none of this server's; nil where it is one.
    ///
    /// A network that wants a sign-in first, and a proxy in between, answer any request with a page and status 200.
    func objection(to answer: OutboxAnswer, to kind: PushErrand.Kind, telling token: ProviderToken?) -> String? {
        if answer.isPage { return "an HTML page, which is none of this server's answers" }
        let json = answer.json
        if json == nil, answer.claimsJSON { return "JSON that cannot be read, or was cut off" }
        return value.objection(to: json, for: kind, telling: token)
    }

    /// What the server says of its refusal, in one line and without what it was told in confidence; nil where it says nothing.
    func words(of answer: OutboxAnswer, without secrets: [String]) -> String? {
        answer.words(without: secrets + value.credentials)
    }
}
