import Foundation
import Support
import Testing
import WireConfig

@Suite("Missing or misbehaving desktops")
struct DesktopTroubleTests {
    private typealias Desktop = DesktopTests

    @Test("without a bus nothing is shown and the reason is reported; everything else works")
    func inert() async throws {
        let home = try TemporaryFolder()
        let runner = try await RunningRunner(
            Desktop.file(home),
            in: home,
            environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(home.url.path)/none"]
        )
        try await Desktop.send(runner, #"{"id":"a","title":"x"}"#)
        #expect(try await Desktop.state(runner, "a")["state"]?.string == "done")
        #expect(
            await eventually {
                (try? await Desktop.desktopTrouble(runner))??.contains("no session bus at") == true
            }
        )
        let run = try runner.corewire(["notifications", "permission"])
        #expect(run.output.contains("notifications are not shown on the desktop: no session bus"), "\(run.everything)")
        #expect(runner.log.contains("nothing is shown on the desktop"))
        // The place in the file.
        #expect(runner.log.contains("notifications.sinks, at"), "\(runner.log)")
        #expect(try await runner.ask("GET", "/readyz").status == 200)
        try await runner.stop()
    }

    @Test("a session that starts later is found, by the user's socket without an address")
    func later() async throws {
        let (bus, home) = (try SessionBus(begins: false), try TemporaryFolder())
        try FileManager.default.createDirectory(
            at: home.url.appendingPathComponent("run"),
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try FileManager.default.createSymbolicLink(
            atPath: home.url.appendingPathComponent("run/bus").path,
            withDestinationPath: bus.daemon.folder.url.appendingPathComponent("bus").path
        )
        let runner = try await RunningRunner(Desktop.file(home), in: home)
        try await Desktop.send(runner, #"{"id":"a","title":"early"}"#)
        #expect(await eventually { (try? await Desktop.desktopTrouble(runner)) ?? nil != nil })
        try bus.begin()
        try await Desktop.send(runner, #"{"id":"b","title":"later"}"#)
        #expect(await eventually { bus.shown.last?.title == "later" }, "\(runner.log)")
        #expect(await eventually { (try? await Desktop.desktopTrouble(runner)) == .some(nil) })
        try await runner.stop()
    }

    @Test(
        "a lost bus is reported, and its successor is used; also with a late setting of the file"
    )
    func dies() async throws {
        let (bus, home) = (try SessionBus(), try TemporaryFolder())
        let runner = try await RunningRunner(
            Desktop.file(home, sinks: "[console]"),
            in: home,
            environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address]
        )
        #expect(try await runner.reload(Desktop.file(home)).status == 200)
        try await Desktop.send(runner, #"{"id":"a","title":"a"}"#)
        _ = try await Desktop.shown(bus, 1, by: runner)
        bus.end()
        #expect(await eventually { (try? await Desktop.desktopTrouble(runner)) ?? nil != nil })
        try await Desktop.send(runner, #"{"id":"b","title":"b"}"#)
        #expect(try await Desktop.state(runner, "b")["shown"]?.boolean == true)
        try bus.begin()
        try await Desktop.send(runner, #"{"id":"c","title":"c"}"#)
        #expect(await eventually { bus.shown.last?.title == "c" }, "\(runner.log)")
        let last = try #require(bus.shown.last)
        bus.press(last.number, "reply")
        #expect(await eventually { (try? home.text(of: "replied")) == "c\n" }, "\(runner.log)")
        #expect(try await Desktop.desktopTrouble(runner) == nil)
        try await runner.stop()
    }

    @Test("numbers of a former server are not used at its successor")
    func restarted() async throws {
        let (bus, home) = (try SessionBus(), try TemporaryFolder())
        let runner = try await Desktop.started(home, bus)
        let push = { (id: String) in
            #"{"payload":{"message":{"notification":{"title":"\#(id)","tag":"t"}}},"carrier":"\#(id)"}"#
        }
        try await Desktop.send(runner, push("one"))
        let number = try await Desktop.shown(bus, 1, by: runner)[0].number
        bus.endDesktop()
        try bus.beginDesktop()
        // The same number, of another server.
        try await Desktop.send(runner, push("two"))
        let second = try await Desktop.shown(bus, 2, by: runner)[1]
        #expect((second.number, second.replaces) == (number, 0))
        bus.press(number, "reply")
        #expect(await eventually { (try? home.text(of: "replied")) != nil })
        let isOfSecond = await eventually {
            let unread = (try? await runner.ask("GET", "/v1/notifications?state=unread").text) ?? ""
            // The first one was replaced by the second, which has its tag.
            return !unread.isEmpty && !unread.contains("\"two\"")
        }
        #expect(isOfSecond)
        try await runner.stop()
    }

    @Test("signals of other programs are ignored")
    func forged() async throws {
        let (bus, home) = (try SessionBus(), try TemporaryFolder())
        let runner = try await Desktop.started(home, bus)
        try await Desktop.send(runner, #"{"id":"a","title":"a"}"#)
        try await Desktop.send(runner, #"{"id":"b","title":"b"}"#)
        let shown = try await Desktop.shown(bus, 2, by: runner)
        bus.forge(shown[0].number, "reply")
        bus.press(shown[1].number, "reply")
        #expect(await eventually { (try? home.text(of: "replied"))?.isEmpty == false })
        #expect(try home.text(of: "replied") == "b\n")
        let isRead = await eventually {
            let unread = (try? await runner.ask("GET", "/v1/notifications?state=unread").text) ?? ""
            return unread.contains("\"a\"") && !unread.contains("\"b\"")
        }
        #expect(isRead)
        try await runner.stop()
    }

    @Test("a hanging server blocks nothing else, is reported, and is used again when it recovers")
    func hangs() async throws {
        let (bus, home) = (try SessionBus(), try TemporaryFolder())
        let environment = ["DBUS_SESSION_BUS_ADDRESS": bus.address]
        let runner = try await RunningRunner(
            Desktop.file(home, sinks: "[console, desktop]"),
            in: home,
            environment: environment
        )
        try await Desktop.send(runner, #"{"id":"first","title":"first"}"#)
        _ = try await Desktop.shown(bus, 1, by: runner)
        bus.hang(true)
        let begin = ContinuousClock.now
        let events = try await runner.watch("/v1/events?name=notification.shown")
        for number in 0..<20 { try await Desktop.send(runner, #"{"id":"n\#(number)","title":"n\#(number)"}"#) }
        for number in 0..<20 {
            let event = try await events.next()
            #expect(event?.data.contains("n\(number)") == true, "\(String(describing: event))")
        }
        // One that waited for each answer would take 100 seconds.
        #expect(ContinuousClock.now - begin < .seconds(50))
        try await events.close()
        #expect(
            await eventually { (try? await Desktop.desktopTrouble(runner))??.contains("no reply") == true },
            "\(runner.log)"
        )
        bus.hang(false)
        try await Desktop.send(runner, #"{"id":"last","title":"last"}"#)
        #expect(await eventually { bus.shown.last?.title == "last" }, "\(runner.log)")
        #expect(await eventually { (try? await Desktop.desktopTrouble(runner)) == .some(nil) })
        try await runner.stop()
    }

    @Test("a reply of another type is reported with the expected type, and ends nothing")
    func wrongAnswer() async throws {
        let (bus, home) = (try SessionBus(["--answer", "seven"]), try TemporaryFolder())
        let runner = try await Desktop.started(home, bus)
        try await Desktop.send(runner, #"{"id":"a","title":"a"}"#)
        #expect(
            await eventually {
                (try? await Desktop.desktopTrouble(runner))??.contains("'Notify' returned the signature 's'")
                    == true
            },
            "\(runner.log)"
        )
        bus.endDesktop()
        try bus.beginDesktop([])
        try await Desktop.send(runner, #"{"id":"b","title":"b"}"#)
        #expect(await eventually { bus.shown.last?.title == "b" })
        #expect(await eventually { (try? await Desktop.desktopTrouble(runner)) == .some(nil) })
        #expect(await eventually { runner.log.contains("notifications were not shown on the desktop") })
        try await runner.stop()
    }
}
