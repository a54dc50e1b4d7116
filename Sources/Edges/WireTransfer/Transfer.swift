import CCurl
import WireBase
import WireHTTP

/// One transfer of libcurl's, on the engine's thread.
///
/// libcurl calls it back with its address, so it must live until its handle has been removed from the ``Multi``.
final class Transfer {
    /// How far it has come, which decides what it may wait for.
    enum Stage {
        case connecting, waiting, receiving, discarding
    }

    let exchange: Exchange
    let options: TransferOptions
    private let alarm: Alarm
    let arrivals: Arrivals
    let network: NetworkState
    /// What its sockets are known by.
    let number: UInt
    var easy: Easy
    var head: HeadReader
    private(set) var stage = Stage.connecting
    /// When the stage has taken too long.
    private(set) var stageDue = Monotonic.never
    /// When the head of the answer must have come, whatever it takes.
    private var headDue = Monotonic.never
    /// Why a callback stopped the transfer; libcurl only knows that one did.
    var failure: TransferFailure?
    /// An address that was not allowed, if there was one.
    var refusedAddress: RemoteAddress?
    /// Whether it has begun to connect, and does not wait for a connection of others to become free.
    var hasBegun = false
    var attempts = 0
    /// How many bytes of the body libcurl has taken, and whether those are all.
    var sentBytes = 0
    var hasSentAll = false
    /// How much is left of an answer that began before the whole body was sent, where its length is known.
    var answerLeft: Int?
    /// Whether the server has said that it does not want the rest of the body.
    var isRefused = false
    /// Whether everything that is wanted has come, whatever libcurl would go on with.
    var isDone = false
    /// Whether the connection has left HTTP.
    var isUpgraded = false
    /// The sockets that were opened for it, and the one of them it goes over in the end.
    var sockets: [Int32] = []
    var socket: Int32?
    /// The port at this end of the connection that the request has left on.
    var localPort: Int32 = 0
    var isReceivingHeld = false
    var isSendingHeld = false

    init(
        _ exchange: Exchange,
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

    // MARK: Time

    func enter(_ stage: Stage) {
        self.stage = stage
        rearm()
    }

    /// Something has happened: the stage may take its whole time again.
    func rearm() {
        switch stage {
        case .connecting: stageDue = Monotonic.after(hop.connectTimeout)
        // The server need not answer before it has the body, nor send more than its reader takes.
        case .waiting:
            stageDue = isSendingHeld && hop.upgrade == nil ? Monotonic.never : Monotonic.after(hop.headTimeout)
        case .receiving: stageDue = isReceivingHeld ? Monotonic.never : Monotonic.after(hop.idleTimeout)
        case .discarding: stageDue = Monotonic.after(.seconds(1))
        }
        alarm.arm(due)
    }

    /// What has taken too long at a moment.
    func lateness(at now: UInt64) -> TransferFailure? {
        if now >= exchange.deadline {
            return failure(.timeout, "the request to \(hop.url.origin) was not done before its deadline")
        }
        if now >= headDue, stage == .connecting || stage == .waiting {
            return failure(.timeout, "there was no answer from \(hop.url.origin) before the request's time was over")
        }
        guard now >= stageDue else { return nil }
        switch stage {
        case .connecting where !hasBegun:
            return failure(
                .exhausted,
                "no connection to \(hop.url.origin) became free within \(hop.connectTimeout)"
            )
        case .connecting:
            return failure(.timeout, "there was no connection to \(hop.url.origin) within \(hop.connectTimeout)")
        case .waiting:
            return failure(.timeout, "there was no answer from \(hop.url.origin) within \(hop.headTimeout)")
        case .receiving:
            return failure(
                .timeout,
                "there was no byte of the answer's body from \(hop.url.origin) within \(hop.idleTimeout)"
            )
        case .discarding:
            return failure(.cancelled, "the rest of an answer nobody reads did not come in time")
        }
    }

    /// When it must be looked at next.
    var due: UInt64 {
        let own = stage == .connecting || stage == .waiting ? min(stageDue, headDue) : stageDue
        return min(own, exchange.deadline)
    }

    func failure(_ kind: TransferFailure.Kind, _ reason: String) -> TransferFailure {
        var failure = TransferFailure(kind, reason, wasNotSent: attempts == 0)
        failure.repeats = repeats
        return failure
    }

    /// Why it ends when the connection it goes over has been lost, or may never work again.
    var networkFailure: TransferFailure {
        var failure =
            attempts == 0
            ? failure(
                .unreachable,
                "the network of this machine changed before there was a connection to \(hop.url.origin)"
            )
            : failure(
                .interrupted,
                "the network of this machine changed before the end of the answer of \(hop.url.origin)"
            )
        failure.isOfNetworkChange = true
        return failure
    }

    /// How often libcurl has sent it once more, on another connection than one it had kept.
    var repeats: Int { max(0, attempts - 1) }

    // MARK: News from the task that asks

    /// Lets flow again what was held back and need not be any more; an end that this comes to.
    func look() -> CURLcode? {
        if exchange.isDiscarding, stage != .discarding { enter(.discarding) }
        let canReceive = isReceivingHeld && exchange.hasRoom
        let canSend = isSendingHeld && exchange.upload?.hasNews ?? false
        guard canReceive || canSend else { return nil }
        if canReceive { isReceivingHeld = false }
        if canSend { isSendingHeld = false }
        rearm()
        // libcurl may call back from inside, and hold again.
        let code = easy.pause(receiving: isReceivingHeld, sending: isSendingHeld)
        return code == CURLE_OK ? nil : code
    }
}

/// What transfers need to know of the network of this machine.
struct NetworkState {
    let sockets: OpenSockets
    /// When it last changed, in monotonic nanoseconds; nil where it has not.
    var changed: UInt64?
}
