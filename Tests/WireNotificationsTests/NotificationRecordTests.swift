import Testing
import WireConfig
import WireHTTP
import WireNotificationContract

@testable import WireNotifications

@Suite("Stored notifications")
struct NotificationRecordTests {
    @Test("a page distinguishes waiting and shown notifications")
    func page() throws {
        let waiting = WaitingNotification("a", .handling, attempts: 1, received: 2, wait: 3)
        var shown = ShownNotification("b", received: 4, shown: 5)
        (shown.title, shown.options) = ("Hi", [.banner, .list])
        let page = NotificationPage([.waiting(waiting), .shown(shown)], next: "c", unread: 1)
        let read = try NotificationPage.read(answer: page.bytes)
        #expect(read.notifications.map { $0.waiting?.id } == ["a", nil])
        #expect(read.notifications.map { $0.shown?.title } == [nil, "Hi"])
        #expect(read.json.text() == page.json.text())
    }

    @Test("an unreadable handler record is skipped, and the others are kept")
    func unreadableHandler() throws {
        let kept = """
            {"handlers":[{"name":"later","result":"postponed","attempts":1,"milliseconds":3,"ended":9},\
            {"name":"show","result":"newData","attempts":1,"milliseconds":3,"ended":9}]}
            """
        let progress = try #require(HandlingProgress(Array(kept.utf8)))
        #expect(progress.records.map(\.name) == ["show"])
    }

    @Test("outcomes of former versions are read")
    func outcome() throws {
        let note = """
            {"received":7,"way":"api","silent":false,"title":"Hi","result":"newData","handlers":[{"name":"show",\
            "result":"newData","options":["list"],"attempts":1,"milliseconds":3,"ended":9,"colour":"red"}],\
            "shown":true,"content":"d1","later":{}}
            """
        let outcome = try #require(NotificationOutcome(Array(note.utf8)))
        #expect(outcome.received == 7 && outcome.isShown && outcome.content == "d1")
        #expect(outcome.records.map(\.options) == [[.list]])
        #expect(NotificationOutcome(Array(#"{"id":"other"}"#.utf8)) == nil)
        #expect(try #require(NotificationOutcome(outcome.note)).json.text() == outcome.json.text())
    }

    @Test("progress of former versions is read")
    func progress() throws {
        let kept = #"{"handlers":[],"delivered":true,"presented":false,"turns":2,"interrupted":{"a":1}}"#
        let progress = try #require(HandlingProgress(Array(kept.utf8)))
        #expect(progress.isDelivered && progress.turns == 2 && progress.interrupted == ["a": 1])
        #expect(String(decoding: progress.bytes, as: UTF8.self) == kept)
    }
}
