import WireBackendContract
import WireBackends
import WireBase
import WireConfig
import WireHTTP
import WireMQTT
import WireTelemetry

/// The MQTT broker at a WebSocket, `/mqtt`; over TCP it is at an address of its own.
struct MQTTServer: BuiltInServer {
    let broker: Broker
    /// The TCP address, such as `mqtt://127.0.0.1:1883`; nil before the broker listens there.
    let address: @Sendable () -> String?
    /// The WebSocket codec; nil where the program provides none.
    let framing: (any WebSocketFraming)?
    let faultInjector: FaultInjector
    let clock: TimeSource
    /// Fires when the server ends.
    let ending: OneShot
    let log: Log

    /// The name of the TCP address.
    static let tcpName = "mqtt"
    /// The subprotocol that clients must offer (MQTT 5, section 6).
    private static let subprotocol = "mqtt"

    var segments: [String] { ["mqtt"] }

    func signs(at address: String) -> [EndpointInfo] {
        let places = [self.address(), "ws\(address.dropFirst(4))/mqtt"].compactMap { $0 }
        return [EndpointInfo(title: "MQTT broker, over TCP and as a WebSocket", places: places)]
    }

    func exchange(for head: Request) -> Exchange {
        let path = head.target.segments
        guard path.count == 1 || path.count == 2 && path[1].isEmpty else {
            return .plainly(.notFound, "the broker is at /mqtt")
        }
        guard head.method == .get else { return .refused(allowing: [.get]) }
        return Exchange(.stream(upTo: .bytes(0)) { request, _ in accept(request).guarded() })
    }

    private func accept(_ request: Request) -> Response {
        do throws(Problem) {
            guard let framing else {
                throw Problem(
                    .notFound,
                    "not-found",
                    "WebSockets are not supported",
                    detail: "this program provides no WebSockets"
                )
            }
            guard Self.isOwn(request) else {
                throw Problem(
                    .forbidden,
                    "foreign-origin",
                    "foreign origin",
                    detail: "pages of other servers cannot use the broker"
                )
            }
            let handshake = try WebSocketHandshake(request)
            guard handshake.protocols.contains(Self.subprotocol) else {
                throw Problem(
                    .badRequest,
                    "subprotocol-expected",
                    "subprotocol expected",
                    detail: "offer 'mqtt' in 'Sec-WebSocket-Protocol'"
                )
            }
            return handshake.accept(in: Self.subprotocol) { stream in await serveSocket(on: stream, framing) }
        } catch {
            return error.response
        }
    }

    /// Whether a request is not from a web page, or from one of this machine or of the embedded servers.
    ///
    /// ``EmbeddedRouter`` has checked the host, so that a page cannot give its own name to this address.
    private static func isOwn(_ request: Request) -> Bool {
        request.fields.values(of: "Origin").allSatisfy { origin in
            guard let url = try? WebURL(parsing: origin) else { return false }
            return url.isLoopback || url.server == request.fields["Host"]
        }
    }

    private func serveSocket(on stream: any ByteStream, _ framing: any WebSocketFraming) async {
        var limits = AcceptedSocket.Limits()
        (limits.acceptsBinary, limits.silence) = (true, .seconds(60))
        await AcceptedSocket.serve(on: stream, framing: framing, limits: limits, clock: clock) { socket in
            await run(SocketTransport(socket: socket))
            return .normal
        }
    }

    /// Serves a TCP connection, to which faults apply as to a request for the WebSocket.
    func serve(on stream: any ByteStream) async {
        let fate = Self.request.map { faultInjector.fate(of: $0) } ?? FaultInjector.Fate()
        var delay = fate.delay
        var refusal: ReasonCode? = fate.fails ? .serverUnavailable : nil
        switch fate.fault?.order.kind {
        case .reset: return
        case .blackHole: return await swallow(stream)
        case .status: refusal = .serverUnavailable
        case .latency: delay += .milliseconds(fate.fault?.order.latencyMilliseconds ?? 1_000)
        case .drip, .truncate, .wrongLength, nil: break
        }
        let code = refusal
        if delay > .zero { try? await clock.sleep(delay) }
        await StreamTransport.serve(on: stream) { await run($0, refusing: code) }
    }

    /// The request as which a TCP connection counts.
    private static let request = Target(parsing: "/mqtt").map {
        Request(method: .get, target: $0, fields: [:], caller: .address(""))
    }

    /// Reads to the end without a response.
    private func swallow(_ stream: any ByteStream) async {
        while let bytes = try? await stream.read(upTo: .kibibytes(64), within: nil), !bytes.isEmpty {}
    }

    private func run(_ transport: any BrokerTransport, refusing refusal: ReasonCode? = nil) async {
        await BrokerConnection(transport, broker, clock, log, refusing: refusal).run(until: ending)
    }
}
