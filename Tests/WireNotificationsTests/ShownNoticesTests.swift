import Testing
import WireConfig
import WireMessageBus
import WireNotificationContract

@testable import WireNotifications

@Suite("Notification numbers of a desktop")
struct ShownNoticesTests {
    private static func notice(_ id: String, key: String? = nil, expires: Int64? = nil) -> DesktopNotice {
        DesktopNotice(DesktopBench.view(id, key: key, expires: expires), [.banner])
    }

    private static func shown() -> ShownNotices {
        var shown = ShownNotices()
        shown.follow(DesktopServer(name: ":1.1", capabilities: []))
        return shown
    }

    private static func signal(_ member: String, _ values: BusValue..., from sender: String = ":1.1") -> BusSignal {
        BusSignal(member, of: DesktopNotice.server, at: DesktopNotice.path, values, sender: sender)
    }

    @Test("an action before the number arrives is not lost")
    func early() {
        var shown = Self.shown()
        #expect(shown.begin(Self.notice("a")) == 0)
        #expect(shown.interpret(Self.signal("ActionInvoked", .uint32(7), .string("default"))) == nil)
        #expect(shown.interpret(Self.signal("ActionInvoked", .uint32(7), .string("default"), from: ":1.2")) == nil)
        #expect(shown.end(Self.notice("a"), as: 7, by: ":1.1") == [.tapped(id: "a", button: nil)])
        // Nothing is under way: what comes now belongs to no one.
        #expect(shown.interpret(Self.signal("ActionInvoked", .uint32(8), .string("default"))) == nil)
        #expect(shown.begin(Self.notice("b")) == 0)
        #expect(shown.end(Self.notice("b"), as: 8, by: ":1.1") == [])
    }

    @Test("a press belongs to the notification that has the number")
    func pressedWhileReplaced() {
        var shown = Self.shown()
        _ = shown.end(Self.notice("one", key: "k"), as: 7, by: ":1.1")
        #expect(shown.begin(Self.notice("two", key: "k")) == 7)
        #expect(shown.interpret(Self.signal("ActionInvoked", .uint32(7), .string("default"))) == nil)
        let acts = shown.end(Self.notice("two", key: "k"), as: 7, by: ":1.1")
        #expect(acts == [.tapped(id: "two", button: nil)])
    }

    @Test("a button named like the default action is distinguished from it")
    func named() {
        var shown = Self.shown()
        _ = shown.end(Self.notice("a"), as: 7, by: ":1.1")
        let pressed = shown.interpret(Self.signal("ActionInvoked", .uint32(7), .string("button.default")))
        #expect(pressed == .tapped(id: "a", button: "default"))
    }

    @Test("the close after a press is not a dismissal")
    func closedByAction() {
        var shown = Self.shown()
        _ = shown.end(Self.notice("a"), as: 7, by: ":1.1")
        _ = shown.end(Self.notice("b"), as: 8, by: ":1.1")
        _ = shown.interpret(Self.signal("ActionInvoked", .uint32(7), .string("default")))
        #expect(shown.interpret(Self.signal("NotificationClosed", .uint32(7), .uint32(2))) == nil)
        #expect(shown.interpret(Self.signal("NotificationClosed", .uint32(8), .uint32(2))) == .dismissed(id: "b"))
    }

    @Test("signals with invalid arguments are ignored")
    func malformed() {
        var shown = Self.shown()
        _ = shown.end(Self.notice("a"), as: 7, by: ":1.1")
        let bad = [
            Self.signal("ActionInvoked"), Self.signal("ActionInvoked", .uint32(7)),
            Self.signal("ActionInvoked", .uint32(7), .uint32(1)),
            Self.signal("ActionInvoked", .int32(7), .string("default")),
            Self.signal("NotificationClosed", .uint32(7), .string("2")), Self.signal("NotificationClosed", .uint32(7)),
            Self.signal("ActivationToken", .uint32(7), .string("default")),
            Self.signal("Other", .uint32(7), .uint32(2)),
        ]
        for signal in bad { #expect(shown.interpret(signal) == nil, "\(signal)") }
        shown.close("a")
        #expect(shown.nextToClose(at: 0) == 7)
    }

    @Test("the same id or key replaces a shown notification; other keys and no key do not")
    func replacing() {
        var shown = Self.shown()
        _ = shown.end(Self.notice("a", key: "k"), as: 7, by: ":1.1")
        _ = shown.end(Self.notice("b"), as: 8, by: ":1.1")
        #expect(shown.begin(Self.notice("c", key: "k")) == 7)
        #expect(shown.begin(Self.notice("b", key: "l")) == 8)
        #expect(shown.begin(Self.notice("d")) == 0)
        _ = shown.end(Self.notice("c", key: "k"), as: 7, by: ":1.1")
        shown.close("a")
        #expect(shown.nextToClose(at: 0) == nil)
        shown.noteOwnerChange(from: ":1.1")
        #expect(shown.server == nil)
        #expect(shown.begin(Self.notice("c", key: "k")) == 0)
    }

    @Test("an obsolete notification is closed, and the number of tracked ones is limited")
    func going() {
        var shown = Self.shown()
        _ = shown.end(Self.notice("a", expires: 100), as: 7, by: ":1.1")
        _ = shown.end(Self.notice("b", expires: 200), as: 8, by: ":1.1")
        #expect(shown.nextExpiry == 100)
        #expect(shown.nextToClose(at: 100) == 7)
        #expect(shown.nextToClose(at: 100) == nil)
        #expect(shown.nextExpiry == 200)
        for number in UInt32(100)..<2_000 { _ = shown.end(Self.notice("\(number)"), as: number, by: ":1.1") }
        shown.closeAll()
        var count = 0
        while shown.nextToClose(at: 0) != nil { count += 1 }
        #expect(count == 1_000)
    }

    @Test("a notification dismissed while it is being shown is closed, without a retry")
    func closedEarly() {
        var shown = Self.shown()
        _ = shown.begin(Self.notice("a"))
        shown.close("a")
        _ = shown.end(Self.notice("a"), as: 7, by: ":1.1")
        #expect(shown.nextToClose(at: 0) == 7)
        _ = shown.begin(Self.notice("b"))
        shown.close("b")
        shown.noteOwnerChange(from: ":1.1")
        let isWanted = shown.fail()
        #expect(!isWanted)
    }

    @Test("a reply of a server that has lost its name is ignored")
    func outdated() {
        var shown = ShownNotices()
        shown.noteOwnerChange(from: ":1.1")
        shown.follow(DesktopServer(name: ":1.1", capabilities: []))
        #expect(shown.server == nil)
        shown.follow(DesktopServer(name: ":1.2", capabilities: []))
        #expect(shown.server?.name == ":1.2")
    }
}
