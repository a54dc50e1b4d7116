import Foundation
import Support
import Testing
import WireDownloadContract

/// What a server does to a file, request by request, and which of its states is here in the end.
struct Behaviour: Sendable, CustomTestStringConvertible {
    let name: String
    let script: String
    var seed = 1
    var size = 300_000
    /// Whether something of the file was gone on with: the beginning of the ranges that were asked for.
    var ranges: [Bool]

    var testDescription: String { name }

    static let all = [
        Behaviour(name: "the connection ends midway", script: #"[{"cut":150000},{}]"#, ranges: [false, true]),
        Behaviour(name: "the connection is reset", script: #"[{"cut":150000,"reset":true},{}]"#, ranges: []),
        Behaviour(
            name: "the file changes midway",
            script: #"[{"cut":150000},{"seed":2,"size":310000}]"#,
            seed: 2,
            size: 310_000,
            ranges: [false, true]
        ),
        Behaviour(
            name: "the file changes, and the server goes on regardless",
            script: #"[{"cut":150000},{"seed":2,"ignore_condition":true},{"seed":2}]"#,
            seed: 2,
            ranges: [false, true, false]
        ),
        Behaviour(
            name: "the file changes its time",
            script:
                #"[{"cut":150000,"etag":"","modified":"Sun, 06 Nov 2022 08:49:37 GMT"},{"seed":2,"etag":"","ignore_condition":true,"modified":"Sun, 06 Nov 2022 09:49:37 GMT"},{"seed":2}]"#,
            seed: 2,
            ranges: [false, true, false]
        ),
        Behaviour(
            name: "the file shrinks (416)",
            script: #"[{"cut":150000},{"size":100000,"ignore_condition":true},{"size":100000}]"#,
            size: 100_000,
            ranges: [false, true, false]
        ),
        Behaviour(
            name: "the file grows",
            script: #"[{"cut":150000},{"size":400000,"ignore_condition":true},{"size":400000}]"#,
            size: 400_000,
            ranges: [false, true, false]
        ),
        Behaviour(
            name: "200 instead of 206",
            script: #"[{"cut":150000},{"ranges":false}]"#,
            ranges: [false, true]
        ),
        Behaviour(
            name: "another part than was asked for",
            script: #"[{"cut":150000},{"range":"bytes 0-149999/300000"},{}]"#,
            ranges: [false, true, false]
        ),
        Behaviour(
            name: "a part of which it is not said which",
            script: #"[{"cut":150000},{"range":"bytes many"},{}]"#,
            ranges: [false, true, false]
        ),
        Behaviour(
            name: "another total",
            script: #"[{"cut":150000},{"range":"bytes 150000-299999/400000"},{}]"#,
            ranges: [false, true, false]
        ),
        Behaviour(
            name: "a total that nobody knows",
            script: #"[{"cut":150000},{"range":"bytes 150000-299999/*"}]"#,
            ranges: [false, true]
        ),
        Behaviour(
            name: "a length that is too large",
            script: #"[{"length":400000,"cut":300000,"close":true},{}]"#,
            ranges: [false, true, false]
        ),
        Behaviour(
            name: "nothing that names the state of the file",
            script: #"[{"etag":"","cut":150000},{"etag":""}]"#,
            ranges: [false, false]
        ),
        Behaviour(
            name: "a weak tag",
            script: #"[{"etag":"W/\"1\"","cut":150000},{"etag":"W/\"1\""}]"#,
            ranges: [false, false]
        ),
        Behaviour(
            name: "a time of change that is as old as the answer",
            script:
                #"[{"etag":"","modified":"Sun, 06 Nov 2033 08:49:37 GMT","cut":150000},{"etag":""}]"#,
            ranges: [false, false]
        ),
        Behaviour(name: "a length that is not told", script: #"[{"chunked":true}]"#, ranges: [false]),
        Behaviour(
            name: "a length that is not told, and the connection ends",
            script: #"[{"chunked":true,"cut":150000,"close":true},{"chunked":true}]"#,
            ranges: [false, true]
        ),
        Behaviour(
            name: "a failure that passes",
            script: #"[{"status":503},{"status":429},{}]"#,
            ranges: [false, false, false]
        ),
        Behaviour(name: "drop by drop", script: #"[{"drip":700}]"#, ranges: [false]),
        Behaviour(name: "an empty file", script: #"[{"size":0}]"#, size: 0, ranges: [false]),
    ]
}

@Suite("Downloads and server behaviour")
struct ServerTests {
    @Test("whatever a server does, the file equals one of its versions", arguments: Behaviour.all)
    func whole(_ behaviour: Behaviour) async throws {
        let (server, bench) = (try await FileServer.start(), try await DownloadBench())
        let done = try await bench.fetch(server.address("file.bin", behaviour.script))
        #expect(done.state == .done, "\(done.reason ?? "")")
        #expect(try bench.data("file.bin") == FileServer.content(seed: behaviour.seed, size: behaviour.size))
        let asked = try await server.questions("file.bin").map { $0.hasPrefix("bytes=") }
        if !behaviour.ranges.isEmpty { #expect(asked == behaviour.ranges) }
        #expect(bench.drafts.isEmpty)
        await bench.end()
    }

    @Test(
        "a permanent failure is reported with the server's status",
        arguments: [
            (#"[{"status":404}]"#, "the server responded with status 404 Not Found"),
            (#"[{"status":403}]"#, "the server responded with status 403 Forbidden"),
            (#"[{"status":410}]"#, "the server responded with status 410 Gone"),
            (#"[{"status":206,"range":"bytes 5-9/10"}]"#, "the server sent a part of the file that was not requested"),
            (#"[{"size":1048577}]"#, "the file has 1048577B, expected 1MiB at most"),
            (#"[{"size":1048577,"chunked":true}]"#, "the file has more than 1MiB, expected 1MiB at most"),
            (
                #"[{"status":302,"fields":["Location: http://elsewhere.example/x"]}]"#,
                "the host 'elsewhere.example' is not allowed"
            ),
            (#"[{"status":302}]"#, "redirect 302 without address"),
        ]
    )
    func never(_ script: String, _ reason: String) async throws {
        let server = try await FileServer.start()
        let bench = try await DownloadBench(
            "downloads: { directory: files, maxSize: 1MiB, hosts: [127.0.0.1] }"
        )
        let failed = try await bench.fetch(server.address("file.bin", script))
        #expect(failed.state == .failed)
        #expect(failed.reason == reason)
        #expect(bench.names.isEmpty && bench.drafts.isEmpty)
        await bench.end()
    }

    @Test(
        "a file of the maximum size is downloaded, with or without Content-Length",
        arguments: [#"[{"size":1048576}]"#, #"[{"size":1048576,"chunked":true}]"#]
    )
    func largest(_ script: String) async throws {
        let server = try await FileServer.start()
        let bench = try await DownloadBench("downloads: { directory: files, maxSize: 1MiB }")
        let done = try await bench.fetch(server.address("file.bin", script))
        #expect(done.state == .done, "\(done.reason ?? "")")
        #expect(try bench.data("file.bin").count == 1 << 20)
        await bench.end()
    }

    @Test("at most ten consecutive redirects are followed")
    func redirects() async throws {
        let (server, bench) = (try await FileServer.start(), try await DownloadBench())
        for (name, count) in [("a", 10), ("b", 11)] {
            let hops = Array(repeating: #"{"status":302,"again":true}"#, count: count).joined(separator: ",")
            let end = try await bench.fetch(server.address(name, "[\(hops),{}]"))
            #expect(end.state == (count == 10 ? .done : .failed), "\(end.reason ?? "")")
            if count > 10 { #expect(end.reason == "more than 10 consecutive redirects") }
            #expect(try await server.questions(name).count == 11)
        }
        await bench.end()
    }

    @Test("a redirect is followed, and its target determines the file name")
    func redirect() async throws {
        let (server, bench) = (try await FileServer.start(), try await DownloadBench())
        let script = #"[{"status":302,"fields":["Location: /there/real.bin"]}]"#
        let done = try await bench.fetch(server.address("file", script))
        #expect(done.state == .done)
        #expect(bench.names == ["real.bin"])
        await bench.end()
    }

    @Test("a token is sent to the server of the base URL only")
    func tokens() async throws {
        let (own, other) = (try await FileServer.start(), try await FileServer.start())
        let bench = try await DownloadBench(base: own.base)
        _ = try await bench.fetch(own.path("mine"))
        _ = try await bench.fetch(other.address("theirs"))
        _ = try await bench.fetch(own.path("led", #"[{"status":302,"fields":["Location: \#(other.base)/away"]}]"#))
        #expect(try await own.questions("mine") == ["-|-|Bearer secret"])
        #expect(try await other.questions("theirs") == ["-|-|-"])
        #expect(try await other.questions("away") == ["-|-|-"])
        await bench.end()
    }

    @Test(
        "a file name is sanitized, whatever the server sends",
        arguments: [
            (#"attachment; filename=\"report.pdf\""#, "report.pdf"),
            (#"attachment; filename=\"../../etc/passwd\""#, "passwd"),
            (#"attachment; filename=\"..\\\\..\\\\boot.ini\""#, "boot.ini"),
            (#"attachment; filename=\".bashrc\""#, "bashrc"),
            (#"attachment; filename=\"-rf\""#, "rf"),
            (#"attachment; filename=\"..\""#, "file.bin"),
            (#"attachment; filename=\"a;b.txt\"; x=y"#, "a;b.txt"),
            (#"attachment; filename=x; filename*=UTF-8''na%C3%AFve%20plan.txt"#, "naïve plan.txt"),
            (#"attachment; filename*=UTF-8''a%2Fb%00%0Ac"#, "bc"),
            (#"attachment; filename*=UTF-8''%E2%80%AEgpj.exe"#, "gpj.exe"),
            (#"attachment"#, "file.bin"),
        ]
    )
    func names(_ disposition: String, _ name: String) async throws {
        let (server, bench) = (try await FileServer.start(), try await DownloadBench())
        let script = #"[{"size":10,"fields":["Content-Disposition: \#(disposition)"]}]"#
        let done = try await bench.fetch(server.address("file.bin", script))
        #expect(done.state == .done)
        #expect(bench.names == [name])
        await bench.end()
    }

    @Test("a long name is shortened, and keeps its extension")
    func longName() async throws {
        let (server, bench) = (try await FileServer.start(), try await DownloadBench())
        let script =
            #"[{"size":10,"fields":["Content-Disposition: attachment; filename=\"\#(String(repeating: "x", count: 400)).tar\""]}]"#
        let done = try await bench.fetch(server.address("file.bin", script))
        #expect(done.state == .done)
        let found = try #require(bench.names.first)
        #expect(found.utf8.count == 200 && found.hasSuffix("x.tar"))
        await bench.end()
    }

    @Test("an existing file is not overwritten; the new one gets a number")
    func sameName() async throws {
        let (server, bench) = (try await FileServer.start(), try await DownloadBench())
        for seed in 1...3 {
            let done = try await bench.fetch(server.address("a.txt", #"[{"size":10,"seed":\#(seed)}]"#))
            #expect(done.state == .done)
        }
        #expect(bench.names == ["a (2).txt", "a (3).txt", "a.txt"])
        #expect(try bench.data("a.txt") == FileServer.content(seed: 1, size: 10))
        #expect(try bench.data("a (3).txt") == FileServer.content(seed: 3, size: 10))
        await bench.end()
    }
}
