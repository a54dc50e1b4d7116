package import WireBase
package import WireConfig
package import WireGraphQL
package import WireHTTP
package import WireNetworkContract
package import WireService

/// One connection to the server of subscriptions, from opening it to its end.
package protocol SubscriptionConnection: Sendable {
    /// Asks the server for a subscription, now or when the connection stands.
    func subscribe(_ key: Int, _ request: GraphQLRequest)
    /// Ends it there.
    func unsubscribe(_ key: Int)
    /// Opens it, and tells what comes until it has ended; leaves politely when it is told to.
    func run(until leave: OneShot, _ tell: @escaping @Sendable (ConnectionEvent) -> Void) async -> ConnectionEnd
}

/// What a connection tells while it stands.
package enum ConnectionEvent: Sendable {
    /// The server may be told of the subscriptions from now on; told before ``ready(goodFor:)``, maybe more than once.
    case begins
    /// The server has accepted it; with a token that is good for so long.
    case ready(goodFor: Duration?)
    /// An event of a subscription, whose text is of a size.
    case event(Int, SocketClientSession.Event, size: Int)
}

/// What the file says of subscriptions.
package struct SubscriptionSettings: Sendable {
    /// What is spoken with the server.
    package enum Transport: Sendable, Equatable {
        /// A WebSocket; the protocols that are offered, the one that is liked best first.
        case socket([SocketProtocol])
        /// A request for each subscription, answered by an event stream.
        case eventStream
    }

    package var address: Address
    package var transport = Transport.socket(SocketProtocol.allCases)
    package var fields: Fields = [:]
    package var authorization = ServerCall.Authorization.usual
    /// Whether `connection_init` carries the token as well.
    package var tokenInPayload = false
    package var reconnect = ConnectionPlan.Rules(min: .seconds(1), max: .seconds(60), attempts: nil)
    /// How often a silent WebSocket is asked whether it is still there; zero never asks.
    package var keepAlive: Duration = .seconds(30)
    package var connectionTimeout: Duration = .seconds(10)
    /// The largest message that is taken.
    package var message: ByteCount = .mebibytes(4)
    package var place: ValueOrigin?

    package init(_ address: Address) { self.address = address }
}

/// What subscriptions are made of besides the file.
package struct SubscriptionMeans: Sendable {
    package var requests: any ServerRequests
    package var framing: (any WebSocketFraming)?
    package var tokens: (any AccessTokens)?
    package var connectivity: (any Connectivity)?
    package var clock: Clockwork
    /// 16 bytes that cannot be foreseen.
    package var nonce: @Sendable () -> [UInt8]?
    /// From 0 to 1.
    package var chance: @Sendable () -> Double = { .random(in: 0...1) }

    package init(_ requests: any ServerRequests, clock: Clockwork, nonce: @escaping @Sendable () -> [UInt8]?) {
        (self.requests, self.clock, self.nonce) = (requests, clock, nonce)
    }
}

extension SubscriptionMeans {
    /// The token that a call will carry, where it carries one and its server may have it.
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

    /// How long a token is used before the connection is replaced by one with the next.
    func goodFor(_ token: AccessToken?) -> Duration? {
        guard let expires = token?.expires else { return nil }
        // A token's last minute is for what is under way.
        return max(.milliseconds(expires - clock.wall()) - .seconds(60), .seconds(10))
    }
}

extension ConnectionEnd {
    init(_ failure: CallFailure) {
        self.init(failure.mayPass ? .retry : .fail, failure.reason, retryAfter: failure.retryAfter)
    }

    /// The server answered, and not with what was asked for.
    init(_ status: Status, _ fields: Fields, expected: String) {
        let words = "the server answered with \(status.code), expected \(expected)"
        switch status.code {
        case 401, 403: self.init(.renewToken, words)
        case _ where status.isTransient:
            let seconds = fields["Retry-After"].flatMap { Int64($0) }.flatMap { $0 >= 0 ? min($0, 86_400) : nil }
            self.init(.retry, words, retryAfter: seconds.map { .seconds($0) })
        default: self.init(.fail, words)
        }
    }

    static let left = ConnectionEnd(.retry, "it was left")
}
