import Foundation
import Support
import Testing

@Suite(
    "Web Push over a distributor on the session bus, with the built runner",
    .serialized,
    .enabled(if: ScriptedServer.hasModules("aiohttp, pywebpush, dbus_fast"))
)
struct DistributorProgramTests {
    /// A bus with a distributor; both end with the test.
    private struct Bus {
        let daemon: BusDaemon
        let distributor: ScriptedServer

        init(_ options: [String] = []) async throws {
            daemon = try BusDaemon()
            distributor = try await ScriptedServer(push: "distributor", [daemon.address] + options)
        }

        /// A runner on the bus, with an app server that sends to it.
        func scene(
            _ settings: String = "",
            signed: Bool = false,
            _ variables: [String: String] = [:],
            waits: Bool = true
        ) async throws -> WebPushScene {
            let environment = ["DBUS_SESSION_BUS_ADDRESS": daemon.address].merging(variables) { $1 }
            let source = "type: distributor\(settings)"
            return try await WebPushScene(
                at: distributor,
                source,
                signed: signed,
                environment: environment,
                waits: waits
            )
        }

        /// Registers of one number, so far.
        func count(_ number: Int = 1) -> Int { distributor.count("register \(number) ") }
    }

    @Test("a message of pywebpush is shown, and its id is the reply", .timeLimit(.minutes(2)))
    func shown() async throws {
        let bus = try await Bus()
        let scene = try await bus.scene()
        #expect(try await bus.distributor.saw("register ") == "register 1 com.example.tasks com.example.tasks -")
        try await scene.sender.tell(#"send {"title":"Ward","body":"Bed 4 is free"}"#)
        #expect(try await scene.bodies(1) == ["Bed 4 is free"])
        let reply = try await bus.distributor.saw("reply 1 ")
        #expect(reply.contains(/^reply 1 [A-Z2-7]{16}$/), "\(reply)")
        try await scene.sender.tell("send Pump 3 is off")
        #expect(try await scene.bodies(2) == ["Bed 4 is free", "Pump 3 is off"])
        let metrics = try await scene.runner.ask("GET", "/metrics").text
        #expect(metrics.contains("stream_connected{stream=\"push.webPush\"} 1"))
        try await scene.runner.stop()
    }

    @Test(
        "a distributor of the first version works, with all arguments or without the description",
        .timeLimit(.minutes(2)),
        arguments: [["--replies"], ["--arguments", "2"]]
    )
    func first(_ options: [String]) async throws {
        let bus = try await Bus(["--version", "1"] + options)
        let scene = try await bus.scene()
        let description = options == ["--replies"] ? "com.example.tasks " : ""
        #expect(bus.distributor.all.contains("register 1 com.example.tasks \(description)-"), "\(bus.distributor.all)")
        try await scene.sender.tell("each 3 Alarm")
        #expect(try await scene.bodies(3) == ["Alarm 1", "Alarm 2", "Alarm 3"])
        try await bus.distributor.tell("replace 1")
        try await scene.sender.saw("registered 1 instead")
        #expect(bus.count() == 1)
        #expect(try scene.runner.corewire(["push", "unsubscribe", "--wait"]).status == 0)
        try await bus.distributor.saw("unregister 1")
        try await scene.runner.stop()
    }

    @Test("with 'vapid', the distributor gets the key of the sender", .timeLimit(.minutes(2)))
    func signed() async throws {
        let bus = try await Bus()
        let scene = try await bus.scene(signed: true)
        #expect(
            bus.distributor.all.contains { $0.hasPrefix("register 1 ") && $0.hasSuffix(scene.sender.readyWords[1]) }
        )
        try await scene.runner.stop()
    }

    @Test("messages sent while the runner is away arrive once", .timeLimit(.minutes(2)))
    func away() async throws {
        let bus = try await Bus()
        var scene = try await bus.scene()
        try await scene.runner.kill()
        try await scene.sender.tell("each 25 Alarm")
        try await bus.distributor.saw("reply 1 org.freedesktop.DBus.Error.ServiceUnknown", times: 25)
        try await scene.start()
        #expect(try await scene.bodies(25) == (1...25).map { "Alarm \($0)" })
        try await scene.runner.stop()
    }

    @Test(
        "a distributor, or a bus, that ends in the middle of a backlog repeats what it has no reply to",
        .timeLimit(.minutes(2)),
        arguments: [false, true]
    )
    func cut(endsBus: Bool) async throws {
        let bus = try await Bus()
        var scene = try await bus.scene()
        try await scene.runner.kill()
        try await scene.sender.tell("each 25 Alarm")
        try await bus.distributor.saw("reply 1 org.freedesktop.DBus.Error.ServiceUnknown", times: 25)
        try await bus.distributor.tell("leave after 10")
        try await scene.start()
        try await bus.distributor.saw("left")
        #expect(try await scene.bodies(10) == (1...10).map { "Alarm \($0)" })
        if endsBus {
            bus.daemon.end()
            try bus.daemon.begin()
        }
        try await bus.distributor.tell("come")
        #expect(try await scene.bodies(25) == (1...25).map { "Alarm \($0)" })
        try await bus.distributor.saw("reply 1 ", times: 25 + 9 + 16)
        try await scene.runner.stop()
    }

    @Test(
        "killed again and again while messages arrive, the runner loses none and lists each once",
        .timeLimit(.minutes(5))
    )
    func killed() async throws {
        let bus = try await Bus()
        var scene = try await bus.scene()
        try await scene.killWhileSending()
        try await scene.runner.stop()
    }

    @Test("the endpoint counts, not the reply to the registration", .timeLimit(.minutes(2)))
    func late() async throws {
        let bus = try await Bus()
        try await bus.distributor.tell("fail late")
        let scene = try await bus.scene()
        try await scene.sender.tell("send Bed 4 is free")
        #expect(try await scene.bodies(1) == ["Bed 4 is free"])
        try await bus.distributor.tell("reply")
        try await scene.sender.tell("send Bed 5 is free")
        #expect(try await scene.bodies(2) == ["Bed 4 is free", "Bed 5 is free"])
        #expect(bus.count() == 1)
        try await scene.runner.stop()
    }

    @Test("a distributor that comes later, or comes back, gets the same registrations", .timeLimit(.minutes(2)))
    func restarted() async throws {
        let bus = try await Bus(["--absent"])
        let scene = try await bus.scene(waits: false)
        let isTold = await eventually { scene.runner.log.contains("no UnifiedPush distributor is on the session bus") }
        #expect(isTold, "\(scene.runner.log)")
        #expect(try await scene.runner.ask("GET", "/metrics").text.contains("connected{stream=\"push.webPush\"} 0"))
        try await bus.distributor.tell("come")
        try await scene.sender.saw("registered")
        try await bus.distributor.tell("leave")
        let isNoted = await eventually { scene.runner.log.contains("the distributor 'kde' has left the session bus") }
        #expect(isNoted, "\(scene.runner.log)")
        try await scene.sender.tell("send Sent meanwhile")
        try await bus.distributor.tell("come")
        #expect(try await scene.bodies(1) == ["Sent meanwhile"])
        #expect(bus.count() == 2 && scene.sender.count("registered") == 1, "\(bus.distributor.all)")
        try await scene.runner.stop()
    }

    @Test("a registration that ends while the distributor is offline is ended there too", .timeLimit(.minutes(2)))
    func offline() async throws {
        let bus = try await Bus()
        try await bus.distributor.tell("offline")
        let scene = try await bus.scene(waits: false)
        try await bus.distributor.saw("register queued")
        #expect(try scene.runner.corewire(["push", "unsubscribe"]).status == 0)
        try await bus.distributor.saw("unregister queued")
        try await bus.distributor.tell("online")
        try await bus.distributor.saw("unregister 1")
        #expect(bus.distributor.count("register queued") == 1 && bus.count() == 1, "\(bus.distributor.all)")
        try await scene.runner.stop()
    }

    @Test("another endpoint, or a registration that was replaced, reaches the app server", .timeLimit(.minutes(2)))
    func moved() async throws {
        let bus = try await Bus()
        let scene = try await bus.scene()
        try await bus.distributor.tell("move 1")
        try await scene.sender.saw("registered 1 instead")
        try await bus.distributor.tell("replace 1")
        // The server may have the former endpoint for a while, which is void.
        let isSent = try await eventually {
            try await scene.sender.tell("send Here again")
            return scene.sender.all.contains("sent 201")
        }
        #expect(isSent, "\(scene.sender.all) \(bus.distributor.all)")
        #expect(try await scene.bodies(1) == ["Here again"])
        #expect(bus.count() == 1)
        // Each URL once, with the one that it replaces.
        #expect(scene.sender.count("registered") == 3, "\(scene.sender.all)")
        try await scene.runner.stop()
    }

    @Test("what cannot be decrypted is replied to, and blocks nothing", .timeLimit(.minutes(2)))
    func poison() async throws {
        let bus = try await Bus()
        let scene = try await bus.scene()
        for command in ["poison", "obsolete", "empty", "send Bed 4 is free"] { try await scene.sender.tell(command) }
        #expect(try await scene.bodies(1) == ["Bed 4 is free"])
        try await bus.distributor.saw("reply 1 ", times: 4)
        #expect(bus.distributor.count("reply 1 org") == 0, "\(bus.distributor.all)")
        #expect(scene.runner.log.contains("an event of a stream is not a notification"))
        try await scene.runner.stop()
    }

    @Test("a message without an id that is repeated is listed once", .timeLimit(.minutes(2)))
    func unnamed() async throws {
        let bus = try await Bus(["--no-ids"])
        let scene = try await bus.scene()
        try await scene.sender.tell("send Bed 4 is free")
        try await bus.distributor.tell("repeat")
        try await scene.sender.tell("send Bed 4 is free")
        try await bus.distributor.saw("reply 1 -", times: 3)
        #expect(try await scene.bodies(2) == ["Bed 4 is free", "Bed 4 is free"])
        try await scene.runner.stop()
    }

    @Test("calls of other programs, and calls that are not of the interface, are refused", .timeLimit(.minutes(2)))
    func hostile() async throws {
        let bus = try await Bus()
        let scene = try await bus.scene()
        try await bus.distributor.tell("introspect")
        #expect(
            bus.distributor.all.contains("interfaces org.unifiedpush.Connector2 org.unifiedpush.Connector1"),
            "\(bus.distributor.all)"
        )
        try await scene.sender.tell("send Bed 4 is free")
        try await bus.distributor.saw("reply 1 ")
        let calls = [
            ("type", "InvalidArgs"), ("nothing", "InvalidArgs"), ("token", "InvalidArgs"), ("field", "InvalidArgs"),
            ("large", "InvalidArgs"), ("endpoint", "InvalidArgs"), ("member", "UnknownMethod"),
            ("forge", "AccessDenied"),
        ]
        for (kind, error) in calls {
            try await bus.distributor.tell(kind == "forge" ? "forge" : "call \(kind)")
            let called = bus.distributor.all.last { $0.hasPrefix("called \(kind) ") }
            #expect(called == "called \(kind) org.freedesktop.DBus.Error.\(error)")
        }
        try await bus.distributor.tell("call unknown")
        #expect(bus.distributor.all.contains("called unknown ok"))
        try await scene.sender.tell("send Bed 5 is free")
        #expect(try await scene.bodies(2) == ["Bed 4 is free", "Bed 5 is free"])
        try await scene.runner.stop()
    }

    @Test("a failed registration is tried again, and a rejected one is reported", .timeLimit(.minutes(2)))
    func rejected() async throws {
        let bus = try await Bus()
        for reason in ["NETWORK", "INTERNAL_ERROR", "VAPID_REQUIRED"] {
            try await bus.distributor.tell("fail \(reason)")
        }
        var scene = try await bus.scene(waits: false)
        let isTold = try await eventually {
            try scene.runner.corewire(["push", "status", "--format", "json"]).output.contains("write 'vapid'")
        }
        #expect(isTold, "\(scene.runner.log)")
        #expect(bus.count() == 3 && scene.runner.log.contains("the distributor 'kde' failed to register: NETWORK"))
        try await scene.restart()
        try await scene.sender.saw("registered")
        try await scene.runner.stop()
    }

    @Test("after 'push unsubscribe' neither server nor distributor has the device", .timeLimit(.minutes(2)))
    func unsubscribed() async throws {
        let bus = try await Bus()
        let scene = try await bus.scene()
        #expect(try scene.runner.corewire(["push", "unsubscribe", "--wait"]).status == 0)
        try await scene.sender.saw("left 1")
        try await bus.distributor.saw("unregister 1")
        let refused = try scene.runner.corewire(["push", "subscription"])
        #expect(refused.status == 1, "\(refused.everything)")
        try await scene.runner.stop()
    }

    @Test("a registration that ends before it has an endpoint is ended there too", .timeLimit(.minutes(2)))
    func waiting() async throws {
        let bus = try await Bus()
        try await bus.distributor.tell("fail mute")
        let scene = try await bus.scene(waits: false)
        try await bus.distributor.saw("register 1 ")
        #expect(try scene.runner.corewire(["push", "unsubscribe"]).status == 0)
        try await bus.distributor.saw("unregister 1")
        try await scene.runner.stop()
    }

    @Test(
        "the file, then the variable, then 'kde' chooses the distributor",
        .timeLimit(.minutes(2)),
        arguments: [("", "", "kde"), ("", "zeta", "zeta"), (", name: alpha", "zeta", "alpha"), (", name: no", "", "")]
    )
    func chosen(_ settings: String, _ variable: String, _ name: String) async throws {
        let bus = try await Bus(["--name", "alpha"])
        var all = ["alpha": bus.distributor]
        for name in ["kde", "zeta"] {
            all[name] = try await ScriptedServer(push: "distributor", [bus.daemon.address, "--name", name])
        }
        let scene = try await bus.scene(settings, ["UNIFIEDPUSH_DISTRIBUTOR": variable], waits: !name.isEmpty)
        if name.isEmpty {
            let missing = "no program with the name 'org.unifiedpush.Distributor.no' is on the session bus"
            #expect(await eventually { scene.runner.log.contains(missing) }, "\(scene.runner.log)")
        }
        #expect(all.filter { $0.value.count("register ") > 0 }.map(\.key) == (name.isEmpty ? [] : [name]))
        try await scene.runner.stop()
    }

    @Test("without a session bus the runner reports so once", .timeLimit(.minutes(2)))
    func absent() async throws {
        let bus = try await Bus()
        bus.daemon.end()
        let scene = try await bus.scene(waits: false)
        let words = "run the runner as a service of a user"
        let isTold = await eventually { scene.runner.log.contains(words) }
        #expect(isTold, "\(scene.runner.log)")
        #expect(scene.runner.log.contains("no session bus at 'unix:path="))
        let status = try scene.runner.corewire(["status"]).everything
        #expect(status.contains(words), "\(status)")
        #expect(scene.runner.log.ranges(of: "a stream of notifications was rejected").count == 1)
        try await scene.runner.stop()
    }

    @Test("two runners of one app do not take the name from each other", .timeLimit(.minutes(2)))
    func taken() async throws {
        let bus = try await Bus()
        let first = try await bus.scene()
        let second = try await bus.scene(waits: false)
        let isTold = await eventually { second.runner.log.contains("another program has the name 'com.example.tasks'") }
        #expect(isTold, "\(second.runner.log)")
        try await first.sender.tell("send Bed 4 is free")
        #expect(try await first.bodies(1) == ["Bed 4 is free"])
        try await first.runner.stop()
        try await second.sender.saw("registered")
        try await second.runner.stop()
    }
}
