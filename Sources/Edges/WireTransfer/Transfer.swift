import CCurl
import WireBase
import WireHTTP

/// A transfer of libcurl on the engine's thread.
///
/// libcurl calls back with the object's address, so the object must live until its handle is removed from the
/// ``Multi``.
final class Transfer {
    /// The stage of the transfer, which determines its timeout.
    enum Stage {
        case connecting, waiting, receiving, discarding
    }

    let exchange: TransferExchange
    let options: TransferOptions
    private let alarm: Alarm
    let arrivals: Arrivals
    let network: NetworkState
    /// The number by which its sockets are identified.
    let number: UInt
    var easy: Easy
    var head: HeadReader
    private(set) var stage = Stage.connecting
    /// The deadline of the stage.
    private(set) var stageDue = Monotonic.never
    /// The deadline for the head of the response.
    private var headDue = Monotonic.never
    /// The reason for which a callback stopped the transfer, since libcurl knows only that one did.
    var failure: TransferFailure?
    /// The address that was refused, if any.
    var refusedAddress: RemoteAddress?
    /// Whether connecting has begun, so that the transfer no longer waits for a free connection.
    var hasBegun = false
    var attempts = 0
    /// The number of body bytes read by libcurl, and whether they are complete.
    var sentBytes = 0
    var hasSentAll = false
    /// The rest of a response that began before the whole body was sent, where its length is known.
    var answerLeft: Int?
    /// Whether the server has refused the rest of the body.
    var isRefused = false
    /// Whether the response is complete, even if libcurl would continue.
    var isDone = false
    /// Whether the connection is upgraded.
    var isUpgraded = false
    /// Whether bytes are exchanged without HTTP.
    var isConnected = false
    /// The bytes of such a connection that could not be sent, or received, yet.
    var unsent: ArraySlice<UInt8> = []
    var unread: [UInt8] = []
    /// The sockets opened for the transfer, and the one that is used.
    var sockets: [Int32] = []
    var socket: Int32?
    /// The local port of the connection that carries the request.
    var localPort: Int32 = 0
    var isReceivingHeld = false
    var isSendingHeld = false

    init(
        _ exchange: TransferExchange,
        _ options: TransferOptions,
        _ alarm: Alarm,
        _ arrivals: Arrivals,
        _ network: NetworkState
    ) throws(TransferFailure) {
        self.exchange = exchange
        self.options = options
        (self.alarm, self.arrivals, self.network) = (alarm, arrivals, network)
        number = network.sockets.newNumber()
        easy = try Easy()
        head = HeadReader(limit: options.head, fieldLimit: options.headFields, upgrade: exchange.hop.upgrade)
        if let limit = exchange.hop.headDeadline { headDue = Monotonic.after(limit) }
        try prepare()
        enter(.connecting)
        alarm.arm(exchange.deadline)
    }

    var hop: Hop { exchange.hop }

    // MARK: Deadlines

    func enter(_ stage: Stage) {
        self.stage = stage
        rearm()
    }

    /// Restarts the stage's timeout after progress.
    func rearm() {
        switch stage {
        case .connecting: stageDue = Monotonic.after(hop.connectTimeout)
        // The server need not respond before it has the body, nor send more than is read.
        case .waiting:
            stageDue = isSendingHeld && hop.upgrade == nil ? Monotonic.never : Monotonic.after(hop.headTimeout)
        case .receiving: stageDue = isReceivingHeld ? Monotonic.never : Monotonic.after(hop.idleTimeout)
        case .discarding: stageDue = Monotonic.after(.seconds(1))
        }
        alarm.arm(due)
    }

    /// Returns the failure for a deadline that has passed.
    func lateness(at now: UInt64) -> TransferFailure? {
        if now >= exchange.deadline {
            return failure(.timeout, "the request to \(hop.url.origin) did not end before its deadline")
        }
        if now >= headDue, stage == .connecting || stage == .waiting {
            return failure(.timeout, "no response from \(hop.url.origin) before the request's deadline")
        }
        guard now >= stageDue else { return nil }
        switch stage {
        case .connecting where !hasBegun:
            return failure(
                .exhausted,
                "no connection to \(hop.url.origin) became free within \(hop.connectTimeout)"
            )
        case .connecting:
            return failure(.timeout, "no connection to \(hop.url.origin) within \(hop.connectTimeout)")
        case .waiting:
            return failure(.timeout, "no response from \(hop.url.origin) within \(hop.headTimeout)")
        case .receiving:
            return failure(
                .timeout,
                "no byte of the response's body from \(hop.url.origin) within \(hop.idleTimeout)"
            )
        case .discarding:
            return failure(.cancelled, "the rest of an unread response did not arrive in time")
        }
    }

    /// The next deadline.
    var due: UInt64 {
        let own = stage == .connecting || stage == .waiting ? min(stageDue, headDue) : stageDue
        return min(own, exchange.deadline)
    }

    func failure(_ kind: TransferFailure.Kind, _ reason: String) -> TransferFailure {
        var failure = TransferFailure(kind, reason, wasNotSent: attempts == 0)
        failure.repeats = repeats
        return failure
    }

    /// The failure of a transfer whose connection was lost.
    var networkFailure: TransferFailure {
        var failure =
            attempts == 0
            ? failure(
                .unreachable,
                "the network of this machine changed before the connection to \(hop.url.origin)"
            )
            : failure(
                .interrupted,
                "the network of this machine changed before the end of the response of \(hop.url.origin)"
            )
        failure.isOfNetworkChange = true
        return failure
    }

    /// How often libcurl has repeated the request on a new connection.
    var repeats: Int { max(0, attempts - 1) }

    // MARK: Messages from the task

    /// Resumes paused directions where possible; returns libcurl's result if the transfer ends.
    func poll() -> CURLcode? {
        if exchange.isDiscarding, stage != .discarding { enter(.discarding) }
        let canReceive = isReceivingHeld && exchange.hasRoom
        let canSend = isSendingHeld && exchange.upload?.hasMore ?? false
        guard canReceive || canSend else { return nil }
        if canReceive { isReceivingHeld = false }
        if canSend { isSendingHeld = false }
        rearm()
        // libcurl may call back from here and pause again.
        let code = easy.pause(receiving: isReceivingHeld, sending: isSendingHeld)
        return code == CURLE_OK ? nil : code
    }
}

/// The network state that transfers use.
struct NetworkState {
    let sockets: OpenSockets
    /// When the addresses of all names last became doubtful, in monotonic nanoseconds: the network changed, or a proxy
    /// could not be reached.
    var doubted: UInt64?
    /// The names, with ports, whose servers could not be reached since they were last looked up.
    private(set) var doubtedNames: Set<String> = []

    private static let mostNames = 1_000

    init(sockets: OpenSockets) { self.sockets = sockets }

    /// Notes that a server could not be reached; without its name, that may be any.
    mutating func doubt(_ name: String?) {
        if let name, doubtedNames.count < Self.mostNames {
            doubtedNames.insert(name)
        } else {
            (doubted, doubtedNames) = (Monotonic.now, [])
        }
    }

    /// Notes that a name is looked up again.
    mutating func lookUp(_ name: String?) {
        if let name { doubtedNames.remove(name) }
    }
}
