import Foundation
import Support
import Testing
import WireBackends
import WireEmbedded
import WireBase
import WireConfig
import WireHTTP
import WireStore
import Workbench

@Suite("Injected faults", .timeLimit(.minutes(2)))
struct FaultTests {
    @Test("a status fault replaces responses on its paths until it ends")
    func status() async throws {
        try await House.run { house in
            let web = try Web(#require(house.base))
            let order = #"{"status":503,"retryAfterSeconds":7,"seconds":30,"on":"/echo"}"#
            let fault = try await house.api("POST", "/v1/backends/faults", order)
            #expect(fault.status == .created && fault.json["kind"]?.string == "status")
            let answer = try await web.get("/echo/x")
            #expect(answer.status == 503 && answer["Retry-After"] == "7")
            #expect(try await web.get("/echoes").status == 404)
            #expect(try await web.get("/files/generated/1B").status == 200)
            let told = try await house.api("GET", "/v1/backends").json
            #expect(told["faults"]?.array?.first?["met"]?.integer == 1)
            #expect(told["baseUrl"]?.string == house.base)
            #expect(told["servers"]?.array?.count == 12)
            house.clock.pass(.milliseconds(29_999))
            #expect(try await web.get("/echo/x").status == 503)
            house.clock.pass(.milliseconds(1))
            #expect(try await web.get("/echo/x").status == 200)
            #expect(try await house.api("GET", "/v1/backends/faults").json["faults"]?.array?.isEmpty == true)
        }
    }

    @Test("a fault affects the requested number of requests, by method and seeded probability")
    func limits() async throws {
        try await House.run { house in
            let web = try Web(#require(house.base))
            _ = try await house.api("POST", "/v1/backends/faults", #"{"status":500,"count":2,"methods":["POST"]}"#)
            var statuses: [Int] = []
            for method in ["GET", "POST", "POST", "POST"] { statuses.append(try await web.ask(method, "/echo").status) }
            #expect(statuses == [200, 500, 500, 200])
            func struck() async throws -> [Int] {
                _ = try await house.api("POST", "/v1/backends/faults", #"{"status":500,"percent":40,"seed":9}"#)
                var struck: [Int] = []
                for number in 0..<40 where try await web.get("/echo").status == 500 { struck.append(number) }
                #expect(try await house.api("DELETE", "/v1/backends/faults").json["ended"]?.integer == 1)
                return struck
            }
            let first = try await struck()
            #expect((6...28).contains(first.count))
            #expect(try await struck() == first)
        }
    }

    @Test("a fault without a duration survives a restart until it is cleared; one with a duration does not")
    func lasting() async throws {
        let folder = try TemporaryFolder()
        try await House.run(in: folder) { house in
            let orders = [
                #"{"status":500,"count":9}"#,
                #"{"status":503,"on":"/echo","methods":["GET"],"header":"Authorization"}"#,
                #"{"kind":"latency","latencyMilliseconds":1,"on":"/files"}"#, #"{"status":500,"seconds":9}"#,
            ]
            for order in orders {
                let answer = try await house.api("POST", "/v1/backends/faults", order)
                #expect(answer.status == .created)
            }
        }
        try await House.run(in: folder) { house in
            let faults = try await house.api("GET", "/v1/backends/faults").json["faults"]?.array ?? []
            #expect(faults.map { $0["id"]?.string } == ["f2", "f3"])
            #expect(faults.last?["latencyMilliseconds"]?.integer == 1)
            let web = try Web(#require(house.base))
            #expect(try await web.ask("GET", "/echo", ["Authorization: Bearer x"]).status == 503)
            #expect(try await web.get("/echo").status == 200)
            #expect(try await house.api("POST", "/v1/backends/faults", #"{"status":500}"#).json["id"]?.string == "f4")
            #expect(try await house.api("DELETE", "/v1/backends/faults/f2").status == .ok)
        }
        try await House.run(in: folder) { house in
            let faults = try await house.api("GET", "/v1/backends/faults").json["faults"]?.array ?? []
            #expect(faults.map { $0["id"]?.string } == ["f3", "f4"])
            #expect(try await house.api("DELETE", "/v1/backends/faults").json["ended"]?.integer == 2)
        }
        try await House.run(in: folder) { house in
            let faults = try await house.api("GET", "/v1/backends/faults").json["faults"]?.array
            #expect(faults?.isEmpty == true)
        }
    }

    @Test("with a failing store no fault starts or ends, and the servers start anyway")
    func failingStore() async throws {
        let (folder, fails) = (try TemporaryFolder(), Mutable(false))
        try await House.run(in: folder, around: { FaultStore(store: $0, fails: fails) }) { house async throws in
            #expect(try await house.api("POST", "/v1/backends/faults", #"{"status":500}"#).status == .created)
            fails.value = true
            #expect(try await house.api("POST", "/v1/backends/faults", #"{"status":503}"#).status.code >= 500)
            #expect(try await house.api("DELETE", "/v1/backends/faults").status.code >= 500)
            #expect(try await house.api("DELETE", "/v1/backends/faults/f1").status.code >= 500)
            #expect(try await house.faults() == ["f1"])
        }
        try await House.run(in: folder, around: { FaultStore(store: $0, fails: fails) }) { house async throws in
            #expect(try await Web(#require(house.base)).get("/echo").status == 200)
            fails.value = false
            #expect(try await house.api("DELETE", "/v1/backends/faults/f1").status == .ok)
            #expect(try await house.api("DELETE", "/v1/backends/faults/f1").status == .notFound)
        }
    }

    @Test("a fault that is cleared while it starts does not return after a restart")
    func endedMeanwhile() async throws {
        let (folder, ending) = (try TemporaryFolder(), Mutable<Task<Void, any Error>?>(nil))
        let meanwhile = Mutable<(@Sendable () async -> Void)?>(nil)
        try await House.run(in: folder, around: { FaultStore(store: $0, meanwhile: meanwhile) }) { house in
            meanwhile.value = {
                ending.value = Task { _ = try await house.api("DELETE", "/v1/backends/faults") }
                for _ in 0..<10_000 { await Task.yield() }
            }
            _ = try await house.api("POST", "/v1/backends/faults", #"{"status":500}"#)
            try await #require(ending.value).value
            #expect(try await house.faults().isEmpty)
        }
        try await House.run(in: folder) { house async throws in
            #expect(try await house.faults().isEmpty)
        }
    }

    @Test("a reset closes the connection without a response")
    func reset() async throws {
        try await House.run { house in
            let web = try Web(#require(house.base))
            let fault = try await house.api("POST", "/v1/backends/faults", #"{"kind":"reset"}"#).json
            let url = "http://\(web.host):\(web.port)/echo"
            // curl tells a connection that was cut (52, 56) from one that was refused (7).
            let told = try await Background.status("/usr/bin/curl", ["-s", "-d", "x", url])
            #expect([52, 56].contains(told.status) && told.output.isEmpty)
            let id = try #require(fault["id"]?.string)
            #expect(try await house.api("DELETE", "/v1/backends/faults/\(id)").status == .ok)
            #expect(try await web.get("/echo").status == 200)
            #expect(try await house.api("DELETE", "/v1/backends/faults/\(id)").status == .notFound)
        }
    }

    @Test("a truncated body, or a wrong length, is an error in curl")
    func bodies() async throws {
        try await House.run { house in
            let web = try Web(#require(house.base))
            let url = "http://\(web.host):\(web.port)/files/generated/100000B"
            for path in [url, "http://\(web.host):\(web.port)/echo"] {
                _ = try await house.api("POST", "/v1/backends/faults", #"{"kind":"truncate"}"#)
                let cut = try await Background.status(
                    "/usr/bin/curl",
                    ["-s", "-o", "/dev/null", "-w", "%{size_download}", path]
                )
                #expect(cut.status == 18)
                if path == url { #expect(cut.output == "50000") }
                _ = try await house.api("DELETE", "/v1/backends/faults")
            }
            _ = try await house.api("POST", "/v1/backends/faults", #"{"kind":"wrongLength","on":"/files"}"#)
            // It waits for more in vain, however long; a busy machine takes a while until all is there.
            var long = (status: Int32(0), output: "")
            for seconds in ["1", "10", "50"] where long.output != "100000" {
                let words = ["-s", "--max-time", seconds, "-o", "/dev/null", "-w", "%{size_download}", url]
                long = try await Background.status("/usr/bin/curl", words)
                #expect(long.status == 28)
            }
            #expect(long.output == "100000")
        }
    }

    @Test("a black hole sends no response until the server closes")
    func blackHole() async throws {
        let asking = Mutable<Task<(status: Int32, output: String), any Error>?>(nil)
        try await House.run { house in
            let web = try Web(#require(house.base))
            _ = try await house.api("POST", "/v1/backends/faults", #"{"kind":"blackHole","on":"/echo"}"#)
            let url = "http://\(web.host):\(web.port)/echo"
            asking.value = Task { try await Background.status("/usr/bin/curl", ["-s", "--max-time", "60", url]) }
            let hasMet = try await eventually {
                let faults = try await house.api("GET", "/v1/backends/faults").json["faults"]
                return faults?.array?.first?["met"]?.integer == 1
            }
            #expect(hasMet)
            #expect(try await web.get("/files/generated/1B").status == 200)
        }
        let told = try await #require(asking.value).value
        #expect(told.status == 0 && told.output.contains("the server closes"), "\(told)")
    }

    @Test("a delayed response arrives after its latency, and a dripping one byte by byte")
    func slow() async throws {
        try await House.run { house in
            let web = try Web(#require(house.base))
            // Whoever looks after the keys sleeps as well.
            #expect(await eventually { house.clock.sleepers == 1 })
            _ = try await house.api("POST", "/v1/backends/faults", #"{"latencyMilliseconds":1500}"#)
            async let late = web.get("/echo")
            #expect(await eventually { house.clock.sleepers == 2 })
            house.clock.pass(.milliseconds(1_499))
            #expect(house.clock.sleepers == 2)
            house.clock.pass(.milliseconds(1))
            #expect(try await late.status == 200)
            _ = try await house.api("DELETE", "/v1/backends/faults")
            _ = try await house.api("POST", "/v1/backends/faults", #"{"kind":"drip","bytesPerSecond":10}"#)
            let (isThere, begin) = (Mutable(false), house.clock.clockwork.monotonic())
            async let dripping = {
                defer { isThere.value = true }
                return try await web.get("/files/generated/5B")
            }()
            while !isThere.value {
                if house.clock.sleepers > 1 { house.clock.pass(.milliseconds(100)) }
                await Task.yield()
            }
            #expect(try await dripping.body.count == 5)
            // A client that knows the length need not wait for what comes after the last byte.
            #expect(house.clock.clockwork.monotonic() - begin >= .milliseconds(400))
        }
    }

    @Test(
        "an invalid fault is rejected with the reason",
        arguments: [
            "{}", #"{"kind":"fire"}"#, #"{"status":99}"#, #"{"status":503,"on":"api"}"#,
            #"{"kind":"reset","status":503}"#, #"{"status":199}"#, #"{"status":600}"#,
            #"{"latencyMilliseconds":0}"#, #"{"status":503,"seconds":86401}"#,
            #"{"status":503,"percent":0}"#, #"{"status":503,"percent":101}"#, #"{"status":503,"count":0}"#,
            #"{"status":503,"seconds":0}"#, #"{"status":503,"header":"a b"}"#, #"{"status":503,"methods":["post"]}"#,
            #"{"status":503,"for":"30s"}"#,
        ]
    )
    func refused(order: String) async throws {
        try await House.run { house in
            let answer = try await house.api("POST", "/v1/backends/faults", order)
            #expect(answer.status == .badRequest)
            #expect(answer.json["type"]?.string == "urn:corewire:problem:invalid-body")
        }
    }

    @Test("in an environment with real servers there are no faults")
    func remote() async throws {
        try await House.run(environment: "baseUrl: https://api.example.com") { house in
            let look = try await house.api("GET", "/v1/backends")
            let order = try await house.api("POST", "/v1/backends/faults", #"{"status":503}"#)
            #expect(look.status == .conflict && order.status == .conflict)
        }
    }
}

/// A store that fails with faults as long as a test says so, or lets a test act before it writes one.
private struct FaultStore: StoreAround {
    let store: any KeyValueStore
    var fails = Mutable(false)
    var meanwhile = Mutable<(@Sendable () async -> Void)?>(nil)

    func list(_ namespace: String, prefix: String, after: String?, limit: Int) async throws(StoreFailure)
        -> [StoredEntry.Summary]
    {
        try check(namespace)
        return try await store.list(namespace, prefix: prefix, after: after, limit: limit)
    }

    func put(_ value: NewValue, under key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> StoreReceipt
    {
        try check(namespace)
        if namespace.hasSuffix("/faults") { await meanwhile.value?() }
        return try await store.put(value, under: key, in: namespace, if: condition)
    }

    func remove(_ key: String, in namespace: String, if condition: StoreCondition) async throws(StoreFailure) -> Bool {
        try check(namespace)
        return try await store.remove(key, in: namespace, if: condition)
    }

    private func check(_ namespace: String) throws(StoreFailure) {
        if fails.value, namespace.hasSuffix("/faults") { throw StoreFailure(.full, "the disk is full") }
    }
}

extension House {
    /// The ids of the faults that are on.
    func faults() async throws -> [String] {
        let faults = try await api("GET", "/v1/backends/faults").json["faults"]?.array ?? []
        return faults.compactMap { $0["id"]?.string }
    }

    /// What the local API answers.
    func api(_ method: String, _ path: String, _ body: String = "") async throws -> (status: Status, json: JSONValue) {
        let target = try #require(Target(parsing: path))
        var fields: Fields = [:]
        if !body.isEmpty { fields = ["Content-Type": "application/json", "Content-Length": "\(body.utf8.count)"] }
        var request = Request(method: Method(method), target: target, fields: fields, caller: .address("127.0.0.1"))
        let exchange = Router(service.routes).exchange(for: request)
        request.body = Array(body.utf8)
        let response: Response
        switch exchange.plan {
        case .answer(let answer): response = answer
        case .collect(_, let answer):
            switch answer(request) {
            case .now(let known): response = known
            case .later(let work): response = await work()
            }
        case .stream: throw Unread(text: "a stream")
        }
        guard case .bytes(let bytes) = response.body else { throw Unread(text: "no bytes") }
        return (response.status, (try? JSONValue(parsing: bytes, named: "answer")) ?? .null)
    }
}

extension Background {
    static func status(_ program: String, _ arguments: [String]) async throws -> (status: Int32, output: String) {
        let run = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try Program.run(program, arguments) })
            }
        }
        return (Int32(run.status), run.output)
    }
}
