import Foundation
import Support
import Testing
import WireHost

@Suite("The service manager")
struct ServiceManagerTests {
    @Test("the service manager is notified with sd_notify, at a path or an abstract name", arguments: [true, false])
    func notices(isAbstract: Bool) throws {
        let folder = try TemporaryFolder()
        let name = isAbstract ? "@corewire-\(UUID().uuidString)" : folder.url.path + "/notify"
        let manager = try Child(Peer.python, [Peer.script("datagrams"), name])
        #expect(manager.line() == "listening")
        let run = try Program.run(
            Peer.probe,
            ["notify"],
            environment: ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "3000000"]
        )
        #expect(run.output == "1.5 seconds\ntrue\n")
        for expected in [
            #""READY=1\nSTATUS=listening\\u{a}STOPPING=1""#, #""RELOADING=1\nMONOTONIC_USEC=1234567""#,
            #""WATCHDOG=1""#, #""EXTEND_TIMEOUT_USEC=5000000""#, #""STOPPING=1""#,
        ] {
            #expect(manager.line() == expected)
        }
    }

    @Test("without a service manager nothing is sent")
    func nobody() throws {
        #expect(try ServiceManager(Environment([:])) == nil)
        #expect(try ServiceManager(Environment(["NOTIFY_SOCKET": ""])) == nil)
    }

    @Test("a missing service manager is an error, not a crash")
    func gone() throws {
        let manager = try #require(try ServiceManager(Environment(["NOTIFY_SOCKET": "/nowhere/notify"])))
        #expect { try manager.notify(.ready) } throws: { "\($0)" == "'/nowhere/notify': no such file or directory" }
    }

    @Test(
        "an invalid socket name is rejected",
        arguments: ["relative", "@", "/" + String(repeating: "x", count: 108)]
    )
    func names(name: String) {
        #expect(throws: HostError.self) { try ServiceManager(Environment(["NOTIFY_SOCKET": name])) }
    }

    @Test(
        "the watchdog applies only to the process it names",
        arguments: [
            (["WATCHDOG_USEC": "2000000"], Duration.seconds(2)),
            (["WATCHDOG_USEC": "2000000", "WATCHDOG_PID": "42"], .seconds(2)),
            (["WATCHDOG_USEC": "2000000", "WATCHDOG_PID": "43"], nil), ([:], nil),
        ]
    )
    func watchdog(variables: [String: String], limit: Duration?) throws {
        let environment = Environment(variables.merging(["NOTIFY_SOCKET": "/run/notify"]) { $1 })
        #expect(try #require(try ServiceManager(environment, process: 42)).watchdogLimit == limit)
    }

    @Test("an invalid watchdog interval is an error", arguments: ["0", "-1", "soon", "99999999999999999999"])
    func nonsense(text: String) {
        let environment = Environment(["NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": text])
        #expect { try ServiceManager(environment) } throws: {
            "\($0)" == "'WATCHDOG_USEC': expected microseconds, found '\(text)'"
        }
    }

    @Test(
        "an invalid LISTEN_FDS or LISTEN_PID is an error, an absent one is not",
        arguments: [
            ("x", "1", "'LISTEN_PID': expected a process, found 'x'"),
            ("0", "1", "'LISTEN_PID': expected a process, found '0'"),
            ("42", "-1", "'LISTEN_FDS': expected a number in 0...1024, found '-1'"),
            ("42", "1025", "'LISTEN_FDS': expected a number in 0...1024, found '1025'"),
        ]
    )
    func strange(process: String, count: String, said: String) throws {
        let environment = Environment(["LISTEN_PID": process, "LISTEN_FDS": count])
        #expect { try ActivatedSocket.taken(from: environment, process: 42) } throws: { "\($0)" == said }
        let none = Environment(["LISTEN_PID": "42", "LISTEN_FDS": "0"])
        #expect(try ActivatedSocket.taken(from: none, process: 42) == [])
    }

    @Test(
        "inherited sockets are accepted, of this process only",
        arguments: [
            (
                "named",
                "api 3 true true true unix(path: @/api.sock)\nconsole 4 true true true unix(path: @/console.sock)\n"
            ),
            (
                "unnamed",
                "unknown 3 true true true unix(path: @/api.sock)\nunknown 4 true true true unix(path: @/console.sock)\n"
            ), ("another", ""),
            ("many", "'LISTEN_FDS': descriptor 5 is not an open socket\n"),
            ("nonsense", "'LISTEN_FDS': expected a number in 0...1024, found 'two'\n"),
        ]
    )
    func activation(kind: String, said: String) throws {
        let folder = try TemporaryFolder()
        let run = try Program.run(Peer.python, [Peer.script("activate"), kind, folder.url.path, Peer.probe])
        let shown = run.everything.replacing("Optional(\"\(folder.url.path)", with: "@").replacing("\"))", with: ")")
        #expect(shown == said)
    }
}
