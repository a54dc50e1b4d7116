import CLinux
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
    let lane: Lane
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
        /// Once the connection has left HTTP.
        var stream: UpgradedStream?
        var finished: (@Sendable () -> Void)?
        var collector: (@Sendable (Request) -> Exchange.Answer)?
        /// How much of the body is taken in all, and how much more.
        private(set) var allowed = Int.max
        var limit = Int.max
        /// How much of it is still to come, where that is known.
        var remaining: Int?
        /// The last answer that was small, for the next that is the same.
        var kept: KeptReply?
        var hangUp = HangUp.none
        var isHTTP10 = false
        /// Whether the descriptor is closed, or somebody else's already.
        var isClosed = false

        /// Whether a request is waited for, or the rest of one that is answered already.
        var isIdle: Bool {
            switch stage {
            case .waiting, .ready: !isClosed && stream == nil
            case .collecting, .working, .answering, .dismissed: false
            }
        }

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

    init(serial: UInt64, descriptor: Int32, caller: Caller, lane: Lane, house: House) {
        self.serial = serial
        self.descriptor = descriptor
        self.caller = caller
        self.lane = lane
        self.house = house
        state = Mutex(State(since: Monotonic.now))
    }

    // MARK: What the library tells

    func requestLineCame(_ target: String?) {
        state.withLock { $0.target = target }
    }

    enum Arrival { case head(target: String?), body }

    /// What the library has come with: a head while none has been judged, and else something of the body.
    func arrival() -> Arrival {
        state.withLock { state in
            guard case .waiting = state.stage else { return .body }
            state.isUsed = true
            state.since = Monotonic.now
            return .head(target: state.target)
        }
    }

    /// The answer has left, or nobody is there to read it.
    func exchangeEnded() {
        let now = Monotonic.now
        lane.tally.progressed(at: now)
        let (work, finished, mayLeave) = state.withLock { state in
            defer {
                state.stream = nil
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
            return (state.work, state.finished, isWaiting && (state.hangUp != .none || house.isDraining))
        }
        if let work { work.exchangeEnded() } else { finished?() }
        if mayLeave { leaveWhenIdle() }
    }

    /// The library lets go of the descriptor after this.
    func closed() {
        state.withLock { $0.isClosed = true }
        house.left(self)
    }

    // MARK: What the doorkeeper sees

    /// The other end has done with sending, or is gone; or anything else, where the connection has left HTTP.
    func stirred(isWhole: Bool) {
        if let stream = state.withLock({ $0.stream }) { stream.stirred() } else { hungUp(isWhole) }
    }

    /// The connection has left HTTP.
    func upgraded(_ hold: UpgradeHold, early: [UInt8]) {
        let stream = UpgradedStream(hold, descriptor: descriptor, early: early, isDraining: house.isDraining)
        let work = state.withLock { state -> Work? in
            if case .dismissed = state.stage { return nil }
            state.stream = stream
            return state.work
        }
        // Once it is watched for everything, what had come before is told too.
        house.watch.change(descriptor, tag: serial, corewire_epoll_anything_once)
        if !(work?.upgraded(to: stream) ?? false) { stream.abandon() }
    }

    private func hungUp(_ isWhole: Bool) {
        let work = state.withLock { state in
            state.hangUp = isWhole ? .whole : .half
            return state.work
        }
        guard !isWhole else {
            work?.leave()
            return
        }
        askWhetherAnybodyWaits()
        leaveWhenIdle()
        endBody()
    }

    /// A body whose sender has done with sending has come as far as it will: the library is told again, as above.
    ///
    /// And again with everything it has read since: what it is told before it reads, it misses as well.
    func endBody() {
        state.withLock { state in
            guard state.hangUp == .half else { return }
            let isComing =
                switch state.stage {
                case .collecting, .ready: true
                case .working: state.work?.expectsBody ?? false
                case .waiting, .answering, .dismissed: false
                }
            // What has arrived already is still read.
            if isComing, !state.isClosed { _ = Glibc.shutdown(descriptor, Int32(SHUT_RD)) }
        }
    }

    /// Finds out whether who has done with sending over TCP still reads: the system tells only who writes to it.
    ///
    /// An interim answer may come at any time before the final one (RFC 9110, section 15.2). Where nobody reads it, the
    /// connection is reset, and that is a hang-up. A Unix socket tells the two apart by itself.
    func askWhetherAnybodyWaits() {
        guard case .address = caller else { return }
        state.withLock { state in
            guard case .working = state.stage, !state.isClosed, !state.isHTTP10, state.hangUp == .half,
                state.work?.isAwaited ?? false
            else { return }
            // Under the lock, which whoever begins to answer takes first; it does not wait.
            _ = RawAnswer.sendNow(Self.interim, to: descriptor)
        }
    }

    private static let interim = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// Shows out who has been waited for too long.
    func checkPatience(at now: UInt64) {
        if let stream = state.withLock({ $0.stream }) { return stream.checkPatience(at: now) }
        let receive = house.limits.receive.nanoseconds
        let idle = house.limits.idle.nanoseconds
        var early: Response?
        let isLate = state.withLock { state -> Bool in
            switch state.stage {
            // Silence ends by the library's own clock; this is for those who are never silent and never done.
            case .waiting: return now > state.since + receive + (state.isUsed ? idle : 0)
            case .collecting, .ready: return now > state.since + receive
            case .working:
                switch state.work?.patience(at: now, since: now < receive ? 0 : now - receive) {
                case .answered(let response)?: early = response
                case .over?: return true
                case nil, .left?: break
                }
                return false
            case .answering: return false
            case .dismissed(let until):
                // The doorkeeper's second visit: whoever has not gone is put out.
                return now > until
            }
        }
        if isLate { dismiss(Self.tooSlow, waiting: 0) } else if let early { answerEarly(early) }
    }

    /// How little a connection would be missed on which nothing is done.
    struct Idleness: Comparable {
        /// Whether it has ever been asked anything over.
        let isUsed: Bool
        let since: UInt64

        /// Those over which nothing was ever asked are missed least, and then those that have been silent for longest.
        static func < (one: Self, other: Self) -> Bool {
            one.isUsed == other.isUsed ? one.since < other.since : !one.isUsed
        }
    }

    /// Nil while something is done for the other end.
    var idleness: Idleness? { state.withLock { $0.isIdle ? Idleness(isUsed: $0.isUsed, since: $0.since) : nil } }

    /// Ends the connection where it is idle still, and nothing of a request has come that is not read yet.
    func giveWay() -> Bool {
        state.withLock { state in
            var byte: UInt8 = 0
            let hasMore = unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
            guard state.isIdle, !hasMore else { return false }
            state.stage = .dismissed(until: 0)
            _ = Glibc.shutdown(descriptor, Int32(SHUT_RDWR))
            return true
        }
    }

    /// Ends the connection once nothing of a request is under way.
    ///
    /// The library is told of an end once, together with the last bytes before it, and can miss it there; this tells it
    /// again.
    func leaveWhenIdle() {
        if let stream = state.withLock({ $0.stream }) { return stream.drain() }
        state.withLock { state in
            guard case .waiting = state.stage, !state.isClosed else { return }
            // What has arrived already is still read and answered.
            _ = Glibc.shutdown(descriptor, Int32(SHUT_RD))
        }
    }

    /// Ends whatever is under way: nobody waits any longer.
    func abandon() {
        let (work, stream) = state.withLock { state in
            state.stage = .dismissed(until: 0)
            return (state.work, state.stream)
        }
        stream?.abandon()
        work?.leave()
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
        work?.leave()
    }

    /// Answers what the library refuses, which it then closes: what has come is read away, or the answer would be lost.
    func refusedByLibrary(_ status: Status) {
        dismiss(RawAnswer.bytes(LibraryRefusals.problem(status, house.limits).response), waiting: Self.lingering)
        state.withLock { state in
            if !state.isClosed { _ = RawAnswer.readAway(descriptor) }
        }
    }

    /// Sees to it that the other end of a TCP connection is told of a reset when the descriptor is closed, which is next.
    func cut() {
        var hard = linger(l_onoff: 1, l_linger: 0)
        state.withLock { state in
            guard !state.isClosed else { return }
            _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
        }
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
