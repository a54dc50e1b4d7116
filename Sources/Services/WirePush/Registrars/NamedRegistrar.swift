import WireBase
import WireConfig
import WireHTTP
import WireWorkContract

/// A registrar of the file with its address in this environment.
struct NamedRegistrar: Sendable {
    let name: String
    let value: any PushRegistrar
    /// The base of its request paths.
    let address: String

    init(_ name: String, _ value: any PushRegistrar, in host: PushHost) {
        (self.name, self.value, address) = (name, value, value.address(of: name, in: host))
    }

    var path: String { "push.registrars.\(name)" }
    /// The value of `type`.
    var type: String { Swift.type(of: value).word }

    /// Whether the server accepts requests of a kind.
    func takes(_ kind: PushOperation.Kind) -> Bool { value.operations.contains(kind) }

    func number(of happening: PushServerEvent) -> PushNumber? { Swift.type(of: value).number(of: happening) }

    // MARK: What it answers

    /// Why a response with a status of success did not come from this server; nil where it did.
    ///
    /// A captive portal or a proxy responds to any request with a page and status 200.
    func objection(to answer: OutboxAnswer, to kind: PushOperation.Kind, telling token: ProviderToken?) -> String? {
        if answer.isPage { return "an HTML page, which this server never sends" }
        let json = answer.json
        if json == nil, answer.claimsJSON { return "malformed or truncated JSON" }
        return value.objection(to: json, for: kind, telling: token)
    }

    /// The server's reason for a rejection, in one line without the secrets of the request; nil where there is none.
    func words(of answer: OutboxAnswer, without secrets: [String]) -> String? {
        answer.words(without: secrets + value.credentials)
    }
}
