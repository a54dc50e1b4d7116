import WireBase
package import WireConfig
import WireHTTP
import WireService

/// What the platform itself knows, asked while somebody waits.
extension PushService {
    /// A subscription as Altcraft tells it; of its token no more than the end.
    package func status(_ query: AltcraftWire.StatusQuery, at name: String) async throws(PushRefusal) -> JSONValue {
        try await rejecting("status", at: name) { () async throws(PushRefusal) in
            try await self.answered(query, at: name)
        }
    }

    private func answered(_ query: AltcraftWire.StatusQuery, at name: String) async throws(PushRefusal) -> JSONValue {
        let (registrar, account) = try altcraft(name)
        let (tag, altcraft) = try await owner(of: registrar)
        guard let altcraft else { throw PushRefusal(.notNow, "nobody knows whose profile it is") }
        let standing = desk.standing(name)
        // The token the server knows, and the present one where it knows none.
        let known = try await kept { () async throws(Fault) in try self.desk.keeper.registration(name, tag).told?.token
        }
        let token = known ?? standing.token
        if query != .latest, token == nil {
            var refusal = PushRefusal(.notNow, "no provider has a token", help: standing.waiting?.fault.help)
            refusal.event = .noStatusData
            throw refusal
        }
        let wire = AltcraftWire(account, altcraft, at: registrar.address)
        let call = wire.status(query, token, id: UUIDText.random())
        let bytes = try await answer(to: call, of: registrar)
        guard let answer = AltcraftAnswer(bytes) else {
            throw PushRefusal(.refused, "the platform answered no JSON", origin: desk.origin(of: registrar))
        }
        PushNews(desk.host).done(.status, registrar, token: token, status: 200, note: answer.complaint)
        return Self.shown(answer.json)
    }

    func answer(to call: PushCall, of registrar: PushRegistrar, within limit: Duration = .seconds(30))
        async throws(PushRefusal) -> [UInt8]
    {
        guard let requests = desk.host.find(.serverRequests) else {
            throw PushRefusal(.refused, "nothing sends requests to servers here")
        }
        let destination: ServerCall.Destination
        do throws(UnfitTarget) {
            destination = try .init(parsing: call.address)
        } catch {
            throw PushRefusal(.refused, error.reason, origin: desk.origin(of: registrar))
        }
        var request = ServerCall(call.method, destination, from: PushSection.name)
        request.redirects = .unchanged
        (request.fields, request.authorization) = (call.fields, call.authorization)
        if !call.body.isEmpty { request.body = .bytes(call.body) }
        (request.offlinePolicy, request.waitsForNetwork) = (OfflinePolicy.none, false)
        request.deadline = limit
        request.secretInPath = call.secretInPath
        request.place = desk.origin(of: registrar)
        do throws(CallFailure) {
            let answer = try await requests.send(request)
            let bytes = (try? await answer.body.collect(upTo: .mebibytes(1))) ?? []
            guard (200...299).contains(answer.status.code) else {
                let reason = "the platform answered \(answer.status.code)"
                PushNews(desk.host).failed(.status, registrar, because: reason, status: answer.status.code)
                throw CallFailure(.forbidden, reason, wasNotSent: false)
            }
            return bytes
        } catch {
            let origin = error.origin ?? desk.origin(of: registrar)
            throw PushRefusal(.refused, error.reason, help: error.help, origin: origin)
        }
    }

    /// Without tokens: whoever has one can push.
    static func shown(_ json: JSONValue) -> JSONValue {
        switch json {
        case .object(let members):
            .object(
                members.map { name, value in
                    guard name == "subscription_id" || name.lowercased().hasSuffix("token"), let text = value.string
                    else { return (name, shown(value)) }
                    return (name, .string(ProviderToken.ending(of: text)))
                }
            )
        case .array(let items): .array(items.map(shown))
        default: json
        }
    }
}

/// Names nobody else makes (RFC 9562, version 4).
enum UUIDText {
    static func random() -> String {
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        (bytes[6], bytes[8]) = (bytes[6] & 0x0f | 0x40, bytes[8] & 0x3f | 0x80)
        let digits = Array(Hexadecimal.text(of: bytes))
        return [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
            .map { String($0) }.joined(separator: "-")
    }
}
