import Synchronization
import WireBase
import WireConfig
import WireMessageBus
import WireNotificationContract
import WireService
import WireTelemetry

/// Shows notifications on the desktop, over the session bus.
///
/// A task of its own shows one after the other. While the desktop responds at once, callers wait for each, so that
/// bursts do not overrun it; they do not wait for one that hangs or is missing.
final class DesktopSink: Sendable {
    typealias Act = ShownNotices.Act

    private struct State {
        var queue = DesktopQueue()
        var shown = ShownNotices()
        var trouble: String?
        /// Whether callers wait: until the desktop was slow or failed, and again once it has shown a notice.
        var isPrompt = true

        /// The next job.
        mutating func next(at now: Int64) -> Job {
            if let server = shown.server, let number = shown.nextToClose(at: now) { return .close(number, server) }
            guard !queue.isEmpty else { return .rest(until: shown.nextExpiry) }
            guard let server = shown.server else { return .find }
            let item = queue.takeFirst()
            return .show(item, replacing: shown.begin(item.notice), server)
        }
    }

    private enum Job {
        case find
        case show(DesktopQueue.Item, replacing: UInt32, DesktopServer)
        case close(UInt32, DesktopServer)
        case rest(until: Int64?)
    }

    private enum Step {
        case next
        /// Retry after a short pause.
        case again
        /// No server yet: retry at the next change.
        case later
        /// The connection has ended.
        case end
    }

    /// The timeout of connecting to the bus.
    private static let openLimit = Duration.seconds(5)
    /// The maximum time that a caller waits for the desktop.
    private static let promptness = Duration.milliseconds(100)
    /// The pause between two attempts.
    private static let moment = Duration.milliseconds(100)
    private static let overfull = "the desktop is slow, so the oldest waiting notifications are dropped"

    private let buses: (any MessageBuses)?
    private let app: (id: String?, name: String)
    private let clock: TimeSource
    private let log: Log
    private let place: String?
    private let state = Mutex(State())
    private let wakeup = Wakeup()
    private let act: @Sendable (Act) async -> Void

    init(_ host: NotificationsHost, at place: String?, _ act: @escaping @Sendable (Act) async -> Void) {
        buses = host.find(.messageBuses)
        app = (host.app?.id.text, host.app?.displayName ?? host.app?.id.text ?? "corewire")
        (clock, log, self.place, self.act) = (host.clock, host.log, place, act)
    }

    /// Why notifications are not shown; nil while they are.
    var trouble: String? {
        state.withLock { state in
            let missed = state.queue.missed
            return (state.trouble ?? (state.queue.isOverfull ? Self.overfull : nil)).map {
                missed == 0 ? $0 : "\($0) (\(missed) notifications were not shown)"
            }
        }
    }

    // MARK: Asking

    /// Shows a notification in place of one with the same id or key; returns when it is shown, or earlier if slow.
    ///
    /// Waits at most 100 ms, whatever the state of the desktop or its bus.
    func show(_ view: NotificationView, _ options: [PresentationOption]) async {
        let item = DesktopQueue.Item(notice: DesktopNotice(view, options), since: clock.monotonic())
        let (isPrompt, overflows) = state.withLock { ($0.isPrompt, $0.queue.append(item)) }
        wakeup.wake()
        if overflows {
            log.notice(
                "notifications are not shown on the desktop",
                ["reason": .text(Self.overfull), "waiting": .integer(DesktopQueue.limit)]
            )
        }
        guard isPrompt else { return }
        let isLate = await withTaskGroup(of: Bool.self) { race in
            race.addTask {
                await item.released.wait()
                return false
            }
            race.addTask { (try? await self.clock.sleep(Self.promptness)) != nil }
            defer { race.cancelAll() }
            return await race.next() ?? false
        }
        if isLate { noteSlow() }
    }

    /// Closes a notification on the desktop, or removes it from the queue.
    func close(_ id: String) {
        state.withLock { state in
            state.queue.remove(id)
            state.shown.close(id)
        }
        wakeup.wake()
    }

    func closeAll() {
        state.withLock { state in
            state.queue.remove()
            state.shown.closeAll()
        }
        wakeup.wake()
    }

    // MARK: Running

    /// Shows notices and receives signals, until cancelled.
    func run() async {
        defer { noteSlow() }
        guard let buses else { return note("no message bus available in this program") }
        var pause = Duration.seconds(1)
        while !Task.isCancelled {
            do throws(BusFailure) {
                let bus = try await buses.openSession(within: Self.openLimit)
                defer { bus.close() }
                try await live(on: bus)
                pause = .seconds(1)
                note("the connection to the session bus was lost")
            } catch {
                if error.kind != .cancelled { note(error.reason) }
            }
            noteSlow()
            state.withLock { $0.shown.forgetAll() }
            giveUpOld()
            // New notices do not make attempts more frequent.
            guard (try? await clock.sleep(Self.moment)) != nil else { return }
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
        state.withLock { $0.trouble = nil }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await signal in owners where signal.sender == driver { self.changeOwner(signal.values) }
            }
            group.addTask {
                for await signal in signals {
                    if let act = self.state.withLock({ $0.shown.interpret(signal) }) { await self.act(act) }
                }
            }
            group.addTask { await self.work(on: bus) }
            group.addTask { await bus.ended() }
            await group.next()
            group.cancelAll()
        }
    }

    private func changeOwner(_ values: [BusValue]) {
        if values.count == 3, let old = values[1].text {
            state.withLock { $0.shown.noteOwnerChange(from: old) }
        }
        wakeup.wake()
    }

    /// Does the jobs one after the other, until the bus is lost.
    private func work(on bus: any MessageBus) async {
        while !Task.isCancelled {
            giveUpOld()
            let step: Step
            switch state.withLock({ $0.next(at: clock.wall()) }) {
            case .find: step = await find(on: bus)
            case .show(let item, let number, let server):
                step = await show(item, replacing: number, by: server, on: bus)
            case .close(let number, let server): step = await close(number, by: server, on: bus)
            case .rest(let expiry):
                await wait(at: expiry.map { .milliseconds(max(1, min($0 - clock.wall(), 3_600_000))) })
                step = .next
            }
            switch step {
            case .next: continue
            case .again, .later:
                guard (try? await clock.sleep(Self.moment)) != nil else { return }
                if case .later = step { await wait(at: waiting ?? .seconds(1)) }
            case .end: return
            }
        }
    }

    private func find(on bus: any MessageBus) async -> Step {
        do throws(BusFailure) {
            let server = try await DesktopServer.find(on: bus)
            state.withLock { $0.shown.follow(server) }
            return .next
        } catch {
            noteSlow()
            if error.kind == .cancelled || error.isEnd { return .end }
            // Nothing has been shown yet: a server may take time to start.
            let isLate = error.kind == .timedOut
            note(isLate ? "the notification server does not respond" : Self.refusal(error))
            if isLate || error.isWithoutServer { return .later }
            state.withLock { $0.queue.giveUpFirst() }
            return .next
        }
    }

    private func show(
        _ item: DesktopQueue.Item,
        replacing number: UInt32,
        by server: DesktopServer,
        on bus: any MessageBus
    )
        async -> Step
    {
        let notice = item.notice
        let arguments = notice.arguments(of: app, replacing: number, for: server.capabilities, at: clock.wall())
        do throws(BusFailure) {
            let shown = try await server.notify(arguments, on: bus)
            let acts = state.withLock { state in
                state.queue.noteAnswer(at: clock.monotonic())
                return state.shown.end(notice, as: shown, by: server.name)
            }
            noteShown()
            item.released.fire()
            for act in acts { await self.act(act) }
            return .next
        } catch {
            return fail(item, by: server, error)
        }
    }

    private func fail(_ item: DesktopQueue.Item, by server: DesktopServer, _ error: BusFailure) -> Step {
        let isEnd = error.kind == .cancelled || error.isEnd
        let mayCome = isEnd || error.isWithoutServer
        state.withLock { state in
            let isWanted = state.shown.fail()
            if error.isNameAbsent { state.shown.noteOwnerChange(from: server.name) }
            if mayCome, isWanted { return state.queue.putBack(item) }
            item.released.fire()
            guard !mayCome else { return }
            state.queue.noteMissed()
            if case .refused = error.kind { state.queue.noteAnswer(at: clock.monotonic()) }
        }
        // Another server may own its name by now.
        if error.isNameAbsent { return .again }
        if !isEnd { note(Self.refusal(error)) }
        noteSlow()
        return isEnd ? .end : mayCome ? .later : .next
    }

    /// Closes a notice; a server that does not know it, or is gone, has closed it already.
    private func close(_ number: UInt32, by server: DesktopServer, on bus: any MessageBus) async -> Step {
        do throws(BusFailure) {
            try await server.close(number, on: bus)
        } catch {
            if error.isEnd || error.kind == .cancelled { return .end }
            if error.isNameAbsent { state.withLock { $0.shown.noteOwnerChange(from: server.name) } }
        }
        return .next
    }

    private static func refusal(_ error: BusFailure) -> String {
        "the notification server rejects notifications: \(error.reason)"
    }

    // MARK: Waiting

    /// Returns at a change, at the timeout, or when the task is cancelled.
    private func wait(at limit: Duration?) async { await wakeup.next(atMost: limit, clock) }

    /// How long the first notice may still wait.
    private var waiting: Duration? { state.withLock { $0.queue.wait(at: clock.monotonic()) } }

    private func giveUpOld() {
        let isUnexplained = state.withLock { state in
            state.queue.giveUp(at: clock.monotonic(), wall: clock.wall()) && state.trouble == nil
        }
        if isUnexplained { note("the notification server does not respond") }
    }

    private func note(_ trouble: String) {
        let isNew = state.withLock { state in
            defer { state.trouble = trouble }
            return state.trouble != trouble
        }
        guard isNew else { return }
        log.notice("nothing is shown on the desktop", ["reason": .text(trouble), "setting": place.map(LogValue.text)])
    }

    /// Callers no longer wait for the desktop, until it has shown a notice again.
    private func noteSlow() {
        state.withLock { state in
            state.isPrompt = false
            state.queue.releaseAll()
        }
    }

    private func noteShown() {
        let missed = state.withLock { state in
            (state.trouble, state.isPrompt) = (nil, true)
            return state.queue.takeMissed()
        }
        guard missed > 0 else { return }
        log.notice("notifications were not shown on the desktop", ["count": .integer(missed)])
    }
}
