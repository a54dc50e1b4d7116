import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireHTTP
import WirePersistence
import WireStateContract
import WireStore
import WireTelemetry
import Workbench

@Suite("The service that keeps what apps store")
struct ServiceTests {
    @Test("code in the same process asks as the local API does")
    func inProcess() async throws {
        let workshop = try await Workshop("namespaces: { drafts: { maxEntries: 1 } }")
        let service = workshop.service
        let receipt = try await service.put([1, 2], type: "a/b", under: "k", in: "drafts", if: .absent)
        #expect(receipt.isNew)
        #expect(try await service.get("k", in: "drafts")?.bytes == [1, 2])
        #expect(try await service.list(StateEntriesRequest("drafts")).entries.map(\.key) == ["k"])
        await #expect { try await service.put([], type: "", under: "l", in: "drafts") } throws: { error in
            let failure = error as? StateFailure
            return failure?.kind == .full && failure?.origin?.path == "persistence.namespaces.drafts.maxEntries"
                && failure?.origin?.place == "file.yaml:4:39"
                && failure?.reason == "the namespace 'drafts' has reached its limit of 1 entry"
        }
        #expect(try await service.remove("k", in: "drafts"))
        #expect(try await service.clear("drafts") == 0)
    }

    @Test("an entry that is the beginning of others is told from them")
    func summaries() async throws {
        let workshop = try await Workshop()
        let service = workshop.service
        _ = try await service.put([], type: "", under: "ab", in: "n")
        #expect(try await service.summary(of: "a", in: "n") == nil)
        _ = try await service.put([], type: "", under: "a", in: "n")
        #expect(try await service.summary(of: "a", in: "n")?.key == "a")
    }

    @Test(
        "a store that cannot be written is told in the status, and when it can be written again",
        arguments: [
            StoreFailure(.full, "the disk is full"), StoreFailure(.readOnly, "read-only"), StoreFailure(.away, "away"),
            StoreFailure(.evicted, "evicted"), StoreFailure(.rewound, "rewound"),
        ]
    )
    func heals(failure: StoreFailure) async throws {
        let workshop = try await Workshop()
        let run = Task { try await workshop.service.run() }
        workshop.store.fail(failure)
        for _ in 0..<2 {
            await #expect(throws: StateFailure.self) {
                try await workshop.service.put([], type: "", under: "k", in: "n")
            }
        }
        #expect(workshop.told.all == ["degraded: \(failure.reason)"])
        // It looks by itself, though nobody writes.
        #expect(await eventually { workshop.clock.sleepers == 1 })
        workshop.clock.pass(.milliseconds(4_999))
        #expect(workshop.clock.sleepers == 1)
        workshop.clock.pass(.milliseconds(1))
        #expect(await eventually { workshop.store.writes == 3 && workshop.clock.sleepers == 1 })
        #expect(workshop.told.all.count == 1)
        workshop.store.fail(nil)
        workshop.clock.pass(.seconds(5))
        #expect(await eventually { workshop.told.all.count == 2 })
        #expect(workshop.told.all.last == "well")
        run.cancel()
        try await run.value
        #expect(try await workshop.service.namespaces(StatePage()).namespaces.isEmpty)
    }

    @Test(
        "a disk that did not confirm a write is not tried again, and is told as a failure; so is a damaged file",
        arguments: [(.broken, .unavailable), (.corrupt, .store)] as [(StoreFailure.Kind, StateFailureKind)]
    )
    func broken(failure: StoreFailure.Kind, kind: StateFailureKind) async throws {
        let workshop = try await Workshop()
        let run = Task { try await workshop.service.run() }
        workshop.store.fail(StoreFailure(failure, "the disk did not confirm", help: "look at it"))
        await #expect { try await workshop.service.put([], type: "", under: "k", in: "n") } throws: {
            ($0 as? StateFailure)?.kind == kind
        }
        #expect(workshop.told.all == ["failed: the disk did not confirm"])
        workshop.store.fail(nil)
        _ = try await workshop.service.put([], type: "", under: "k", in: "n")
        #expect(workshop.told.all.count == 1)
        run.cancel()
        try await run.value
    }

    @Test("a limit of the file is the caller's affair, not an ailment of the store")
    func limits() async throws {
        let workshop = try await Workshop(
            "namespaces: { few: { maxEntries: 1 }, last: { maxEntries: 1, whenFull: removeOldest } }"
        )
        let service = workshop.service
        for key in ["a", "b", "c"] {
            _ = try? await service.put([], type: "", under: key, in: "few")
            _ = try await service.put([], type: "", under: key, in: "last")
        }
        #expect(workshop.told.all.isEmpty)
        // Told once each, however often it happens, and again where there was room in between.
        _ = try await service.remove("a", in: "few")
        _ = try await service.put([], type: "", under: "d", in: "few")
        await #expect(throws: StateFailure.self) { try await service.put([], type: "", under: "e", in: "few") }
        var names: [String] = []
        workshop.events.finish()
        for await event in workshop.events.watch(after: 0) {
            if case .event(let event) = event { names.append("\(event.name) \(event.data["namespace"]?.string ?? "")") }
        }
        #expect(names == ["state.full few", "state.full last", "state.full few"])
    }

    /// How often it was told that writes are refused for a limit.
    private func refusals(_ workshop: Workshop) -> Int {
        workshop.told.log.count { $0.hasPrefix("a limit is reached, writes are rejected") }
    }

    @Test("names without end are not remembered without end: after a thousand that are full, it is told anew")
    func manyFull() async throws {
        let workshop = try await Workshop()
        workshop.store.fail(StoreFailure(.full, "full", limit: .together))
        func put(in namespace: String) async {
            await #expect(throws: StateFailure.self) {
                try await workshop.service.put([], type: "", under: "k", in: namespace)
            }
        }
        for number in 1...999 { await put(in: "n\(number)") }
        await put(in: "n1")
        #expect(refusals(workshop) == 999)
        await put(in: "n1000")
        #expect(refusals(workshop) == 1_000)
        await put(in: "n1")
        #expect(refusals(workshop) == 1_001)
    }

    @Test(
        "what is refused is counted apart from what failed, and from what was done",
        arguments: [
            (nil, "done"), (StoreFailure(.full, "x", limit: .together), "refused"),
            (StoreFailure(.conflict, "x"), "refused"), (StoreFailure(.refused, "x"), "refused"),
            (StoreFailure(.full, "x"), "failed"), (StoreFailure(.busy, "x"), "failed"),
        ] as [(StoreFailure?, String)]
    )
    func counted(failure: StoreFailure?, outcome: String) async throws {
        let workshop = try await Workshop()
        workshop.store.fail(failure)
        _ = try? await workshop.service.put([], type: "", under: "k", in: "n")
        let text = await workshop.bench.metrics.text(.prometheus)
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("corewire_state_changes_total{") }
        #expect(lines == [#"corewire_state_changes_total{outcome="\#(outcome)"} 1"#], "\(text)")
    }

    @Test("how many namespaces there may be is told once for all names, and again when something was removed")
    func manyNames() async throws {
        let workshop = try await Workshop()
        _ = try await workshop.service.put([], type: "", under: "k", in: "n")
        _ = try await workshop.service.put([], type: "", under: "l", in: "n")
        func put(in namespace: String, _ limit: StorageQuota.Limit) async {
            workshop.store.fail(StoreFailure(.full, "full", limit: limit))
            await #expect(throws: StateFailure.self) {
                try await workshop.service.put([], type: "", under: "k", in: namespace)
            }
            workshop.store.fail(nil)
        }
        await put(in: "a", .namespaces)
        await put(in: "b", .namespacesTogether)
        #expect(try await !workshop.service.remove("none", in: "n"))
        await put(in: "c", .namespaces)
        #expect(refusals(workshop) == 1)
        #expect(try await workshop.service.remove("k", in: "n"))
        await put(in: "d", .namespacesTogether)
        #expect(refusals(workshop) == 2)
        #expect(try await workshop.service.clear("n") == 1)
        await put(in: "e", .namespaces)
        #expect(refusals(workshop) == 3)
        // That a value is too large says nothing of how full a namespace is.
        await put(in: "f", .value)
        #expect(refusals(workshop) == 3)
    }

    @Test(
        "what the store says has its own status",
        arguments: [
            (StoreFailure(.full, "x"), 507), (StoreFailure(.readOnly, "x"), 503), (StoreFailure(.broken, "x"), 503),
            (StoreFailure(.closed, "x"), 503), (StoreFailure(.busy, "x"), 503), (StoreFailure(.away, "x"), 503),
            (StoreFailure(.evicted, "x"), 503), (StoreFailure(.rewound, "x"), 503), (StoreFailure(.sealed, "x"), 500),
            (StoreFailure(.corrupt, "x"), 500), (StoreFailure(.conflict, "x"), 412), (StoreFailure(.other, "x"), 500),
        ] as [(StoreFailure, Int)]
    )
    func statuses(failure: StoreFailure, status: Int) async throws {
        let workshop = try await Workshop()
        workshop.store.fail(failure)
        let answer = try await workshop.ask(.delete, "/v1/state/n/k")
        #expect(answer.status.code == status)
        #expect(answer.fields["Content-Type"] == "application/problem+json")
        #expect((answer.fields["Retry-After"] != nil) == (status == 503))
    }

    @Test("a silent stream shows every fifteen seconds that it lives, and how far it is")
    func heartbeat() async throws {
        let workshop = try await Workshop()
        let answer = try await workshop.ask(.get, "/v1/state/n?watch")
        guard case .stream(let write) = answer.body else {
            Issue.record("no stream")
            return
        }
        let reader = Reader()
        let stream = Task { try await write(reader) }
        #expect(await eventually { reader.text == "id: 0\n\n" && workshop.clock.sleepers == 1 })
        workshop.clock.pass(.milliseconds(14_999))
        #expect(workshop.clock.sleepers == 1)
        workshop.clock.pass(.milliseconds(1))
        #expect(await eventually { reader.text == "id: 0\n\nid: 0\n\n" && workshop.clock.sleepers == 1 })
        let elsewhere = try await workshop.service.put([], type: "", under: "k", in: "other").version
        let here = try await workshop.service.put([], type: "", under: "k", in: "n").version
        #expect(await eventually { reader.text.contains("event: put") })
        _ = try await workshop.service.put([], type: "", under: "l", in: "other")
        #expect(!reader.text.contains("id: \(elsewhere)\n"))
        #expect(!reader.text.contains("id: \(here + 1)\n"))
        var passes = 0
        // The stream takes note of what happens elsewhere when it comes to it.
        let isTold = await eventually {
            if workshop.clock.sleepers == 1, passes < 1_000 {
                passes += 1
                workshop.clock.pass(.seconds(15))
            }
            return reader.text.hasSuffix("id: \(here + 1)\n\n")
        }
        #expect(isTold)
        // Whoever is to go is told by the end of the stream.
        await workshop.service.drain()
        try await stream.value
        await workshop.service.stop()
        let late = try await workshop.service.watch("n").makeAsyncIterator()
        var iterator = late
        #expect(try await iterator.next() == nil)
    }

    @Test(
        "the date of a field is the one RFC 9110 writes",
        arguments: [
            (784_111_777_000, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_400_999, "Tue, 29 Feb 2000 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (1_795_268_109_976, "Sat, 21 Nov 2026 13:35:09 GMT"),
        ] as [(Int64, String)]
    )
    func dates(milliseconds: Int64, text: String) {
        #expect(HTTPDate(milliseconds: milliseconds).description == text)
    }

    @Test(
        "bytes are written as RFC 4648 has it, and read back as they were",
        arguments: [
            ([], ""), ([0x66], "Zg=="), ([0x66, 0x6f], "Zm8="), ([0x66, 0x6f, 0x6f], "Zm9v"),
            ([0x66, 0x6f, 0x6f, 0x62], "Zm9vYg=="), ([0xfb, 0xff, 0xbe], "+/++"), ([0x00, 0x1a, 0x7f], "ABp/"),
        ] as [([UInt8], String)]
    )
    func base64(bytes: [UInt8], text: String) {
        #expect(Base64.text(of: bytes) == text)
        #expect(Base64.bytes(of: text) == bytes)
    }
}

/// Takes what is written to a stream.
private final class Reader: BodyWriter {
    private let bytes = Mutex<[UInt8]>([])

    func write(_ more: [UInt8]) async throws { bytes.withLock { $0 += more } }

    var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
}

extension Workshop {
    /// Asks as a router does.
    func ask(_ method: Method, _ path: String) async throws -> Response {
        let target = try #require(Target(parsing: path))
        let request = Request(method: method, target: target, fields: [:], caller: .process(user: 0, group: 0, id: 1))
        switch Router(service.routes).exchange(for: request).plan {
        case .answer(let response): return response
        case .collect(_, let collect):
            switch collect(request) {
            case .now(let response): return response
            case .later(let work): return await work()
            }
        case .stream(_, let work): return await work(request, NoBody())
        }
    }
}

private struct NoBody: BodyReader {
    func read() async throws -> [UInt8]? { nil }
}
