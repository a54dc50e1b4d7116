import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireNotificationContract
import WireService

@testable import WireNotifications

@Suite("Calls to connected apps", .timeLimit(.minutes(1)))
struct AppQuestionTests {
    private static let handler = ConnectedApps.Handler(name: "app", moment: .tap, timeout: .seconds(10))
    private static let question = ConnectedApps.Question(id: "n1", name: "app", json: .object([]))

    @Test("an app that gets the same notification twice, by two taps, replies twice in order")
    func twice() async throws {
        let (apps, line) = (ConnectedApps(), AppLine())
        #expect(apps.connect(Self.handler, isForeground: false, line) != nil)
        var asked: [Task<String?, Never>] = []
        for _ in 0..<2 {
            let isAsked = OneShot()
            asked.append(
                Task { await apps.ask(Self.question, asked: { isAsked.fire() }, isTimeUp: { true })?.reason }
            )
            await isAsked.wait()
        }
        #expect(apps.answer("n1", "app", .init(result: .newData, options: nil, reason: "first")))
        #expect(apps.answer("n1", "app", .init(result: .noData, options: nil, reason: "second")))
        #expect(!apps.answer("n1", "app", .init(result: .noData, options: nil, reason: "third")))
        #expect(await asked[0].value == "first")
        #expect(await asked[1].value == "second")
    }

    /// Asks, and gets no answer.
    private static func miss(_ apps: ConnectedApps, isTimeUp: Bool = true) async {
        let isAsked = OneShot()
        let asked = Task { await apps.ask(question, asked: { isAsked.fire() }, isTimeUp: { isTimeUp })?.reason }
        await isAsked.wait()
        asked.cancel()
        #expect(await asked.value == nil)
    }

    @Test(
        "an app is disconnected after three timeouts",
        arguments: [true, false]
    )
    func missed(isTimeUp: Bool) async throws {
        let (apps, line) = (ConnectedApps(), AppLine())
        #expect(apps.connect(Self.handler, isForeground: false, line) != nil)
        for number in 1...4 {
            await Self.miss(apps, isTimeUp: isTimeUp)
            #expect(apps.handlers.isEmpty == (isTimeUp && number >= 3))
        }
    }

    @Test("a reply resets the count of timeouts")
    func madeUp() async throws {
        let (apps, line) = (ConnectedApps(), AppLine())
        #expect(apps.connect(Self.handler, isForeground: false, line) != nil)
        for _ in 0..<2 { await Self.miss(apps) }
        let isAsked = OneShot()
        let asked = Task { await apps.ask(Self.question, asked: { isAsked.fire() }, isTimeUp: { true })?.reason }
        await isAsked.wait()
        #expect(apps.answer("n1", "app", .init(result: .newData, options: nil, reason: "here")))
        #expect(await asked.value == "here")
        for _ in 0..<2 { await Self.miss(apps) }
        #expect(!apps.handlers.isEmpty)
        await Self.miss(apps)
        #expect(apps.handlers.isEmpty)
    }
}
