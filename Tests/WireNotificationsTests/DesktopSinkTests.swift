import Foundation
import Support
import Testing
import WireBase
import WireDBus
import WireHost
import WireMessageBus
import Workbench

@testable import WireNotifications

@Suite("The desktop sink on a real bus", .timeLimit(.minutes(2)))
struct DesktopSinkTests {
    /// A sink that has shown `a`, as number 7, on a server that has gone; and the server after it, of which the sink is not told.
    private static func changed() async throws -> (bench: DesktopBench, second: ScriptedDesktop, daemon: BusDaemon) {
        let daemon = try BusDaemon()
        let first = try await ScriptedDesktop(on: daemon)
        let bench = try DesktopBench(UninformedBuses(real: ScriptedDesktop.buses(daemon)), clock: .host)
        async let shown: Void = bench.show("a", key: "k")
        try #require(await first.next()).answer(7)
        await shown
        await first.end()
        return (bench, try await ScriptedDesktop(on: daemon, can: ["body"]), daemon)
    }

    @Test("a notification number is used only at its server: a replacement at another one is shown as new")
    func replacing() async throws {
        let (bench, second, daemon) = try await Self.changed()
        async let shown: Void = bench.show("b", key: "k")
        let call = try #require(await second.next())
        #expect((call.member, call.title, call.replaces) == ("Notify", "b", 0))
        // The former server could show buttons, and this one cannot.
        #expect(call.arguments[5] == .strings([]))
        call.answer(7)
        await shown
        await bench.end()
        withExtendedLifetime(daemon) {}
    }

    @Test("closing a notification of a former server closes nothing at its successor")
    func closing() async throws {
        let (bench, second, daemon) = try await Self.changed()
        bench.sink.close("a")
        async let shown: Void = bench.show("b")
        let call = try #require(await second.next())
        #expect((call.member, call.title, call.replaces) == ("Notify", "b", 0))
        call.answer(7)
        await shown
        await bench.end()
        withExtendedLifetime(daemon) {}
    }

    /// Shows one that the server has taken and not answered, until it is not waited for any more.
    private static func slow(_ bench: DesktopBench, _ desktop: ScriptedDesktop) async throws -> BusIncomingCall {
        async let shown: Void = bench.show("first")
        let call = try #require(await desktop.next())
        let clock = bench.bench.clock
        #expect(await eventually { clock.wakes(in: .milliseconds(100)) })
        clock.pass(.milliseconds(100))
        await shown
        return call
    }

    @Test("a burst is shown completely by a slow server")
    func slow() async throws {
        let daemon = try BusDaemon()
        let desktop = try await ScriptedDesktop(on: daemon)
        let bench = try DesktopBench(ScriptedDesktop.buses(daemon))
        var call = try await Self.slow(bench, desktop)
        for number in 0..<40 { await bench.show("n\(number)") }
        for number in 0..<40 {
            bench.bench.clock.pass(.seconds(4))
            call.answer(UInt32(number + 1))
            call = try #require(await desktop.next())
            #expect((call.member, call.title) == ("Notify", "n\(number)"))
        }
        call.answer(100)
        #expect(bench.sink.trouble == nil)
        await bench.end()
    }

    @Test(
        "over a thousand waiting notifications drop the oldest with one log message; dismissed ones are still closed"
    )
    func overfull() async throws {
        let daemon = try BusDaemon()
        let desktop = try await ScriptedDesktop(on: daemon)
        let bench = try DesktopBench(ScriptedDesktop.buses(daemon))
        async let shown: Void = bench.show("z")
        try #require(await desktop.next()).answer(9)
        await shown
        let held = try await Self.slow(bench, desktop)
        for number in 0..<1_003 { await bench.show("n\(number)") }
        #expect(bench.sink.trouble?.hasSuffix("(3 notifications were not shown)") == true)
        bench.sink.close("z")
        held.answer(10)
        let close = try #require(await desktop.next())
        #expect(close.member == "CloseNotification" && close.arguments == [.uint32(9)])
        close.answer(.values([]))
        for number in 3..<1_003 {
            let call = try #require(await desktop.next())
            #expect(call.title == "n\(number)")
            call.answer(UInt32(number + 20))
        }
        #expect(await eventually { bench.sink.trouble == nil })
        let log = bench.bench.told.log
        #expect(log.count { $0.contains("the oldest waiting notifications are dropped") } == 1, "\(log)")
        #expect(log.count { $0.contains("notifications were not shown on the desktop") } == 1, "\(log)")
        await bench.end()
    }

    @Test("an unresponsive bus delays a notification by at most 100 ms")
    func hungBus() async throws {
        let (server, daemon) = (Process(), try BusDaemon(begins: false))
        // It lets in and gives a name; after that it reads, and says nothing more.
        let script = #"""
            import socket, struct, sys
            server = socket.socket(socket.AF_UNIX); server.bind(sys.argv[1]); server.listen()
            print("ready", flush=True)
            peer, _ = server.accept()
            text = b""
            while b"BEGIN\r\n" not in text: text += peer.recv(4096)
            peer.sendall(b"DATA\r\nOK 0123456789abcdef0123456789abcdef\r\n")
            fields = b"\x05\x01u\0" + struct.pack("<I", 1) + b"\x08\x01g\0\x01s\0\0"
            fields += b"\x06\x01s\0" + struct.pack("<I", 4) + b":1.1\0" + b"\0\0\0"
            fields += b"\x07\x01s\0" + struct.pack("<I", 20) + b"org.freedesktop.DBus\0"
            body = struct.pack("<I", 4) + b":1.1\0"
            head = b"l\x02\x01\x01" + struct.pack("<III", len(body), 1, len(fields)) + fields
            peer.sendall(head + b"\0" * (-len(head) % 8) + body)
            while peer.recv(4096): pass
            """#
        let path = "\(daemon.folder.url.path)/bus"
        _ = try daemon.start(server, "/usr/bin/python3", ["-c", script, path])
        defer { BusDaemon.end(server) }
        let buses = OpenedBuses(real: ScriptedDesktop.buses(daemon))
        let bench = try DesktopBench(buses)
        await buses.opened.wait()
        let clock = bench.bench.clock
        async let shown: Void = bench.show("a")
        #expect(await eventually { clock.wakes(in: .milliseconds(100)) })
        clock.pass(.milliseconds(100))
        await shown
        // The bus was not given up yet, which takes 5 s.
        #expect(bench.sink.trouble == nil)
        await bench.end()
    }
}

/// Buses that tell when there is a connection.
private struct OpenedBuses: MessageBuses {
    let real: HostBuses
    let opened = OneShot()

    func variable(_ name: String) -> String? { nil }
    func openSession(within limit: Duration) async throws(BusFailure) -> any MessageBus {
        defer { opened.fire() }
        return try await real.openSession(within: limit)
    }
}
