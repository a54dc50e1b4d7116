import Synchronization
import WireBase
import WireConfig
import WireService
import WireTelemetry

/// Shows notifications on the desktop of this machine, over the bus of the session.
///
/// They are shown one after the other by a task of its own. While the desktop answers at once, each is waited for, so that a burst
/// does not run ahead of it; one that hangs or is not there is not waited for, and holds up nothing else. Each waits a few seconds
/// for a bus and a notification server to come, and is given up then: it is in the list.
final class DesktopSink: Sendable {
    typealias Act = ShownNotices.Act

    private enum Item: Sendable {
        case show(DesktopNotice, until: Duration, released: OneShot)
        case close(String)
        case closeAll
    }

    private struct State {
        var line: [Item] = []
        var shown = ShownNotices()
        /// What the server can do; nil where it was not asked yet.
        var capabilities: Set<String>?
        var trouble: String?
        /// How many were given up since one was shown.
        var missed = 0
        /// Whether what is to be shown is waited for: until something has taken too long, or failed.
        var isPrompt = true
        /// Of the one that is being shown.
        var current: OneShot?
    }

    /// How many wait at most; more are given up, the oldest first.
    private static let limit = 1_000
    /// How long one waits for a bus, or for a server on it.
    private static let patience = Duration.seconds(10)
    /// How long a server may take for an answer.
    private static let callLimit = Duration.seconds(5)
    /// How long an answer takes of a desktop that is waited for.
    private static let promptness = Duration.milliseconds(100)

    private let buses: (any MessageBuses)?
    private let app: (id: String?, name: String)
    private let clock: Clockwork
    private let log: Log
    private let place: String?
    private let state = Mutex(State())
    private let bell = WorkBell()
    private let act: @Sendable (Act) async -> Void

    init(_ host: ServiceHost, at place: String?, _ act: @escaping @Sendable (Act) async -> Void) {
        buses = host.find(.messageBuses)
        app = (host.app?.id.text, host.app?.displayName ?? host.app?.id.text ?? "corewire")
        (clock, log, self.place, self.act) = (host.clock, host.log, place, act)
    }

    /// Why nothing is shown there; nil while it is.
    var trouble: String? {
        state.withLock { state in
            state.trouble.map { state.missed == 0 ? $0 : "\($0) (\(state.missed) notifications were not shown)" }
        }
    }

    // MARK: Asking

    /// Has it shown when its turn comes, in place of one with the same id or key; returns then, or at once where that may take time.
    func show(_ view: NotificationView, _ options: [PresentationOption]) async {
        let released = OneShot()
        let item = Item.show(DesktopNotice(view, options), until: clock.monotonic() + Self.patience, released: released)
        state.withLock { state in
            state.line.append(item)
            if !state.isPrompt { released.fire() }
            guard state.line.count > Self.limit else { return }
            if case .show(_, _, let released) = state.line.removeFirst() {
                released.fire()
                state.missed += 1
            }
        }
        bell.ring()
        await released.wait()
    }

    /// Has it taken off the desktop, where it is shown there.
    func close(_ id: String) { put(.close(id)) }

    func closeAll() { put(.closeAll) }

    private func put(_ item: Item) {
        state.withLock { state in
            // What waits to be shown is not shown first.
            state.line.removeAll { waiting in
                guard case .show(let notice, _, let released) = waiting else { return false }
                if case .close(let id) = item, id != notice.id { return false }
                released.fire()
                return true
            }
            if state.line.count < Self.limit { state.line.append(item) }
        }
        bell.ring()
    }

    // MARK: Running

    /// Shows and hears, until cancelled.
    func run() async {
        defer { noteSlow() }
        guard let buses else { return note("this program has no message bus") }
        var pause = Duration.seconds(1)
        while !Task.isCancelled {
            do throws(BusFailure) {
                let bus = try await promptly { () async throws(BusFailure) in
                    try await buses.openSession(within: Self.callLimit)
                }
                defer { bus.close() }
                state.withLock { $0.trouble = nil }
                pause = .seconds(1)
                try await live(on: bus)
                note("the session bus has gone")
            } catch {
                if error.kind != .cancelled { note(error.reason) }
            }
            noteSlow()
            state.withLock { state in
                state.shown.forgetAll()
                state.capabilities = nil
            }
            giveUpOld()
            // However many come meanwhile, they do not have it tried more often than this.
            guard (try? await clock.sleep(.milliseconds(100))) != nil else { return }
            await wait(at: waiting.map { min(pause, $0) } ?? pause)
            giveUpOld()
            pause = min(pause * 2, .seconds(30))
        }
    }

    private func live(on bus: any MessageBus) async throws(BusFailure) {
        let (driver, server) = ("org.freedesktop.DBus", DesktopNotice.server)
        let owners = try await bus.signals(
            BusRule(
                interface: driver,
                path: "/org/freedesktop/DBus",
                member: "NameOwnerChanged",
                sender: driver,
                firstArgument: server
            )
        )
        let signals = try await bus.signals(BusRule(interface: server, path: DesktopNotice.path, sender: server))
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await signal in owners where signal.sender == driver { self.changeOwner(signal.values) }
            }
            group.addTask {
                for await signal in signals {
                    if let act = self.state.withLock({ $0.shown.hear(signal) }) { await self.act(act) }
                }
            }
            group.addTask { await self.work(on: bus) }
            group.addTask { await bus.ended() }
            await group.next()
            group.cancelAll()
        }
    }

    private func changeOwner(_ values: [BusValue]) {
        guard values.count == 3, let old = values[1].text, !old.isEmpty else { return bell.ring() }
        state.withLock { state in
            state.shown.forget(server: old)
            state.capabilities = nil
        }
        bell.ring()
    }

    /// Does what is asked for, one after the other, until the bus is lost.
    private func work(on bus: any MessageBus) async {
        while !Task.isCancelled {
            giveUpOld()
            for number in state.withLock({ $0.shown.removeExpired(at: clock.wall()) }) {
                guard await close(number, on: bus) else { return }
            }
            switch state.withLock({ $0.line.isEmpty ? nil : $0.line.removeFirst() }) {
            case .show(let notice, let until, let released)?:
                state.withLock { $0.current = released }
                if !state.withLock(\.isPrompt) { released.fire() }
                let step = await show(notice, on: bus)
                state.withLock { $0.current = nil }
                switch step {
                case .done: released.fire()
                case .again:
                    putBack(notice, until, released)
                    guard (try? await clock.sleep(.milliseconds(100))) != nil else { return }
                    await wait(at: waiting ?? .seconds(1))
                case .end: return putBack(notice, until, released)
                }
            case .close(let id)?:
                guard let number = state.withLock({ $0.shown.remove(id) }) else { continue }
                guard await close(number, on: bus) else { return }
            case .closeAll?:
                for number in state.withLock({ $0.shown.removeAll() }) {
                    guard await close(number, on: bus) else { return }
                }
            case nil:
                let expiry = state.withLock(\.shown.nextExpiry)
                await wait(at: expiry.map { .milliseconds(max(1, min($0 - clock.wall(), 3_600_000))) })
            }
        }
    }

    private func putBack(_ notice: DesktopNotice, _ until: Duration, _ released: OneShot) {
        state.withLock { $0.line.insert(.show(notice, until: until, released: released), at: 0) }
        noteSlow()
    }

    private enum Step {
        case done
        /// There is no server yet.
        case again
        /// The connection has ended.
        case end
    }

    private func show(_ notice: DesktopNotice, on bus: any MessageBus) async -> Step {
        let now = clock.wall()
        if let expires = notice.expires, expires <= now { return .done }
        do throws(BusFailure) {
            let capabilities: Set<String>
            do throws(BusFailure) {
                capabilities = try await self.capabilities(on: bus)
            } catch {
                guard error.kind == .timedOut else { throw error }
                // Nothing was asked to be shown yet: a server that is being started may take its time.
                note("the notification server does not answer")
                noteSlow()
                return .again
            }
            let number = state.withLock { $0.shown.begin(notice) }
            let arguments = notice.arguments(of: app, replacing: number, for: capabilities, at: now)
            let reply = try await call("Notify", arguments, on: bus)
            guard let shown = reply.values.first?.number, shown != 0, reply.values.count == 1 else {
                throw BusFailure(
                    .invalid,
                    "'Notify' was answered with the signature \(reply.values.signature.quoted), expected the number of the notification ('u')"
                )
            }
            let acts = state.withLock { $0.shown.end(notice, as: shown, by: reply.sender) }
            noteShown()
            for act in acts { await self.act(act) }
            return .done
        } catch {
            state.withLock { $0.shown.fail() }
            if error.kind == .cancelled || error.isEnd { return .end }
            note("the notification server does not take notifications: \(error.reason)")
            noteSlow()
            if error.isWithoutServer { return .again }
            state.withLock { $0.missed += 1 }
            return .done
        }
    }

    /// What the server on the bus can do, asked once for each server.
    private func capabilities(on bus: any MessageBus) async throws(BusFailure) -> Set<String> {
        if let known = state.withLock(\.capabilities) { return known }
        let reply = try await call("GetCapabilities", [], on: bus)
        guard reply.values.count == 1, let words = reply.values.first?.strings else {
            throw BusFailure(
                .invalid,
                "'GetCapabilities' was answered with the signature \(reply.values.signature.quoted), expected 'as'"
            )
        }
        let capabilities = Set(words.prefix(100))
        state.withLock { $0.capabilities = capabilities }
        return capabilities
    }

    /// Closes one, which a server that knows nothing of it has closed already; whether the connection lives on.
    private func close(_ number: UInt32, on bus: any MessageBus) async -> Bool {
        do throws(BusFailure) {
            _ = try await call("CloseNotification", [.uint32(number)], on: bus)
            return true
        } catch {
            return !error.isEnd && error.kind != .cancelled
        }
    }

    private func call(_ member: String, _ arguments: [BusValue], on bus: any MessageBus) async throws(BusFailure)
        -> BusReply
    {
        let server = DesktopNotice.server
        let call = BusCall(member, of: server, at: DesktopNotice.path, on: server, arguments)
        return try await promptly { () async throws(BusFailure) in try await bus.call(call, within: Self.callLimit) }
    }

    /// Does something of the desktop's; no one waits for the desktop any more where it takes long.
    private func promptly<Answer: Sendable>(
        _ ask: @Sendable @escaping () async throws(BusFailure) -> Answer
    ) async throws(BusFailure) -> Answer {
        let result = await withTaskGroup(of: Result<Answer, BusFailure>?.self) { group in
            group.addTask {
                do throws(BusFailure) { return .success(try await ask()) } catch { return .failure(error) }
            }
            group.addTask {
                if (try? await self.clock.sleep(Self.promptness)) != nil { self.noteSlow() }
                return nil
            }
            defer { group.cancelAll() }
            for await result in group { if let result { return result } }
            return .failure(BusFailure(.cancelled, "it was given up"))
        }
        return try result.get()
    }

    // MARK: Waiting

    /// Returns when there is something new, at the latest after that time, or when the task is cancelled.
    private func wait(at limit: Duration?) async {
        guard let limit else { return await bell.next() }
        await withTaskGroup(of: Void.self) { race in
            race.addTask { await self.bell.next() }
            race.addTask { try? await self.clock.sleep(limit) }
            await race.next()
            race.cancelAll()
        }
    }

    /// How long the first in line still waits.
    private var waiting: Duration? {
        let now = clock.monotonic()
        return state.withLock { state in
            state.line.lazy.compactMap { item in
                if case .show(_, let until, _) = item { max(.milliseconds(1), until - now) } else { nil }
            }.first
        }
    }

    private func giveUpOld() {
        let now = clock.monotonic()
        state.withLock { state in
            let count = state.line.count
            state.line.removeAll { item in
                guard case .show(_, let until, let released) = item, until <= now else { return false }
                released.fire()
                return true
            }
            state.missed += count - state.line.count
        }
    }

    private func note(_ trouble: String) {
        let isNew = state.withLock { state in
            defer { state.trouble = trouble }
            return state.trouble != trouble
        }
        guard isNew else { return }
        log.notice("nothing is shown on the desktop", ["reason": .text(trouble), "setting": place.map(LogValue.text)])
    }

    /// From now on nothing waits for the desktop, until it has shown something again.
    private func noteSlow() {
        let waiting: [OneShot] = state.withLock { state in
            guard state.isPrompt else { return [] }
            state.isPrompt = false
            return state.line.compactMap { if case .show(_, _, let released) = $0 { released } else { nil } }
                + (state.current.map { [$0] } ?? [])
        }
        for released in waiting { released.fire() }
    }

    private func noteShown() {
        let missed = state.withLock { state in
            defer { (state.trouble, state.missed, state.isPrompt) = (nil, 0, true) }
            return state.missed
        }
        guard missed > 0 else { return }
        log.notice("notifications were not shown on the desktop", ["count": .integer(missed)])
    }
}

extension BusFailure {
    /// Whether there is no notification server on the bus, which may come.
    fileprivate var isWithoutServer: Bool {
        guard case .refused(let name) = kind else { return false }
        return name == "org.freedesktop.DBus.Error.ServiceUnknown"
            || name == "org.freedesktop.DBus.Error.NameHasNoOwner"
            || name == "org.freedesktop.DBus.Error.NoReply" || name.hasPrefix("org.freedesktop.DBus.Error.Spawn.")
    }
}
