package import WireBase
package import WireConfig
package import WireGraphQL
package import WireHTTP
package import WireNetworkContract
package import WireService

/// One connection to the server of subscriptions.
package protocol SubscriptionConnection: Sendable {
    /// Sends a subscription, now or once connected.
    func subscribe(_ key: Int, _ request: GraphQLRequest)
    /// Ends a subscription at the server.
    func unsubscribe(_ key: Int)
    /// Connects, and reports events until the end; closes gracefully when `leave` fires.
    func run(until leave: OneShot, _ tell: @escaping @Sendable (ConnectionEvent) -> Void) async -> ConnectionEnd
}

/// An event of an open connection.
package enum ConnectionEvent: Sendable {
    /// Subscriptions may be sent from now on; reported before ``ready(goodFor:)``, possibly repeatedly.
    case begins
    /// The server has accepted it; the token is valid for a time.
    case ready(goodFor: Duration?)
    /// An event of a subscription, with the size of its text.
    case event(Int, SocketClientSession.Event, size: Int)
}

/// The settings of subscriptions in the file.
package struct SubscriptionSettings: Sendable {
    /// The transport to the server.
    package enum Transport: Sendable, Equatable {
        /// A WebSocket with the offered subprotocols, in order of preference.
        case socket([SocketProtocol])
        /// A request for each subscription, with an event stream as response.
        case eventStream
    }

    package var address: Address
    package var transport = Transport.socket(SocketProtocol.allCases)
    package var fields: Fields = [:]
    package var authorization = ServerCall.Authorization.usual
    /// Whether `connection_init` carries the token as well.
    package var tokenInPayload = false
    package var reconnect = ConnectionPlan.Rules(min: .seconds(1), max: .seconds(60), attempts: nil)
    /// The keep-alive interval of a silent WebSocket; zero for none.
    package var keepAlive: Duration = .seconds(30)
    package var connectionTimeout: Duration = .seconds(10)
    /// The maximum size of a message.
    package var message: ByteCount = .mebibytes(4)
    package var place: ValueOrigin?

    package init(_ address: Address) { self.address = address }
}

/// The dependencies of subscriptions besides the file.
package struct SubscriptionMeans: Sendable {
    package var requests: any ServerClient
    package var framing: (any WebSocketFraming)?
    package var tokens: (any AccessTokens)?
    package var connectivity: (any Connectivity)?
    package var clock: TimeSource
    /// 16 unpredictable bytes.
    package var nonce: @Sendable () -> [UInt8]?
    /// A random number from 0 to 1.
    package var chance: @Sendable () -> Double = { .random(in: 0...1) }

    package init(_ requests: any ServerClient, clock: TimeSource, nonce: @escaping @Sendable () -> [UInt8]?) {
        (self.requests, self.clock, self.nonce) = (requests, clock, nonce)
    }
}

extension SubscriptionMeans {
    /// The token of a call, where it has one and the server may get it.
    func token(for call: ServerCall) async throws(CallFailure) -> AccessToken? {
        guard let tokens else { return nil }
        let mode: TokenMode?
        switch try requests.target(of: call).authorization {
        case .none: return nil
        case .token(let asked): mode = asked
        case .usual: mode = nil
        }
        do throws(TokenRefusal) {
            return try await tokens.token(TokenQuery(mode))
        } catch {
            throw CallFailure(.noToken(error.reason), error.guidance, wasNotSent: true, origin: error.origin)
        }
    }

    /// How long a token is used before the connection is replaced.
    func goodFor(_ token: AccessToken?) -> Duration? {
        guard let expires = token?.expires else { return nil }
        // A token's last minute is left for work in progress.
        return max(.milliseconds(expires - clock.wall()) - .seconds(60), .seconds(10))
    }
}

extension ConnectionEnd {
    init(_ failure: CallFailure) {
        self.init(failure.mayPass ? .retry : .fail, failure.reason, retryAfter: failure.retryAfter)
    }

    /// Makes the end of an unexpected response.
    init(_ status: Status, _ fields: Fields, expected: String) {
        let words = "the server responded with status \(status.code), expected \(expected)"
        switch status.code {
        case 401, 403: self.init(.renewToken, words)
        case _ where status.isTransient:
            let seconds = fields["Retry-After"].flatMap { Int64($0) }.flatMap { $0 >= 0 ? min($0, 86_400) : nil }
            self.init(.retry, words, retryAfter: seconds.map { .seconds($0) })
        default: self.init(.fail, words)
        }
    }

    static let left = ConnectionEnd(.retry, "the connection was closed")
}
