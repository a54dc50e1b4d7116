import Glibc
import Synchronization
import WireBase
import WireHTTP

/// One connection: what its present request has come to, told by the library's callbacks and watched by the doorkeeper.
///
/// The stage is changed by the library's thread alone, but for one change: the doorkeeper may dismiss a caller who takes
/// too long. So what the library's thread finds under the lock stays true until it lets go of the callback, or is
/// "dismissed", which every callback asks first.
final class Connection: Sendable {
    let serial: UInt64
    let descriptor: Int32
    let caller: Caller
    let house: House
    let state: Mutex<State>

    struct State {
        var stage = Stage.waiting
        /// Since when the other end is waited for.
        var since: UInt64
        /// Whether a request has come on this connection before.
        var isUsed = false
        /// The target of the request line, before the rest of the head.
        var target: String?
        var request: Request?
        var response: Response?
        var work: Work?
        var finished: (@Sendable () -> Void)?
        var collector: (@Sendable (Request) -> Exchange.Answer)?
        /// How much of the body is taken in all, and how much more.
        private(set) var allowed = Int.max
        var limit = Int.max
        var hangUp = HangUp.none
        /// Whether the descriptor is closed, or somebody else's already.
        var isClosed = false

        /// What is called when it is finished.
        var finish: @Sendable () -> Void { finished ?? {} }

        mutating func allow(_ bytes: Int) {
            (allowed, limit) = (bytes, bytes)
        }
    }

    enum Stage {
        /// Between requests, until the head of the next is complete.
        case waiting
        case collecting
        /// The answer is known, and a small body on its way is read away first.
        case ready
        case working
        case answering
        /// An answer was written by hand; what still comes is read away.
        case dismissed(until: UInt64)
    }

    enum HangUp { case none, half, whole }

    init(serial: UInt64, descriptor: Int32, caller: Caller, house: House) {
        self.serial = serial
        self.descriptor = descriptor
        self.caller = caller
        self.house = house
        state = Mutex(State(since: Monotonic.now))
    }

    // MARK: What the library tells

    func requestLineCame(_ target: String?) {
        state.withLock { $0.target = target }
    }

    /// Whether the head of the present request is yet to be judged.
    var isNew: Bool {
        state.withLock { state in
            if case .waiting = state.stage { true } else { false }
        }
    }

    /// The answer has left, or nobody is there to read it.
    func exchangeEnded() {
        let now = Monotonic.now
        house.progressed(at: now)
        let (work, finished, isWaiting) = state.withLock { state in
            defer {
                state.work = nil
                state.finished = nil
                state.request = nil
                state.response = nil
                state.collector = nil
                state.target = nil
                state.since = now
            }
            let isWaiting: Bool
            if case .dismissed = state.stage {
                isWaiting = false
            } else {
                state.stage = .waiting
                isWaiting = true
            }
            return (state.work, state.finished, isWaiting)
        }
        if let work { work.exchangeEnded() } else { finished?() }
        if isWaiting, house.isDraining { leaveWhenIdle() }
    }

    /// The library lets go of the descriptor after this.
    func closed() {
        state.withLock { $0.isClosed = true }
        house.left(self)
    }

    // MARK: What the doorkeeper sees

    /// The other end has done with sending, or is gone.
    func hungUp(_ isWhole: Bool) {
        let work = state.withLock { state in
            state.hangUp = isWhole ? .whole : .half
            return state.work
        }
        work?.hungUp(isWhole)
    }

    /// Shows out who has been waited for too long.
    func checkPatience(at now: UInt64) {
        let receive = house.limits.receive.nanoseconds
        let idle = house.limits.idle.nanoseconds
        let isLate = state.withLock { state in
            switch state.stage {
            // Silence ends by the library's own clock; this is for those who are never silent and never done.
            case .waiting: now > state.since + receive + (state.isUsed ? idle : 0)
            case .collecting, .ready: now > state.since + receive
            case .working: state.work?.isStarving(since: now < receive ? 0 : now - receive) ?? false
            case .answering: false
            case .dismissed(let until):
                // The doorkeeper's second visit: whoever has not gone is put out.
                now > until
            }
        }
        if isLate { dismiss(Self.tooSlow, waiting: 0) }
    }

    /// Ends the connection once nothing of a request is under way.
    func leaveWhenIdle() {
        state.withLock { state in
            guard case .waiting = state.stage, !state.isClosed else { return }
            // What has arrived already is still read and answered.
            _ = Glibc.shutdown(descriptor, Int32(SHUT_RD))
        }
    }

    /// Ends whatever is under way: nobody waits any longer.
    func abandon() {
        let work = state.withLock { state in
            state.stage = .dismissed(until: 0)
            return state.work
        }
        work?.hungUp(true)
    }

    /// Answers by hand, and ends the connection after a time for the other end to read it.
    ///
    /// Only for requests of which nothing was answered: no thread but this one writes to the socket then.
    func dismiss(_ answer: [UInt8], waiting: UInt64) {
        let work = state.withLock { state in
            guard !state.isClosed else { return state.work }
            if case .dismissed = state.stage {
                _ = Glibc.shutdown(descriptor, Int32(SHUT_RDWR))
                return state.work
            }
            state.stage = .dismissed(until: Monotonic.now + waiting)
            // Under the lock, because only the lock keeps the descriptor ours; neither call waits.
            RawAnswer.send(answer, to: descriptor)
            if waiting == 0 { _ = Glibc.shutdown(descriptor, Int32(SHUT_RDWR)) }
            return state.work
        }
        work?.hungUp(true)
    }

    static let tooSlow = RawAnswer.bytes(
        Problem(
            .requestTimeout,
            "request-timeout",
            "the request took too long to arrive",
            detail: "a request is complete within the time that is allowed for it"
        ).response
    )
}
