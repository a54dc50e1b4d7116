import Synchronization
import WireBackendContract
import WireBackends
import WireBase
import WireConfig
import WireStore
import WireTelemetry

/// Delivers pushes from the push servers to this device, as the providers of phones do: queues the pushes of an
/// environment until a listener has accepted them.
final class DeviceMailbox: Sendable {
    /// One push to one token.
    struct PendingPush: Sendable {
        /// `apns`, `firebase`, `huawei` or `webPush`; the last does not use this queue.
        let provider: String
        let token: String
        let payload: JSONValue
        /// The time for which the push is worth delivering, in seconds; the provider's longest where nil.
        var lifetime: Int?

        /// The largest payload as JSON; the limit is the same at all three providers.
        static let limit = 4_096

        static func carries(_ payload: JSONValue) -> Bool { payload.bytes().count <= limit }
    }

    /// The settings of the file.
    struct Rules: Sendable {
        var keep: Int
        var delivers: Bool
    }

    /// The numbers of pushes.
    struct Numbers: Sendable {
        /// The number of the last push, from 1.
        var last = 0
        var givenUp = 0
        var taken = 0
    }

    private struct State {
        var rules: Rules
        var numbers: Numbers?
        /// The current listener; an earlier one gets no more pushes.
        var listener = 0
    }

    private let records: PushRecords
    private let machine: SystemServices
    private let log: Log
    private let line = AsyncMutex()
    /// Raised when the listener should read the queue again.
    private let signal = ChangeSignal()
    private let state: Mutex<State>

    /// Four weeks, as at Firebase.
    private static let longest = 28 * 86_400

    init(_ records: PushRecords, _ machine: SystemServices, _ rules: Rules, _ log: Log) {
        (self.records, self.machine, self.log) = (records, machine, log)
        state = Mutex(State(rules: rules))
    }

    func update(_ rules: Rules) {
        state.withLock { $0.rules = rules }
        signal.signal()
    }

    var rules: Rules { state.withLock { $0.rules } }

    // MARK: Sending

    /// Returns when all pushes are stored, or dropped for lack of room.
    func carry(_ pendingPushes: [PendingPush]) async throws {
        guard !pendingPushes.isEmpty else { return }
        try await line.alone {
            var numbers = try await known()
            let keep = rules.keep
            // Only the last ones would stay, of more pushes than the queue holds.
            let kept = Array(pendingPushes.suffix(keep))
            var givenUp = pendingPushes.count - kept.count
            let first = numbers.last + givenUp + 1
            let removed = Mutex(0)
            let entries = try kept.enumerated().map { (try key(first + $0.offset), $0.element) }
            try await entries.together { [self] key, pendingPush in
                let count = try await records.put(
                    json(pendingPush),
                    key,
                    on: .queue,
                    upTo: keep,
                    lifetime: .seconds(Self.lifetime(pendingPush))
                )
                removed.withLock { $0 += count }
            }
            givenUp += removed.withLock { $0 }
            numbers.last += pendingPushes.count
            numbers.givenUp += givenUp
            try await write(numbers)
            if givenUp > 0 {
                log.warning(
                    "pushes were dropped; more are queued than backends.push.keep allows",
                    ["count": .integer(givenUp), "keep": .integer(keep)]
                )
            }
        }
        signal.signal()
    }

    private static func lifetime(_ pendingPush: PendingPush) -> Int {
        min(max(1, pendingPush.lifetime ?? longest), longest)
    }

    private func json(_ pendingPush: PendingPush) -> JSONValue {
        .members([
            "provider": .string(pendingPush.provider), "token": .string(pendingPush.token),
            "payload": pendingPush.payload,
            "ends": .integer(Int(machine.now) + Self.lifetime(pendingPush) * 1_000),
        ])
    }

    /// Returns a unique key that sorts by number.
    private func key(_ number: Int) throws -> String {
        let digits = "\(number)"
        let zeros = String(repeating: "0", count: max(0, 15 - digits.utf8.count))
        return "\(zeros)\(digits)-\(try machine.secret(6))"
    }

    // MARK: Delivering

    /// Streams the pushes in the queue and those that follow; ends the stream of an earlier listener.
    func pushes() -> AsyncStream<CarriedPush> {
        let listener = state.withLock { state in
            state.listener += 1
            return state.listener
        }
        signal.signal()
        let seen = Seen()
        return AsyncStream { [self] in await next(listener, seen) }
    }

    /// The position of a listener in the queue.
    private final class Seen: Sendable {
        let place = Mutex<String?>(nil)
    }

    private func next(_ listener: Int, _ seen: Seen) async -> CarriedPush? {
        while !Task.isCancelled {
            let count = signal.count
            let (present, delivers) = state.withLock { ($0.listener, $0.rules.delivers) }
            guard present == listener else { return nil }
            if delivers {
                do {
                    if let push = try await first(after: seen) { return push }
                } catch {
                    log.error("the queued pushes cannot be read", ["reason": .text(error.reason)])
                }
            }
            await signal.wait(after: count)
        }
        return nil
    }

    private func first(after seen: Seen) async throws(StoreFailure) -> CarriedPush? {
        let last = try await known().last
        while true {
            let after = seen.place.withLock { $0 }
            guard let key = try await records.keys(on: .queue, after: after, limit: 1).first,
                // Pushes that are being stored are read once all of them are stored.
                let number = Int(key.prefix { $0 != "-" }), number <= last
            else { return nil }
            seen.place.withLock { $0 = key }
            guard let json = try await records.find(key, on: .queue), let provider = json["provider"]?.string,
                let token = json["token"]?.string, let payload = json["payload"], let ends = json["ends"]?.integer
            else { continue }
            guard machine.now < Int64(ends) else {
                try await records.remove(key, on: .queue)
                continue
            }
            return CarriedPush(id: key, provider: provider, token: token, payload: payload)
        }
    }

    /// Deletes a delivered push; returns whether it was in the queue.
    func acknowledge(_ id: String) async -> Bool {
        do {
            return try await line.alone {
                guard try await records.remove(id, on: .queue) else { return false }
                var numbers = try await known()
                numbers.taken += 1
                try await write(numbers)
                return true
            }
        } catch {
            log.error("a delivered push may be delivered again", ["reason": .text("\(error)")])
            return false
        }
    }

    // MARK: Numbers

    func known() async throws(StoreFailure) -> Numbers {
        if let numbers = state.withLock({ $0.numbers }) { return numbers }
        let json = try await records.find("queue", on: .account)
        var numbers = Numbers()
        numbers.last = json?["last"]?.integer ?? 0
        numbers.givenUp = json?["givenUp"]?.integer ?? 0
        numbers.taken = json?["taken"]?.integer ?? 0
        // If the program ended in between, the queue has more pushes than were counted.
        if let last = try await lastKey(), let number = Int(last.prefix { $0 != "-" }) {
            numbers.last = max(numbers.last, number)
        }
        return state.withLock { state in
            if let other = state.numbers { return other }
            state.numbers = numbers
            return numbers
        }
    }

    private func lastKey() async throws(StoreFailure) -> String? {
        var last: String?
        while let next = try await records.keys(on: .queue, after: last, limit: 1_000).last { last = next }
        return last
    }

    var waitingCount: Int {
        get async throws(StoreFailure) { try await records.count(on: .queue) }
    }

    private func write(_ numbers: Numbers) async throws(StoreFailure) {
        let json = JSONValue.members([
            "last": .integer(numbers.last), "givenUp": .integer(numbers.givenUp), "taken": .integer(numbers.taken),
        ])
        try await records.put(json, "queue", on: .account)
        state.withLock { $0.numbers = numbers }
    }
}
