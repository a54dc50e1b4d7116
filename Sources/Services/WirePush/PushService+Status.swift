import WireBase
package import WireConfig
import WireDeviceContract
import WireHTTP
import WireNetworkContract
package import WirePushContract
import WireService

/// The platform's own status of a subscription, requested while the caller waits.
extension PushService {
    /// Requests a subscription from the platform; the result shows only the end of its token.
    package func status(_ query: PushStatusQuery, at name: String) async throws(PushFailure) -> JSONValue {
        let registrar = try registrar(name, thatTakes: .status)
        let (owner, known) = try await rejecting("status", at: name) { () async throws(PushFailure) in
            let owner = try await self.owner(of: registrar)
            let told = try await self.kept { () async throws(Fault) in
                try await self.reconciler.repository.registration(name, owner.tag).acknowledged
            }
            return (owner, told?.token)
        }
        // The token that the server has, or the present one where it has none.
        let registrarStatus = reconciler.registrarStatus(name)
        let token = known ?? registrarStatus.token
        if query != .latest, token == nil {
            let reason = "no provider has a token"
            reject(.noToken, "status", at: name, because: reason)
            throw PushFailure(.notNow, reason, help: registrarStatus.waiting?.fault.help)
        }
        var moment = PushRequestValues(device: PushDevice(), time: reconciler.host.clock.wall(), id: UUIDText.random())
        (moment.token, moment.query) = (token, query)
        let operation = PushOperation(.status, name, tag: owner.tag, time: moment.time)
        guard let call = owner.wire.call(operation, moment) else { throw notSupported(registrar) }
        let bytes = try await answer(to: call, of: registrar)
        guard let answer = PushAnswer(bytes) else {
            throw PushFailure(
                .server,
                "the platform did not respond with JSON",
                origin: reconciler.origin(of: registrar)
            )
        }
        PushTelemetry(reconciler.host).done(.status, registrar, token: token, status: 200, note: answer.complaint)
        return Self.shown(answer.json)
    }

    func answer(to call: PushCall, of registrar: NamedRegistrar, within limit: Duration = .seconds(30))
        async throws(PushFailure) -> [UInt8]
    {
        guard let requests = reconciler.host.uses.requests else {
            throw PushFailure(.server, "no HTTP client available in this runner")
        }
        let destination: ServerCall.Destination
        do throws(Fault) {
            destination = try .init(parsing: call.address)
        } catch {
            throw PushFailure(.server, error.reason, origin: reconciler.origin(of: registrar))
        }
        var request = ServerCall(call.method, destination, from: PushSection.name)
        request.redirects = .unchanged
        (request.fields, request.authorization) = (call.fields, call.authorization)
        if !call.body.isEmpty { request.body = .bytes(call.body) }
        (request.offlinePolicy, request.waitsForNetwork) = (OfflinePolicy.none, false)
        request.deadline = limit
        request.secretInPath = call.secretInPath
        request.place = reconciler.origin(of: registrar)
        do throws(CallFailure) {
            let answer = try await requests.send(request)
            let bytes = (try? await answer.body.collect(upTo: .mebibytes(1))) ?? []
            guard (200...299).contains(answer.status.code) else {
                let reason = "the platform responded with status \(answer.status.code)"
                PushTelemetry(reconciler.host).failed(.status, registrar, because: reason, status: answer.status.code)
                throw CallFailure(.forbidden, reason, wasNotSent: false)
            }
            return bytes
        } catch {
            let origin = error.origin ?? reconciler.origin(of: registrar)
            throw PushFailure(.server, error.reason, help: error.help, origin: origin)
        }
    }

    /// Removes tokens: a token is enough to send pushes.
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
