import WireBackends
import WireBase
import WireConfig
import WireHTTP
import WireJOSE
import WireStore
import WireTelemetry

/// A Web Push service as Mozilla's (autopush): a WebSocket for receivers at `/autopush`, endpoints for senders below
/// `/wpush` (RFC 8030).
struct AutopushServer: BuiltInServer {
    let mailboxes: AutopushMailboxes
    /// The WebSocket codec; nil where the program provides none.
    let framing: (any WebSocketFraming)?
    let clock: TimeSource
    /// Fires when the server ends.
    let ending: OneShot
    let log: Log

    /// The largest request that is read, to answer it in the server's own words.
    private static let limit = ByteCount.kibibytes(64)
    /// The subprotocol that Firefox asks for.
    private static let subprotocol = "push-notification"

    var segments: [String] { ["autopush", "wpush", "m"] }

    func signs(at address: String) -> [EndpointInfo] {
        [EndpointInfo(title: "autopush: Web Push for this device", places: ["ws\(address.dropFirst(4))/autopush"])]
    }

    func exchange(for head: Request) -> Exchange {
        let path = head.target.segments
        switch (path.first, path.count) {
        case ("autopush", 1...2) where path.count == 1 || path[1].isEmpty:
            guard head.method == .get else { return .refused(allowing: [.get]) }
            return Exchange(.stream(upTo: .bytes(0)) { request, _ in accept(request).guarded() })
        case ("wpush", 3):
            guard head.method == .post else { return .refused(allowing: [.post]) }
            return perform { try await post($0, version: path[1], token: path[2]) }
        case ("m", 2):
            guard head.method == .delete else { return .refused(allowing: [.delete]) }
            return perform { _ in
                guard try await mailboxes.withdraw(path[1]) else { throw EmbeddedError.autopushUnknown }
                return Response(.noContent)
            }
        default: return Exchange(.answer(EmbeddedError.autopushUnknown.response.guarded()))
        }
    }

    private func perform(_ work: @escaping @Sendable (Request) async throws -> Response) -> Exchange {
        .embedded(
            "autopush",
            log,
            upTo: Self.limit,
            failure: { ($0 as? StoreFailure)?.kind == .full ? .autopushBusy : .autopushFailed },
            work
        )
    }

    // MARK: Receivers

    private func accept(_ request: Request) -> Response {
        guard let framing else {
            return Problem(
                .notFound,
                "not-found",
                "WebSockets are not supported",
                detail: "this program provides no WebSockets"
            ).response
        }
        do throws(Problem) {
            let handshake = try WebSocketHandshake(request)
            let subprotocol = handshake.protocols.contains(Self.subprotocol) ? Self.subprotocol : nil
            return handshake.accept(in: subprotocol) { stream in await serve(on: stream, framing) }
        } catch {
            return error.response
        }
    }

    private func serve(on stream: any ByteStream, _ framing: any WebSocketFraming) async {
        var limits = AcceptedSocket.Limits()
        limits.message = Self.limit
        // The connection pings at its own times.
        limits.silence = .seconds(600)
        await AcceptedSocket.serve(on: stream, framing: framing, limits: limits, clock: clock) { socket in
            await AutopushConnection(socket, mailboxes, clock, log).run(until: ending)
            return .goingAway
        }
    }

    // MARK: Senders

    private func post(_ request: Request, version: String, token: String) async throws -> Response {
        guard let origin = mailboxes.origin else { throw EmbeddedError.autopushBusy }
        let names = try await mailboxes.names()
        guard let endpoint = try names.endpoint(of: token, version: version) else {
            throw EmbeddedError.autopushUnknown
        }
        try check(request.fields["Authorization"], for: endpoint, at: origin, names)
        let message = try AutopushMessage(request, to: endpoint.channel)
        let id = try await mailboxes.accept(message, for: endpoint)
        return Response(.created, fields: ["Location": "\(origin)/m/\(id)", "TTL": "\(message.lifetime)"])
    }

    /// Checks the sender, where it shows its key or the channel has one.
    private func check(_ field: String?, for endpoint: AutopushEndpoint, at origin: Origin, _ names: AutopushNames)
        throws
    {
        guard let field else {
            guard endpoint.keyDigest == nil else { throw EmbeddedError.autopushVAPID("missing 'Authorization'") }
            return
        }
        let machine = mailboxes.machine
        let sender: VAPID
        do throws(Fault) {
            sender = try VAPID(verifying: field, for: origin, now: machine.now, with: machine.signatures)
        } catch {
            throw EmbeddedError.autopushVAPID(error.reason)
        }
        guard try endpoint.keyDigest.map({ try names.digest(ofKey: sender.publicKey) == $0 }) ?? true else {
            throw EmbeddedError.autopushVAPID("the subscription is for another sender")
        }
    }
}
