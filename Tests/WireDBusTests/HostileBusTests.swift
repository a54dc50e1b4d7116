import Foundation
import Support
import Testing
import WireBase
import WireDBus
import WireMessageBus

@Suite("Missing or misbehaving message buses", .timeLimit(.minutes(2)))
struct HostileBusTests {
    private static func open(_ address: String, within limit: Duration = .seconds(30)) async -> BusFailure? {
        await #expect(throws: BusFailure.self) {
            try await HostBuses { $0 == "DBUS_SESSION_BUS_ADDRESS" ? address : nil }.openSession(within: limit)
        }
    }

    @Test("an address without a bus is reported with its variable")
    func absent() async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.url.path)/bus"
        let failure = await Self.open("unix:path=\(path)")
        #expect(failure?.kind == .absent)
        #expect(
            failure?.reason
                == "no session bus at 'unix:path=\(path)' (DBUS_SESSION_BUS_ADDRESS): No such file or directory"
        )
        let none = await #expect(throws: BusFailure.self) {
            try await HostBuses { $0 == "XDG_RUNTIME_DIR" ? folder.url.path : nil }.openSession(within: .seconds(30))
        }
        #expect(none?.reason == "no session bus at '\(path)': No such file or directory")
    }

    @Test(
        "an address that would start a program, or an invalid one, is rejected",
        arguments: [
            "unixexec:path=/bin/false", "autolaunch:", "nonsense", ";", "unix:", "unix:path=", "unix:what=ever",
        ]
    )
    func address(_ address: String) async { #expect(await Self.open(address)?.kind == .absent) }

    @Test("without an address the socket of the runtime folder is used")
    func runtimeFolder() async throws {
        let daemon = try BusDaemon()
        let folder = daemon.folder.url.appendingPathComponent("it's, a;folder=ü")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder.appendingPathComponent("bus").path,
            withDestinationPath: daemon.folder.url.appendingPathComponent("bus").path
        )
        let bus = try await HostBuses { $0 == "XDG_RUNTIME_DIR" ? folder.path : nil }.openSession(within: .seconds(30))
        #expect(bus.name.hasPrefix(":"))
    }

    @Test("a hanging bus causes a timeout")
    func hangs() async throws {
        let daemon = try BusDaemon()
        kill(daemon.processID, SIGSTOP)
        let failure = await Self.open(daemon.address, within: .milliseconds(200))
        #expect(failure?.kind == .timedOut)
        #expect(failure?.reason.hasSuffix("(DBUS_SESSION_BUS_ADDRESS) does not respond") == true)
    }

    @Test(
        "a reply of another program than the called one is not accepted",
        .enabled(if: ScriptedServer.hasModules("dbus_fast")),
        arguments: [false, true]
    )
    func forged(hasName: Bool) async throws {
        let script = #"""
            import asyncio, sys
            from dbus_fast import Message, MessageType
            from dbus_fast.aio import MessageBus

            async def main():
                bus = await MessageBus(bus_address=sys.argv[1]).connect()
                for kind in (MessageType.METHOD_RETURN, MessageType.ERROR):
                    for serial in range(1, 101):
                        await bus.send(Message(
                            message_type=kind, destination=sys.argv[2], reply_serial=serial, signature="s", body=["forged"],
                            error_name="com.example.Forged" if kind == MessageType.ERROR else None,
                        ))
                # The bus has delivered them before it replies.
                await bus.call(Message(
                    destination="org.freedesktop.DBus", path="/org/freedesktop/DBus", interface="org.freedesktop.DBus",
                    member="GetId",
                ))
                print("ready", flush=True)
                sys.stdin.read()

            asyncio.run(main())
            """#
        let daemon = try BusDaemon()
        let file = daemon.folder.url.appendingPathComponent("forger.py")
        try script.write(to: file, atomically: true, encoding: .utf8)
        let (server, client) = (
            try await BusTests.connected(to: daemon), try await BusTests.connected(to: daemon)
        )
        let calls = server.calls(to: BusTests.path, interface: BusTests.interface)
        // Behind it, since a call that arrives before it is served is answered with an error.
        try await server.requestName("com.example.server")
        let name = hasName ? "com.example.server" : server.name
        let waiting = Task {
            try await client.call(BusTests.call("Echo", on: name), within: .seconds(60)).values
        }
        var iterator = calls.makeAsyncIterator()
        let call = await iterator.next()
        let forger = try await ScriptedServer(file, [daemon.address, client.name])
        call?.answer(.values([.string("true")]))
        if hasName {
            let failure = await #expect(throws: BusFailure.self) { try await waiting.value }
            #expect(failure?.kind == .invalid)
        } else {
            #expect(try await waiting.value == [.string("true")])
        }
        withExtendedLifetime((forger, server, client)) {}
    }

    @Test(
        "an invalid message, or a closed connection, is an error",
        arguments: ["close", "http", "half", "garbage", "hello"]
    )
    func nonsense(how: String) async throws {
        let (server, daemon) = (Process(), try BusDaemon(begins: false))
        let script = #"""
            import os, socket, struct, sys
            server = socket.socket(socket.AF_UNIX); server.bind(sys.argv[1]); server.listen()
            print("ready", flush=True)
            while True:
                peer, _ = server.accept()
                how = sys.argv[2]
                if how == "close": peer.close(); continue
                peer.recv(4096)
                if how == "http": peer.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n"); peer.close(); continue
                if how == "half": peer.sendall(b"OK 0123"); peer.close(); continue
                peer.sendall(b"DATA\r\nOK 0123456789abcdef0123456789abcdef\r\n")
                if how == "garbage": peer.sendall(os.urandom(65536)); peer.close(); continue
                # An answer to Hello of four billion bytes.
                peer.recv(4096)
                peer.sendall(b"l\x02\x01\x01" + struct.pack("<III", 0xffffffff, 1, 0xffffffff) + b"\0" * 4096)
                peer.close()
            """#
        let path = "\(daemon.folder.url.path)/bus"
        _ = try daemon.start(server, "/usr/bin/python3", ["-c", script, path, how])
        defer { BusDaemon.end(server) }
        #expect(await Self.open("unix:path=\(path)")?.kind == .absent)
    }
}
