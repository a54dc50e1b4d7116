package import WireGraphQL

/// Why a connection ended, as far as it affects the next one.
package struct ConnectionEnd: Error, Sendable, Equatable {
    package var decision: CloseDecision
    /// The reason for logs and failed subscriptions.
    package var reason: String
    /// The minimum pause that the server asks for.
    package var retryAfter: Duration?
    /// Whether there were events, or it was stable.
    package var wasGood = false

    package init(_ decision: CloseDecision, _ reason: String, retryAfter: Duration? = nil) {
        (self.decision, self.reason, self.retryAfter) = (decision, reason, retryAfter)
    }
}

/// Decides when connections for subscriptions are opened, replaced and closed: values in, actions out.
///
/// There is one connection, and temporarily a second one to replace it: both deliver for a while, and then the first
/// is closed.
package struct ConnectionPlan: Sendable {
    package struct Rules: Sendable {
        package var min: Duration
        package var max: Duration
        /// The number of successive attempts that may fail; unlimited where nil.
        package var attempts: Int?

        package init(min: Duration, max: Duration, attempts: Int?) {
            (self.min, self.max, self.attempts) = (min, max, attempts)
        }
    }

    /// Each timer has a number of its own, by which outdated ones are ignored.
    package enum Timer: Sendable, Hashable {
        case retry(Int), renewal(Int), overlap(Int)
    }

    package enum Input: Sendable {
        /// Whether there are subscriptions.
        case wanted(Bool)
        /// Whether servers can be reached.
        case online(Bool)
        /// The server has accepted a connection; its token is valid for a time.
        case ready(Int, goodFor: Duration?)
        case ended(Int, ConnectionEnd)
        case timer(Timer)
        /// Replaces a connection that is unreliable, or has an old token.
        case renew
        /// A missing requirement may exist again: retry without a pause.
        case hurry
        case drain
    }

    package enum Action: Sendable, Equatable {
        case open(Int)
        case leave(Int)
        /// Deliver the events of this connection from now on.
        case promote(Int)
        case await(Timer, Duration)
        /// Fail every subscription with this reason.
        case fail(String)
        case finish
    }

    /// How long both connections deliver before the older one is closed.
    package static let overlap = Duration.seconds(2)

    private let rules: Rules
    private var number = 0
    private var current: Int?
    private var isReady = false
    private var successor: Int?
    private var isSuccessorReady = false
    private var leaving: Set<Int> = []
    private var retry: Int?
    private var isWanted = false
    private var isOnline: Bool
    private var isDraining = false
    private var hasRenewedToken = false
    /// The number of successive failed attempts.
    package private(set) var failures = 0

    package init(_ rules: Rules, isOnline: Bool = true) { (self.rules, self.isOnline) = (rules, isOnline) }

    /// Handles an input; `chance`, from 0 to 1, spreads the reconnects of clients.
    package mutating func handle(_ input: Input, chance: Double) -> [Action] {
        switch input {
        case .wanted(let isWanted):
            self.isWanted = isWanted
            return isWanted ? openIfDue() : leaveAll()
        case .online(let isOnline): return note(isOnline)
        case .ready(let number, let goodFor): return ready(number, goodFor)
        case .ended(let number, let end): return ended(number, end, chance)
        case .timer(let timer): return over(timer)
        case .renew: return renew()
        case .hurry: return hurry()
        case .drain:
            isDraining = true
            return leaveAll()
        }
    }

    // MARK: Opening

    private mutating func next() -> Int {
        number += 1
        return number
    }

    private mutating func openIfDue() -> [Action] {
        guard isWanted, isOnline, !isDraining, current == nil, retry == nil else { return [] }
        let number = next()
        (current, isReady) = (number, false)
        return [.open(number), .promote(number)]
    }

    private mutating func note(_ isOnline: Bool) -> [Action] {
        guard isOnline != self.isOnline else { return [] }
        self.isOnline = isOnline
        return isOnline ? hurry() : []
    }

    private mutating func hurry() -> [Action] {
        retry = nil
        return openIfDue()
    }

    private mutating func renew() -> [Action] {
        guard retry == nil else { return hurry() }
        guard current != nil, isReady, successor == nil, !isDraining else { return [] }
        let number = next()
        (successor, isSuccessorReady) = (number, false)
        return [.open(number)]
    }

    private mutating func ready(_ number: Int, _ goodFor: Duration?) -> [Action] {
        let renewal: [Action] = goodFor.map { [.await(.renewal(number), $0)] } ?? []
        if number == current {
            isReady = true
            return renewal
        }
        guard number == successor else { return [] }
        isSuccessorReady = true
        return renewal + [.await(.overlap(number), Self.overlap)]
    }

    // MARK: Endings

    private mutating func ended(_ number: Int, _ end: ConnectionEnd, _ chance: Double) -> [Action] {
        if leaving.remove(number) != nil { return finishIfDone() }
        if number == successor {
            successor = nil
            // The older one continues; another attempt follows later.
            failures += 1
            return current.map { [.await(.renewal($0), pause(end, chance))] } ?? []
        }
        guard number == current else { return [] }
        (current, isReady) = (nil, false)
        if let successor { return promote(successor) }
        return again(after: end, chance)
    }

    private mutating func again(after end: ConnectionEnd, _ chance: Double) -> [Action] {
        failures = end.wasGood ? 1 : failures + 1
        if end.wasGood { hasRenewedToken = false }
        switch end.decision {
        case .fail: return fail(end.reason)
        case .renewToken:
            guard !hasRenewedToken else { return fail(end.reason) }
            hasRenewedToken = true
            return openIfDue()
        case .retry:
            if let most = rules.attempts, failures > most { return fail(end.reason) }
            let ticket = next()
            retry = ticket
            return [.await(.retry(ticket), pause(end, chance))]
        }
    }

    private mutating func fail(_ reason: String) -> [Action] {
        (isWanted, failures, hasRenewedToken) = (false, 0, false)
        return [.fail(reason)]
    }

    /// The pause, which doubles each time; up to half of it is random.
    private func pause(_ end: ConnectionEnd, _ chance: Double) -> Duration {
        let full = min(rules.min * (1 << min(max(0, failures - 1), 30)), rules.max)
        return max(full * (0.5 + 0.5 * chance), end.retryAfter.map { min($0, .seconds(86_400)) } ?? .zero)
    }

    private mutating func promote(_ number: Int) -> [Action] {
        (current, isReady, successor) = (number, isSuccessorReady, nil)
        return [.promote(number)]
    }

    private mutating func leaveAll() -> [Action] {
        retry = nil
        let open = [current, successor].compactMap { $0 }
        (current, successor, isReady) = (nil, nil, false)
        leaving.formUnion(open)
        return open.map(Action.leave) + finishIfDone()
    }

    private func finishIfDone() -> [Action] { isDraining && leaving.isEmpty ? [.finish] : [] }

    // MARK: Time

    private mutating func over(_ timer: Timer) -> [Action] {
        switch timer {
        case .retry(let ticket):
            guard ticket == retry else { return [] }
            retry = nil
            return openIfDue()
        case .renewal(let number): return number == current ? renew() : []
        case .overlap(let number):
            guard number == successor, let former = current else { return [] }
            leaving.insert(former)
            (failures, hasRenewedToken) = (0, false)
            return promote(number) + [.leave(former)]
        }
    }
}
