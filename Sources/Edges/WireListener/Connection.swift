import CLinux
import Glibc
import Synchronization
import WireBase
import WireHTTP

/// The state of a connection and its current request, changed by the library's callbacks and watched by the
/// doorkeeper.
///
/// Only the library's thread changes the stage, with one exception: another thread may dismiss the caller. So a
/// stage that the library's thread has read under the lock stays valid until the callback ends, except for
/// "dismissed", which every callback checks first.
final class Connection: Sendable {
    let serial: UInt64
    let descriptor: Int32
    let caller: Caller
    let thread: ConnectionThread
    let context: ListenerContext
    let state: Mutex<State>

    struct State {
        var stage = Stage.waiting
        /// The start of the present wait for the peer.
        var since: UInt64
        /// Whether the connection has carried a request before.
        var isUsed = false
        /// The target of the request line, before the rest of the head.
        var target: String?
        var request: Request?
        var response: Response?
        var work: RequestTask?
        /// The same, while it waits for a small body before it starts.
        var deferred: RequestTask?
        /// The stream, once the connection has left HTTP.
        var stream: SocketStream?
        var finished: (@Sendable () -> Void)?
        var collector: (@Sendable (Request) -> Exchange.Answer)?
        var runsInline = false
        /// The limit of the body, and how much of it is left.
        private(set) var allowed = Int.max
        var limit = Int.max
        /// The number of bytes still to come, where known.
        var remaining: Int?
        /// The last small response, for reuse if the next one is the same.
        var kept: CachedReply?
        var hangUp = HangUp.none
        /// Whether it makes room for another connection, and no longer counts.
        var isEvicted = false
        var isHTTP10 = false
        /// Whether the descriptor is closed, or belongs to another owner.
        var isClosed = false

        /// Whether the connection waits for a request, or for the rest of an answered one.
        var isIdle: Bool {
            switch stage {
            case .waiting, .ready: !isClosed && !isEvicted && stream == nil
            case .collecting, .working, .answering, .dismissed: false
            }
        }

        enum Punctuality { case inTime, late, overdue, answered(Response) }

        /// Whether the present wait for the peer has exceeded its limit.
        func punctuality(at now: UInt64, _ limits: ListenerLimits) -> Punctuality {
            let receive = limits.receive.nanoseconds
            var limit = receive
            switch stage {
            // The library's own timeout handles silent peers; this one handles those that keep sending and never
            // finish.
            case .waiting: limit += isUsed ? limits.idle.nanoseconds : 0
            case .collecting, .ready: break
            case .working where deferred != nil: break
            case .working:
                switch work?.patience(at: now, since: now < receive ? 0 : now - receive) {
                case .answered(let response)?: return .answered(response)
                case .over?: return .late
                case nil, .left?: return .inTime
                }
            case .answering: return .inTime
            case .dismissed(let until): return now > until ? .overdue : .inTime
            }
            return now > since + limit ? .late : .inTime
        }

        /// The completion callback.
        var finish: @Sendable () -> Void { finished ?? {} }

        mutating func allow(_ bytes: Int) {
            (allowed, limit) = (bytes, bytes)
        }
    }

    enum Stage {
        /// Between requests, until the head of the next one is complete.
        case waiting
        case collecting
        /// The response is known, and a small body is read first.
        case ready
        case working
        case answering
        /// A response was written directly; further input is dropped.
        case dismissed(until: UInt64)
    }

    enum HangUp { case none, half, whole }

    init(serial: UInt64, descriptor: Int32, caller: Caller, thread: ConnectionThread, context: ListenerContext) {
        self.serial = serial
        self.descriptor = descriptor
        self.caller = caller
        self.thread = thread
        self.context = context
        state = Mutex(State(since: Monotonic.now))
    }

    // MARK: Callbacks of the library

    func requestLineCame(_ target: String?) {
        state.withLock { $0.target = target }
    }

    enum Arrival { case head(target: String?), body }

    /// Returns whether the library calls with a head or with a part of the body.
    func arrival() -> Arrival {
        state.withLock { state in
            guard case .waiting = state.stage else { return .body }
            state.isUsed = true
            state.since = Monotonic.now
            return .head(target: state.target)
        }
    }

    /// Ends the exchange: the response was sent, or the caller has disconnected.
    func exchangeEnded() {
        let now = Monotonic.now
        thread.tally.progressed(at: now)
        let (work, deferred, finished, mayLeave) = state.withLock { state in
            defer {
                state.stream = nil
                state.work = nil
                state.deferred = nil
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
            let mayLeave = isWaiting && (state.hangUp != .none || state.isEvicted || context.isDraining)
            return (state.work, state.deferred, state.finished, mayLeave)
        }
        if let work { work.exchangeEnded() } else { finished?() }
        deferred?.neverRan()
        if mayLeave { leaveWhenIdle() }
    }

    /// Records that the library closes the descriptor after this.
    func closed() {
        state.withLock { $0.isClosed = true }
        context.left(self)
    }

    // MARK: Events from the doorkeeper

    /// Handles a half-close or disconnect of the peer; on an upgraded connection any event.
    func handleEvent(isWhole: Bool) {
        if let stream = state.withLock({ $0.stream }) { stream.stirred() } else { hungUp(isWhole) }
    }

    /// Switches the connection to its upgraded stream.
    func upgraded(_ hold: UpgradeHold, early: [UInt8]) {
        let stream = SocketStream(hold, descriptor: descriptor, early: early, isDraining: context.isDraining)
        let work = state.withLock { state -> RequestTask? in
            if case .dismissed = state.stage { return nil }
            state.stream = stream
            return state.work
        }
        // Once all events are watched, bytes that have arrived before are reported too.
        context.watch.change(descriptor, tag: serial, corewire_epoll_anything_once)
        if !(work?.upgraded(to: stream) ?? false) { stream.abandon() }
    }

    private func hungUp(_ isWhole: Bool) {
        thread.tally.countHangUp()
        let (work, isFirst) = state.withLock { state in
            // The end of reading that follows, or that of an eviction, is reported as another half-close.
            let isFirst = state.hangUp == .none && !state.isEvicted
            state.hangUp = isWhole ? .whole : .half
            return (state.work, isFirst)
        }
        guard !isWhole else {
            work?.leave()
            return
        }
        guard isFirst else { return }
        probePeer()
        thread.review(self)
    }

    /// Ends an unfinished request, or the wait for one, whose sender has half-closed: shuts down reading, so that the
    /// library is notified again.
    ///
    /// This is repeated after every read, since the library misses a notification that comes before one.
    func endInput() {
        state.withLock { state in
            guard state.hangUp == .half else { return }
            let isComing =
                switch state.stage {
                case .waiting, .collecting, .ready: true
                case .working: state.work?.expectsBody ?? false
                case .answering, .dismissed: false
                }
            // Bytes that have arrived already are still read.
            if isComing, !state.isClosed { _ = Glibc.shutdown(descriptor, Int32(SHUT_RD)) }
        }
    }

    /// Detects whether a TCP peer that has half-closed still reads, which the system reports only after a write.
    ///
    /// An interim response may precede the final one at any time (RFC 9110, section 15.2). If the peer is gone, the
    /// connection is reset, which counts as a disconnect. A Unix socket distinguishes the two cases by itself.
    func probePeer() {
        guard case .address = caller else { return }
        state.withLock { state in
            guard case .working = state.stage, !state.isClosed, !state.isHTTP10, state.hangUp == .half,
                state.work?.isAwaited ?? false
            else { return }
            // Under the lock, which the sender of a response takes first; the call does not wait.
            _ = RawAnswer.sendNow(Self.interim, to: descriptor)
        }
    }

    private static let interim = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// Ends connections that have exceeded a timeout.
    func checkTimeouts(at now: UInt64) {
        let (stream, punctuality) = state.withLock { ($0.stream, $0.punctuality(at: now, context.limits)) }
        if let stream { return stream.checkPatience(at: now) }
        switch punctuality {
        case .inTime: break
        // The request may have arrived, and wait for its thread.
        case .late: thread.review(self)
        case .answered(let early): answerEarly(early)
        // A dismissed caller that has not disconnected is cut off.
        case .overdue: dismiss(Self.tooSlow, waiting: 0)
        }
    }

    /// Ends a connection whose time limit is over, and the input of one whose sender has half-closed; called by its
    /// thread after it has read what had arrived.
    func review() {
        endInput()
        let isLate = state.withLock { state in
            guard case .late = state.punctuality(at: Monotonic.now, context.limits) else { return false }
            // Of a large body the library reads a part at a time.
            return !state.isClosed && input != .unread
        }
        if isLate { dismiss(Self.tooSlow, waiting: 0) }
    }

    private enum Input { case none, unread, ended }

    /// What the socket has for the library; only under the lock, and only while the descriptor is open.
    private var input: Input {
        var byte: UInt8 = 0
        let count = unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return count > 0 ? .unread : count == 0 ? .ended : .none
    }

    /// The order in which idle connections are closed.
    struct Idleness: Comparable {
        /// Whether the peer has ended the connection, which its thread has not noticed yet.
        let isEnded: Bool
        /// Whether the connection has carried a request.
        let isUsed: Bool
        let since: UInt64

        /// Ended connections come first, then unused ones, then the longest idle ones.
        static func < (one: Self, other: Self) -> Bool {
            if one.isEnded != other.isEnded { return one.isEnded }
            return one.isUsed == other.isUsed ? one.since < other.since : !one.isUsed
        }
    }

    /// The idleness; nil while a request is in progress or has arrived.
    var idleness: Idleness? { state.withLock { idleness($0) } }

    private func idleness(_ state: State) -> Idleness? {
        guard state.isIdle else { return nil }
        let input = input
        return input == .unread ? nil : Idleness(isEnded: input == .ended, isUsed: state.isUsed, since: state.since)
    }

    /// Closes the connection if it is still idle.
    func evictIfIdle() -> Bool {
        state.withLock { state in
            guard idleness(state) != nil else { return false }
            state.isEvicted = true
            // A request that arrives now, or that the thread has just read, is still answered.
            _ = Glibc.shutdown(descriptor, Int32(SHUT_RD))
            return true
        }
    }

    /// Closes the connection once no request is in progress.
    ///
    /// The library may miss an end that arrives together with the last bytes, and is notified again here.
    func leaveWhenIdle() {
        if let stream = state.withLock({ $0.stream }) { return stream.drain() }
        state.withLock { state in
            guard case .waiting = state.stage, !state.isClosed else { return }
            // Bytes that have arrived already are still read and answered.
            _ = Glibc.shutdown(descriptor, Int32(SHUT_RD))
        }
    }

    /// Cancels the work, since the caller has disconnected.
    func abandon() {
        let (work, stream) = state.withLock { state in
            state.stage = .dismissed(until: 0)
            return (state.work, state.stream)
        }
        stream?.abandon()
        work?.leave()
    }

    /// Writes a response directly, and closes the connection after a time in which the peer can read it.
    ///
    /// Only for requests without any response yet: no other thread writes to the socket then.
    func dismiss(_ answer: [UInt8], waiting: UInt64) {
        let work = state.withLock { state in
            guard !state.isClosed else { return state.work }
            if case .dismissed = state.stage {
                _ = Glibc.shutdown(descriptor, Int32(SHUT_RDWR))
                return state.work
            }
            state.stage = .dismissed(until: Monotonic.now + waiting)
            // The lock keeps the descriptor from being closed; neither call waits.
            RawAnswer.send(answer, to: descriptor)
            if waiting == 0 { _ = Glibc.shutdown(descriptor, Int32(SHUT_RDWR)) }
            return state.work
        }
        work?.leave()
    }

    /// Responds where the library refuses and closes: received bytes are read, or the response would be lost.
    func refusedByLibrary(_ status: Status) {
        dismiss(RawAnswer.bytes(LibraryRefusals.problem(status, context.limits).response), waiting: Self.lingering)
        state.withLock { state in
            if !state.isClosed { _ = RawAnswer.readAway(descriptor) }
        }
    }

    /// Resets a TCP connection when its descriptor is closed, which is next.
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
            detail: "send the whole request within the time limit"
        ).response
    )
}
