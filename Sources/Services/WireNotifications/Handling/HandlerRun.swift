import Synchronization
import WireBase
import WireConfig
import WireNotificationContract
import WireService

/// One attempt of a handler, within its timeout.
///
/// A class, since two tasks share it.
final class HandlerRun: Sendable {
    let planned: PlannedHandler
    let fields: NotificationFields
    let present: NotificationsService.Present
    let apps: ConnectedApps
    /// The result of former attempts.
    let former: HandlerRecord?
    /// How often the end of the runner has interrupted it since then.
    let interrupted: Int
    let vote: PresentationVote
    /// The turn in which apps may be asked.
    let turn: HandlerTurn
    /// Fires at the timeout.
    private let timeIsUp = OneShot()

    private var host: NotificationsHost { present.host }

    init(
        planned: PlannedHandler,
        fields: NotificationFields,
        present: NotificationsService.Present,
        apps: ConnectedApps,
        former: HandlerRecord?,
        interrupted: Int,
        vote: PresentationVote,
        turn: HandlerTurn
    ) {
        (self.planned, self.fields, self.present, self.apps) = (planned, fields, present, apps)
        (self.former, self.interrupted, self.vote, self.turn) = (former, interrupted, vote, turn)
    }

    private struct Found: Sendable {
        var isNew = false
        var options: [PresentationOption]?
        var buttons: [String] = []
    }

    /// Returns the result; nil where the end of the service interrupted it, which does not count as an attempt.
    func perform() async -> HandlerRecord? {
        let began = host.clock.monotonic()
        let result = await limited()
        if case .failure = result, Task.isCancelled { return nil }
        let took = (host.clock.monotonic() - began).milliseconds
        let ended = host.clock.wall()
        let attempts = begun + 1
        switch result {
        case .success(let found):
            var record = HandlerRecord(
                planned.name,
                found.isNew ? .newData : .noData,
                attempts: attempts,
                took: took,
                ended: ended
            )
            (record.options, record.buttons, record.interrupted) = (found.options, found.buttons, interruptions)
            vote.cast(planned.name, .init(options: found.options ?? [], buttons: found.buttons))
            return record
        case .failure(let fault):
            // A handler that has ended no longer delays the vote.
            vote.cast(planned.name, .init())
            var record = HandlerRecord(
                planned.name,
                .failed,
                attempts: attempts,
                took: took,
                ended: ended,
                reason: fault.fault.reason.shown(upTo: 500)
            )
            // An interrupted attempt is no failure and uses no retry.
            record.interrupted = interruptions
            let failures = attempts - record.interrupted
            if !fault.isLasting, failures <= planned.retries {
                record.next = ended + planned.wait(after: failures).milliseconds
            }
            return record
        }
    }

    /// The number of former attempts.
    private var begun: Int { (former?.attempts ?? 0) + interrupted }
    private var interruptions: Int { (former?.interrupted ?? 0) + interrupted }

    private func limited() async -> Result<Found, HandlerFault> {
        if case .embedder(let handler) = planned.work { return await limited(handler) }
        return await withTaskGroup(of: Result<Found, HandlerFault>.self) { group in
            group.addTask { await self.work() }
            group.addTask {
                if (try? await self.host.clock.sleep(self.planned.timeout)) != nil { self.timeIsUp.fire() }
                return .failure(self.tooLong)
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(tooLong)
        }
    }

    private var tooLong: HandlerFault {
        HandlerFault(Fault("timed out after \(planned.timeout.literal.plainText)"))
    }

    // MARK: What the file says

    private func work() async -> Result<Found, HandlerFault> {
        do throws(HandlerFault) {
            switch planned.work {
            case .declared(let handler, let path): return .success(try await perform(handler, actions(path)))
            case .button(let button, let path): return .success(try await perform(button, actions(path)))
            case .link(let link):
                try await actions("notifications.links").open(link)
                return .success(Found())
            case .app(let name): return .success(try await ask(name))
            case .missing(let name):
                throw HandlerFault(Fault("the handler \(name.quoted) of the program is missing since the restart"))
            case .embedder: return .success(Found())
            }
        } catch {
            return .failure(error)
        }
    }

    private func actions(_ path: String) -> HandlerActions {
        HandlerActions(
            present: present,
            fields: fields,
            name: planned.name,
            path: path,
            attempts: begun,
            timeout: planned.timeout
        )
    }

    private func perform(_ handler: Handler, _ actions: HandlerActions) async throws(HandlerFault) -> Found {
        var found = Found()
        if let names = handler.refetch { found.isNew = try await actions.refetch(names, handler.$refetch) }
        if let download = handler.download {
            try await actions.download(download, handler.$download)
            found.isNew = true
        }
        if let state = handler.state {
            try await actions.store(state, handler.$state)
            found.isNew = true
        }
        if let log = handler.log { try actions.log(log) }
        if let options = handler.present {
            (found.options, found.buttons) = (options, handler.buttons.map(\.text))
            // The notification is shown now, while the other actions of the handler continue.
            vote.cast(planned.name, .init(options: options, buttons: found.buttons))
        }
        if let exec = handler.exec, try await actions.run(exec, handler.$exec) { found.isNew = true }
        if let post = handler.post,
            try await actions.post(post, as: handler.authorization, sign: handler.sign, handler.$post)
        {
            found.isNew = true
        }
        if let open = handler.open { try await actions.open(try actions.fill(open, handler.$open, "open")) }
        return found
    }

    private func perform(_ button: Button, _ actions: HandlerActions) async throws(HandlerFault) -> Found {
        var found = Found()
        if let exec = button.exec { found.isNew = try await actions.run(exec, button.$exec) }
        if let post = button.post,
            try await actions.post(post, as: button.authorization, sign: button.sign, button.$post)
        {
            found.isNew = true
        }
        if let open = button.open { try await actions.open(try actions.fill(open, button.$open, "open")) }
        return found
    }

    // MARK: Apps and code

    private func ask(_ name: String) async throws(HandlerFault) -> Found {
        var members = fields.json.members ?? []
        members.append(("handler", .string(name)))
        members.append(("attempt", .integer(begun + 1)))
        let question = ConnectedApps.Question(id: fields.id, name: name, json: .object(members))
        await turn.begin()
        guard !Task.isCancelled else {
            turn.asked()
            throw tooLong
        }
        guard let answer = await apps.ask(question, asked: turn.asked, isTimeUp: { timeIsUp.hasFired }) else {
            throw HandlerFault(Fault("the app does not respond"))
        }
        guard answer.result != .failed else {
            throw HandlerFault(Fault(answer.reason ?? "the app reported a failure"))
        }
        return Found(isNew: answer.result == .newData, options: answer.options)
    }

    /// Runs code of the embedding program for a limited time.
    ///
    /// The code may ignore its cancellation, and a task group would wait for it. So it runs in a task of its own,
    /// cancelled at the timeout.
    private func limited(_ handler: EmbedderNotificationHandler) async -> Result<Found, HandlerFault> {
        let handed = HandedNotification(
            id: fields.id,
            received: fields.received,
            attempts: begun,
            push: fields.push,
            button: fields.button
        )
        let shared = Ended()
        let task = Task {
            let result = await Self.perform(handler, handed)
            shared.result.withLock { $0 = result }
            shared.isOver.fire()
        }
        await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await shared.isOver.wait() }
                group.addTask { try? await self.host.clock.sleep(self.planned.timeout) }
                await group.next()
                group.cancelAll()
            }
        } onCancel: {
            task.cancel()
        }
        task.cancel()
        return shared.result.withLock { $0 } ?? .failure(tooLong)
    }

    private final class Ended: Sendable {
        let result = Mutex<Result<Found, HandlerFault>?>(nil)
        let isOver = OneShot()
    }

    private static func perform(_ handler: EmbedderNotificationHandler, _ handed: HandedNotification) async
        -> Result<Found, HandlerFault>
    {
        do {
            switch handler.work {
            case .remote(let work): return .success(Found(isNew: try await work(handed)))
            case .presentable(let work):
                return .success(Found(options: try await work(handed).compactMap(PresentationOption.init)))
            case .tap(let work):
                try await work(handed)
                return .success(Found())
            }
        } catch {
            return .failure(HandlerFault(error as? Fault ?? Fault("the program's handler failed: \(error)")))
        }
    }
}
