import Synchronization
import WireAddonContract
import WireBase
import WireConfig
import WireService
import WireTelemetry

/// An add-on in code of the embedding program, called for one message at a time.
///
/// Callers wait for an answer with a timeout, never for the code, so code that hangs delays them no longer than that.
final class InProcessAddon: AddonConnection {
    private enum Job: Sendable {
        case tell(AddonMoment)
        case ask(Int, AddonQuestion)
    }

    private struct State {
        var isReady = false
        var isLate = false
        var trouble: String?
    }

    /// The messages to process in order; a queue of its own, since it is processed to the end after a cancellation.
    private struct Queue {
        var jobs: [Job] = []
        var head = 0
        var isBusy = false
        var isOver = false
        var filled = OneShot()

        mutating func take() -> Job? {
            guard head < jobs.count else { return nil }
            defer { head += 1 }
            if head > InProcessAddon.queued {
                jobs.removeFirst(head)
                head = 0
            }
            return jobs[head]
        }
    }

    private let code: any AddonCode
    private let host: ServiceHost
    private let counts: AddonCounts
    private let asking = Asking<AddonReply?>()
    private let queue = Mutex(Queue())
    private let state = Mutex(State())
    private let changed: @Sendable () -> Void
    let addonLog = AddonLog()
    let start = AddonStart()

    /// The maximum number of queued messages.
    fileprivate static let queued = 1_024

    init(_ code: any AddonCode, _ host: ServiceHost, changed: @escaping @Sendable () -> Void) {
        (self.code, self.host, self.changed) = (code, host, changed)
        counts = AddonCounts(code.name, host.metrics)
    }

    var name: String { code.name }
    var origin: ValueOrigin? { nil }
    var isRequired: Bool { code.isRequired }
    var decides: AddonPoints { AddonPoints() }

    // MARK: Life

    func setUp() async throws { try await code.setUp() }

    func startUp() async throws {
        try await code.startUp()
        state.withLock { $0.isReady = true }
        changed()
    }

    /// Marks it as failed, with the reason.
    func fail(_ error: any Error) -> Fault {
        let reason = (error as? Fault)?.reason ?? "\(error)".shown(upTo: 200)
        state.withLock { state in (state.isReady, state.trouble) = (false, reason) }
        changed()
        tell(.failed, "start failed: \(reason)")
        return Fault("the add-on \(name.quoted) did not become ready: \(reason)")
    }

    /// Processes messages until the task is cancelled.
    func live() async {
        while !Task.isCancelled {
            let filled = queue.withLock { $0.filled }
            await work()
            await filled.wait()
        }
    }

    /// Processes the queue; one task at a time, so that messages are in order.
    private func work() async {
        while let job = queue.withLock({ queue -> Job? in
            guard !queue.isBusy, let job = queue.take() else { return nil }
            queue.isBusy = true
            return job
        }) {
            switch job {
            case .tell(let moment): await code.handle(moment)
            case .ask(let id, let question):
                let reply = try? await code.reply(to: question)
                asking.answer(id, reply)
                becomePunctual()
            }
            queue.withLock { $0.isBusy = false }
        }
    }

    /// Queues a message; false where the queue is full.
    private func add(_ job: Job) -> Bool {
        let filled = queue.withLock { queue -> OneShot? in
            guard !queue.isOver, queue.jobs.count - queue.head < Self.queued else { return nil }
            queue.jobs.append(job)
            defer { queue.filled = OneShot() }
            return queue.filled
        }
        filled?.fire()
        return filled != nil
    }

    func restart() -> Bool { false }

    /// Processes the remaining messages and the end.
    func stop() async {
        let wasReady = state.withLock { state in
            defer { state.isReady = false }
            return state.isReady
        }
        asking.giveUp()
        if wasReady, code.listens.contains(.stopping) { notify(.stopping) { [] } }
        queue.withLock { $0.isOver = true }
        if wasReady { await work() }
    }

    // MARK: Taking part

    private var isReady: Bool { state.withLock { $0.isReady } }
    var listens: AddonPoints { isReady ? code.listens : AddonPoints() }
    var answers: AddonPoints { isReady ? code.answers : AddonPoints() }

    func notify(_ moment: AddonMoment, _ line: () -> [UInt8]) {
        if add(.tell(moment)) { counts.notified.add() } else { counts.dropped.add() }
    }

    func ask(_ question: AddonQuestion) async -> AddonReply? {
        guard !state.withLock({ $0.isLate }) else {
            counts.skipped.add()
            return nil
        }
        if let patience = question.patience { return await ask(question, patiently: patience) }
        var asked: Int?
        let end = await asking.ask(within: code.timeout, by: host.clock) { id in
            asked = id
            return add(.ask(id, question))
        }
        switch end {
        case .answered(let reply):
            counts.answered.add()
            return reply
        case .unanswered: if !Task.isCancelled { counts.skipped.add() }
        case .late:
            counts.late.add()
            let isNew = state.withLock { state in
                defer { state.isLate = true }
                return !state.isLate
            }
            if isNew {
                let limit = code.timeout.literal.plainText
                tell(
                    .late,
                    "no answer to '\(question.point.name)' within \(limit); no further questions until it answers"
                )
                changed()
            }
            // An answer that arrived at this moment was not counted as late, and there will be no other.
            if let asked, !asking.isOutstanding(asked) { becomePunctual() }
        }
        return nil
    }

    /// Asks a question that may take as long as a caller waits, in parallel to all others.
    private func ask(_ question: AddonQuestion, patiently limit: Duration) async -> AddonReply? {
        var reply: Task<Void, Never>?
        let end = await asking.ask(within: limit, by: host.clock) { id in
            reply = Task { asking.answer(id, try? await code.reply(to: question)) }
            return true
        }
        // Code that ignores the cancellation has no more callers.
        reply?.cancel()
        guard case .answered(let answer) = end else { return nil }
        counts.answered.add()
        return answer
    }

    private func becomePunctual() {
        let wasLate = state.withLock { state in
            defer { state.isLate = false }
            return state.isLate
        }
        if wasLate { changed() }
    }

    private func tell(_ event: AddonEvents, _ reason: String) {
        addonLog.add(.corewire, reason, at: host.clock.wall())
        host.log.warning(reason, ["addon": .text(name)])
        host.emit(event, AddonEvent(name, because: reason))
    }

    var currentReport: AddonReport {
        let state = state.withLock { $0 }
        let told: AddonReport.State =
            state.isReady ? (state.isLate ? .hanging : .ready) : (state.trouble == nil ? .starting : .ended)
        var report = AddonReport(name, .code, told)
        (report.isRequired, report.trouble) = (code.isRequired, state.trouble)
        (report.hooks, report.answers) = (listens.all.map(\.name), answers.all.map(\.name))
        report.count(counts)
        return report
    }

    var fault: Fault? {
        let state = state.withLock { $0 }
        if let trouble = state.trouble { return Fault("the add-on \(name.quoted) is not running: \(trouble)") }
        return state.isLate ? Fault("the add-on \(name.quoted) does not respond") : nil
    }
}
