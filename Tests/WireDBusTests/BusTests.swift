import Foundation
import Support
import Testing
import WireBase
import WireDBus
import WireMessageBus

@Suite("The message bus", .timeLimit(.minutes(2)))
struct BusTests {
    static func connected(to daemon: BusDaemon) async throws -> any MessageBus {
        let address = daemon.address
        return try await HostBuses { $0 == "DBUS_SESSION_BUS_ADDRESS" ? address : nil }.openSession(
            within: .seconds(30)
        )
    }

    static let (path, interface) = ("/com/example/Echo", "com.example.Echo")

    static func call(_ member: String, on name: String, _ arguments: [BusValue] = []) -> BusCall {
        BusCall(member, of: interface, at: path, on: name, arguments)
    }

    /// Answers calls until the connection ends: `Echo` with what it was given, anything else by an error.
    private static func serve(_ bus: any MessageBus) -> Task<Void, Never> {
        let calls = bus.calls(to: path, interface: interface)
        return Task {
            for await call in calls {
                switch call.member {
                case "Echo": call.answer(.values(call.arguments))
                case "Nothing": break
                case "Bad": call.answer(.values([.string("a\0b")]))
                default: call.answer(.error(name: "com.example.Error.Unknown", text: "no \(call.member)"))
                }
            }
        }
    }

    @Test("every type round-trips through another program")
    func types() async throws {
        let daemon = try BusDaemon()
        let (server, client) = (try await Self.connected(to: daemon), try await Self.connected(to: daemon))
        let life = Self.serve(server)
        let image: [BusValue] = [
            .int32(2), .int32(1), .int32(6), .boolean(false), .int32(8), .int32(3), .bytes([255, 0, 0, 0, 255, 0]),
        ]
        let sent: [BusValue] = [
            .byte(.max), .boolean(true), .int16(.min), .uint16(.max), .int32(.min), .uint32(.max), .int64(.min),
            .uint64(.max), .double(-0.5), .string("grüße\n"), .string(""), .path("/a/b"), .signature("a{sv}"),
            .bytes([]), .strings([]), .strings(["a", "b"]), .array([.bytes([1]), .bytes([])], of: "ay"),
            .options([("urgency", .byte(2)), ("image-data", .structure(image)), ("list", .strings(["x"]))]),
            .dictionary([], of: "us"), .variant(.variant(.int32(7))),
            .structure([.string("s"), .structure([.byte(1)])]),
        ]
        let reply = try await client.call(Self.call("Echo", on: server.name, sent), within: .seconds(30))
        #expect(reply.values == sent)
        #expect(reply.sender == server.name)
        #expect(try await client.call(Self.call("Echo", on: server.name), within: .seconds(30)).values == [])
        life.cancel()
    }

    @Test("an invalid value is rejected before sending, and the connection stays open")
    func unwritable() async throws {
        let daemon = try BusDaemon()
        let bus = try await Self.connected(to: daemon)
        let life = Self.serve(bus)
        var deep = BusValue.byte(1)
        for _ in 0..<100 { deep = .variant(deep) }
        let bad: [BusValue] = [
            .string("a\0b"), .path("no path"), .signature("%"), .array([.byte(1)], of: "s"), .structure([]), deep,
            .dictionary([.init(.string("a"), .byte(1))], of: "sv"), .array([], of: "?"),
        ]
        for value in bad {
            let failure = await #expect(throws: BusFailure.self) {
                try await bus.call(Self.call("Echo", on: bus.name, [value]), within: .seconds(30))
            }
            #expect(failure?.kind == .invalid, "\(value)")
        }
        for call in [Self.call("no member", on: bus.name), Self.call("Echo", on: "no name")] {
            let failure = await #expect(throws: BusFailure.self) { try await bus.call(call, within: .seconds(30)) }
            #expect(failure?.kind == .invalid)
        }
        #expect(try await bus.call(Self.call("Echo", on: bus.name), within: .seconds(30)).values == [])
        life.cancel()
    }

    @Test(
        "errors, unanswered calls, and missing objects and interfaces are reported"
    )
    func errors() async throws {
        let daemon = try BusDaemon()
        let (server, client) = (try await Self.connected(to: daemon), try await Self.connected(to: daemon))
        let life = Self.serve(server)
        func failure(_ call: BusCall) async -> BusFailure? {
            await #expect(throws: BusFailure.self) { try await client.call(call, within: .seconds(30)) }
        }
        let unknown = await failure(Self.call("Other", on: server.name))
        #expect(unknown?.kind == .refused(name: "com.example.Error.Unknown"))
        #expect(unknown?.reason == "com.example.Error.Unknown: no Other")
        let failed = BusFailure.Kind.refused(name: "org.freedesktop.DBus.Error.Failed")
        #expect(await failure(Self.call("Nothing", on: server.name))?.kind == failed)
        #expect(await failure(Self.call("Bad", on: server.name))?.kind == failed)
        let object = await failure(BusCall("Echo", of: Self.interface, at: "/other", on: server.name))
        #expect(object?.kind == .refused(name: "org.freedesktop.DBus.Error.UnknownObject"))
        let interface = await failure(BusCall("Echo", of: "com.example.Other", at: Self.path, on: server.name))
        #expect(interface?.kind == .refused(name: "org.freedesktop.DBus.Error.UnknownInterface"))
        let absent = await failure(Self.call("Echo", on: "com.example.absent"))
        #expect(absent?.kind == .refused(name: "org.freedesktop.DBus.Error.ServiceUnknown"))
        life.cancel()
    }

    @Test("a call without a reply ends at its timeout, or with its task, and others continue")
    func silence() async throws {
        let daemon = try BusDaemon()
        let (server, client) = (try await Self.connected(to: daemon), try await Self.connected(to: daemon))
        // They are taken, and kept.
        let kept = server.calls(to: Self.path, interface: Self.interface)
        let silent = await #expect(throws: BusFailure.self) {
            try await client.call(Self.call("Echo", on: server.name), within: .milliseconds(50))
        }
        #expect(silent?.kind == .timedOut)
        let waiting = Task { try await client.call(Self.call("Echo", on: server.name), within: .seconds(3_600)) }
        var iterator = kept.makeAsyncIterator()
        _ = await iterator.next()
        let second = await iterator.next()
        #expect(second?.sender == client.name)
        waiting.cancel()
        let cancelled = await #expect(throws: BusFailure.self) { try await waiting.value }
        #expect(cancelled?.kind == .cancelled)
        // A reply that comes too late is none of anybody's.
        second?.answer(.values([.string("late")]))
        try await client.requestName("com.example.client")
        withExtendedLifetime(kept) {}
    }

    @Test("signals arrive in order, by match rule, and a name has one owner")
    func signals() async throws {
        let daemon = try BusDaemon()
        let (sender, receiver) = (try await Self.connected(to: daemon), try await Self.connected(to: daemon))
        try await sender.requestName("com.example.sender")
        let taken = await #expect(throws: BusFailure.self) { try await receiver.requestName("com.example.sender") }
        #expect(taken?.reason == "another program has the name 'com.example.sender'")
        let rule = BusRule(
            interface: Self.interface,
            path: Self.path,
            member: "Tick",
            sender: "com.example.sender",
            firstArgument: "it's"
        )
        let ticks = try await receiver.signals(rule)
        for number in UInt32(0)..<500 {
            try sender.emit(BusSignal("Tick", of: Self.interface, at: Self.path, [.string("other"), .uint32(number)]))
            try sender.emit(BusSignal("Tock", of: Self.interface, at: Self.path, [.string("it's")]))
            try sender.emit(BusSignal("Tick", of: Self.interface, at: Self.path, [.string("it's"), .uint32(number)]))
        }
        var numbers: [UInt32] = []
        for await tick in ticks {
            #expect(tick.sender == sender.name)
            numbers += tick.values.compactMap(\.number)
            if numbers.count == 500 { break }
        }
        #expect(numbers == Array(0..<500))
        sender.close()
        await sender.ended()
        #expect(
            await eventually {
                do { try await receiver.requestName("com.example.sender") } catch { return false }
                return true
            }
        )
    }

    @Test("changes of the names in a namespace arrive, and no others")
    func namespace() async throws {
        let daemon = try BusDaemon()
        let (owner, receiver) = (try await Self.connected(to: daemon), try await Self.connected(to: daemon))
        let (driver, member) = ("org.freedesktop.DBus", "NameOwnerChanged")
        let changes = try await receiver.signals(
            BusRule(
                interface: driver,
                path: "/org/freedesktop/DBus",
                member: member,
                sender: driver,
                firstNamespace: "com.example.Server"
            )
        )
        for name in ["com.example.Server2", "com.example.Server.two", "com.example.other", "com.example.Server"] {
            try await owner.requestName(name)
        }
        var names: [String] = []
        for await change in changes {
            #expect(change.sender == driver && change.values.last?.text == owner.name)
            names += change.values.prefix(1).compactMap(\.text)
            if names.count == 2 { break }
        }
        #expect(names == ["com.example.Server.two", "com.example.Server"])
    }

    @Test("a call with more than 64 KiB or 256 values is answered with an error")
    func large() async throws {
        let daemon = try BusDaemon()
        let (server, client) = (try await Self.connected(to: daemon), try await Self.connected(to: daemon))
        let life = Self.serve(server)
        let (half, one) = ([UInt8](repeating: 1, count: 1 << 15), BusValue.bytes([1]))
        let texts = BusValue.strings([String(repeating: "a", count: 1 << 15), "b"])
        let many = BusValue.array((0..<256).map { .uint32($0) }, of: "u")
        // Each has a signature of its own.
        let signed = BusValue.variant(.structure(Array(repeating: .byte(1), count: 200)))
        let signatures = BusValue.array(Array(repeating: signed, count: 100), of: "v")
        for more in [[.bytes(half), one], [texts], [many], [signatures]] as [[BusValue]] {
            let failure = await #expect(throws: BusFailure.self) {
                try await client.call(Self.call("Echo", on: server.name, [.bytes(half)] + more), within: .seconds(30))
            }
            #expect(failure?.kind == .refused(name: "org.freedesktop.DBus.Error.InvalidArgs"))
        }
        let whole = try await client.call(
            // The types count too.
            Self.call("Echo", on: server.name, [.bytes(half), .bytes(Array(half.dropFirst(16)))]),
            within: .seconds(30)
        )
        #expect(whole.values.count == 2)
        life.cancel()
    }

    @Test("one program has at most 64 unanswered calls, and others still get a reply")
    func unanswered() async throws {
        let daemon = try BusDaemon()
        let (server, client) = (try await Self.connected(to: daemon), try await Self.connected(to: daemon))
        let kept = server.calls(to: Self.path, interface: Self.interface)
        let waiting = (0..<64).map { _ in
            Task { try await client.call(Self.call("Echo", on: server.name), within: .seconds(60)) }
        }
        var (calls, iterator) = ([BusIncomingCall](), kept.makeAsyncIterator())
        while calls.count < 64, let call = await iterator.next() { calls.append(call) }
        let refused = await #expect(throws: BusFailure.self) {
            try await client.call(Self.call("Echo", on: server.name), within: .seconds(60))
        }
        #expect(refused?.kind == .refused(name: "org.freedesktop.DBus.Error.LimitsExceeded"))
        let other = try await Self.connected(to: daemon)
        let late = Task { try await other.call(Self.call("Echo", on: server.name), within: .seconds(60)) }
        await iterator.next()?.answer(.values([]))
        #expect(try await late.value.values == [])
        for call in calls { call.answer(.values([])) }
        for task in waiting { #expect(try await task.value.values == []) }
    }

    @Test(
        "a call without an interface reaches the only one of its object, and none of several",
        .enabled(if: ScriptedServer.hasModules("dbus_fast"))
    )
    func plain() async throws {
        let script = """
            import asyncio, sys
            from dbus_fast import Message
            from dbus_fast.aio import MessageBus

            async def main():
                bus = await MessageBus(bus_address=sys.argv[1]).connect()
                reply = await bus.call(Message(destination=sys.argv[2], path=sys.argv[3], member="Echo"))
                print(reply.message_type.name, reply.error_name)

            asyncio.run(main())
            """
        let daemon = try BusDaemon()
        let server = try await Self.connected(to: daemon)
        let life = Self.serve(server)
        func call() throws -> String {
            try Program.run(ScriptedServer.python, ["-c", script, daemon.address, server.name, Self.path]).output
        }
        #expect(try call() == "METHOD_RETURN None\n")
        let others = server.calls(to: Self.path, interface: "com.example.Other")
        #expect(try call() == "ERROR org.freedesktop.DBus.Error.UnknownInterface\n")
        withExtendedLifetime(others) {}
        life.cancel()
    }

    @Test("calls of one task are sent in order, and dozens may be pending")
    func order() async throws {
        let daemon = try BusDaemon()
        let (server, client) = (try await Self.connected(to: daemon), try await Self.connected(to: daemon))
        let life = Self.serve(server)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in UInt32(0)..<60 {
                group.addTask {
                    let call = Self.call("Echo", on: server.name, [.uint32(number)])
                    return try await client.call(call, within: .seconds(60)).values == [.uint32(number)]
                }
            }
            for try await isSame in group { #expect(isSame) }
        }
        life.cancel()
    }

    @Test("a killed bus ends calls, signals and served objects with an error, and a new connection works")
    func killed() async throws {
        let daemon = try BusDaemon()
        let bus = try await Self.connected(to: daemon)
        let other = try await Self.connected(to: daemon)
        let kept = other.calls(to: Self.path, interface: Self.interface)
        let signals = try await bus.signals(BusRule(interface: Self.interface, path: Self.path))
        let served = bus.calls(to: Self.path, interface: Self.interface)
        let waiting = Task { try await bus.call(Self.call("Echo", on: other.name), within: .seconds(3_600)) }
        var iterator = kept.makeAsyncIterator()
        let call = await iterator.next()
        #expect(call != nil)
        daemon.end()
        let lost = await #expect(throws: BusFailure.self) { try await waiting.value }
        #expect(lost?.kind == .lost)
        for await _ in signals {}
        for await _ in served {}
        await bus.ended()
        let later = await #expect(throws: BusFailure.self) {
            try await bus.call(Self.call("Echo", on: other.name), within: .seconds(30))
        }
        #expect(later?.kind == .lost)
        #expect(throws: BusFailure.self) { try bus.emit(BusSignal("Tick", of: Self.interface, at: Self.path, [])) }
        try daemon.begin()
        #expect(try await Self.connected(to: daemon).name.hasPrefix(":"))
    }
}
