import Support
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract
import WireService
import WireSQLite
import WireStore
import Workbench

@testable import WireNotifications

@Suite("Handling notifications in a group", .timeLimit(.minutes(1)))
struct GroupHandlingTests {
    private static let narrow = "\(PresentationTests.show)\nparallel: 1"

    private let shared: Workbench
    private let group: DataStore

    init() throws {
        shared = try Workbench()
        group = DataStore(values: shared.store, queue: shared.store)
    }

    /// A handler of a program that is busy with the notification '1' until the barrier is opened.
    private func busy(until barrier: OneShot, begun: OneShot) -> EmbedderNotificationHandlers {
        let handlers = EmbedderNotificationHandlers()
        let handler = EmbedderNotificationHandler(
            "code",
            timeout: .seconds(3_600),
            .remote { handed in
                guard handed.id == "1" else { return true }
                begun.fire()
                await barrier.wait()
                return true
            }
        )
        _ = handlers.bring(handler)
        return handlers
    }

    @Test("a runner without a handler of the program leaves its notifications to the one that has it")
    func needed() async throws {
        let (barrier, begun) = (OneShot(), OneShot())
        let handlers = busy(until: barrier, begun: begun)
        let first = try await NotificationBench("parallel: 1", handlers: handlers, group: group)
        try await first.send(#"{"id":"1","silent":true}"#)
        await begun.wait()
        try await first.send(#"{"id":"2","silent":true}"#)
        let second = try await NotificationBench("parallel: 1", group: group)
        // Handled after '2' if that were claimed.
        try await second.send(#"{"id":"3","silent":true}"#)
        _ = try await second.done("3")
        barrier.fire()
        let handler = try #require(try await first.done("2")["handlers"]?.array?.first)
        #expect(handler["result"]?.string == "newData", "\(handler.text())")
        #expect(handler["attempts"]?.integer == 1, "\(handler.text())")
        await first.end()
        await second.end()
        await shared.store.close()
    }

    @Test("a notification waits for no handler that is called for others")
    func unneeded() async throws {
        let (barrier, begun) = (OneShot(), OneShot())
        let handlers = busy(until: barrier, begun: begun)
        let first = try await NotificationBench(Self.narrow, handlers: handlers, group: group)
        try await first.send(#"{"id":"1","silent":true}"#)
        await begun.wait()
        let second = try await NotificationBench(PresentationTests.show, group: group)
        try await first.send(#"{"id":"2","title":"x"}"#)
        #expect(await eventually { second.events("shown").compactMap { $0["id"]?.string } == ["2"] })
        barrier.fire()
        await first.end()
        await second.end()
        await shared.store.close()
    }

    @Test("an app that connects to another runner gets there what waits for it")
    func elsewhere() async throws {
        let first = try await NotificationBench("parallel: 1", group: group)
        let deaf = ListeningApp(first) { _ in }
        await deaf.ready.wait()
        try await first.send(#"{"id":"1","silent":true}"#)
        await deaf.asked.wait()
        let second = try await NotificationBench("parallel: 1", group: group)
        try await first.send(#"{"id":"2","silent":true}"#)
        try await second.send(#"{"id":"3","silent":true}"#)
        _ = try await second.done("3")
        let app = ListeningApp(second) { id in
            let answer = try await second.ask(.post, "/v1/notifications/\(id)/results/app", #"{"result":"newData"}"#)
            #expect(answer.status == 204)
        }
        let handler = try #require(try await second.done("2")["handlers"]?.array?.first)
        #expect(handler["result"]?.string == "newData", "\(handler.text())")
        for listening in [deaf, app] { await listening.leave() }
        await first.breakOff()
        await second.end()
        await shared.store.close()
    }

    @Test("what needs a handler that no runner has any more is handled without it")
    func abandoned() async throws {
        let (barrier, begun) = (OneShot(), OneShot())
        let handlers = busy(until: barrier, begun: begun)
        let view = EmbedderNotificationHandler("view", timeout: .seconds(25), .presentable { _ in ["banner"] })
        _ = handlers.bring(view)
        let first = try await NotificationBench(Self.narrow, handlers: handlers, group: group)
        try await first.send(#"{"id":"1","silent":true}"#)
        await begun.wait()
        try await first.send(#"{"id":"2","title":"x"}"#)
        await first.breakOff()
        let second = try await NotificationBench(PresentationTests.show, group: group)
        let isShown = await eventually {
            second.bench.clock.pass(AbandonedKinds.interval)
            return second.events("shown").compactMap { $0["id"]?.string } == ["2"]
        }
        #expect(isShown)
        await second.end()
        await shared.store.close()
    }
}

/// An app with the handler `app`.
private final class ListeningApp: BodyWriter {
    private let answer: @Sendable (_ id: String) async throws -> Void
    private let life = OneShot()
    let ready = OneShot()
    let asked = OneShot()
    private let left = OneShot()

    init(_ bench: NotificationBench, _ answer: @escaping @Sendable (_ id: String) async throws -> Void) {
        self.answer = answer
        let handler = ConnectedApps.Handler(name: "app", moment: .remote, timeout: .seconds(3_600))
        let response = HandlerStream(bench.service, handler, isForeground: false).response()
        guard case .stream(let write) = response.body else { return }
        Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { try? await write(self) }
                group.addTask { await self.life.wait() }
                await group.next()
                group.cancelAll()
            }
            left.fire()
        }
    }

    func leave() async {
        life.fire()
        await left.wait()
    }

    func write(_ bytes: [UInt8]) async throws {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        if lines.contains("event: ready") { ready.fire() }
        guard lines.contains("event: notification"), let id = lines.first(where: { $0.hasPrefix("id: ") }) else {
            return
        }
        asked.fire()
        try await answer(String(id.dropFirst(4)))
    }
}
