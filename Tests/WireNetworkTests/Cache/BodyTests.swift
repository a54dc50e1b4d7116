import Foundation
import Support
import Synchronization
import Testing
import WireBase
import WireCrypto
import WireHTTP
import WireNetworkContract
import WireService
import WireSQLite
import WireStore

@testable import WireNetwork

@Suite("Response bodies in the HTTP cache")
struct CachedBodyTests {
    private func isStored(_ bench: CacheBench) async throws -> Bool {
        bench.fail()
        return (try? await bench.ask()) != nil
    }

    @Test("a body is streamed, and stored when it was read to its end")
    func pieces() async throws {
        let bench = try CacheBench()
        bench.serve { _ in CacheBench.Reply(200, [:], Chunks(["a", "b", "c"])) }
        let answer = try await bench.send(bench.pipelineRequest(bench.call()))
        for piece in ["a", "b", "c"] {
            #expect(try await answer.body.read().map { String(decoding: $0, as: UTF8.self) } == piece)
        }
        #expect(bench.stage.responseCache.usage?.entries == 0)
        #expect(try await answer.body.read() == nil)
        #expect(bench.stage.responseCache.usage?.entries == 2)
        bench.fail()
        #expect(try await bench.ask().body == "abc")
    }

    @Test("an incomplete, unread or mismatched body is not stored")
    func cutOff() async throws {
        var bench = try CacheBench()
        bench.serve { _ in CacheBench.Reply(200, [:], Chunks(["a", "b"], breaksOff: true)) }
        await #expect(throws: Chunks.BrokenOff.self) { try await bench.ask() }
        #expect(try await !isStored(bench))

        bench = try CacheBench()
        bench.serve { _ in CacheBench.Reply(200, [:], Chunks(["a", "b"])) }
        let answer = try await bench.send(bench.pipelineRequest(bench.call()))
        _ = try await answer.body.read()
        #expect(try await !isStored(bench))

        bench = try CacheBench()
        bench.serve { _ in CacheBench.Reply(200, ["Content-Length": "3"], Chunks(["a", "b"])) }
        #expect(try await bench.ask().body == "ab")
        #expect(try await !isStored(bench))
    }

    @Test(
        "a body with a content coding is stored when its declared length has arrived",
        arguments: ["gzip", "br", "deflate", "gzip, br", "identity"]
    )
    func coded(coding: String) async throws {
        let bench = try CacheBench()
        bench.serve { _ in
            CacheBench.Reply(200, ["Content-Encoding": coding, "Content-Length": "3"], Chunks(["a", "bc"]))
        }
        let accepting: Fields = ["Accept-Encoding": coding]
        let answer = try await bench.send(bench.pipelineRequest(bench.call(.get, accepting)))
        // The local API reads no further than the length that it has been told.
        for piece in ["a", "bc"] {
            #expect(bench.stage.responseCache.usage?.entries == 0)
            #expect(try await answer.body.read().map { String(decoding: $0, as: UTF8.self) } == piece)
        }
        #expect(bench.stage.responseCache.usage?.entries == 2)
        bench.fail()
        let seen = try await bench.ask(.get, "https://api.example.com/things", accepting)
        #expect(seen.body == "abc" && seen.word == "stale")
        #expect(seen.fields["Content-Encoding"] == coding && seen.fields["Content-Length"] == "3")
        let head = try await bench.ask(.head, "https://api.example.com/things", accepting)
        #expect(head.body.isEmpty && head.fields["Content-Length"] == "3")

        bench.serve { _ in
            CacheBench.Reply(200, ["Content-Encoding": coding, "Content-Length": "3"], Chunks(["ab"]))
        }
        _ = try await bench.ask(.get, "https://api.example.com/short", accepting)
        bench.fail()
        await #expect(throws: CallFailure.self) {
            try await bench.ask(.get, "https://api.example.com/short", accepting)
        }
    }

    @Test("a body over a quarter of the cache is not stored")
    func large() async throws {
        let bench = try CacheBench("offlinePolicy: loadAndStoreLocalData\ncache: { maxSize: 64KiB }")
        let text = String(repeating: "x", count: 16_385)
        bench.serve { _ in CacheBench.Reply(200, [:], Chunks(["a", text])) }
        #expect(try await bench.ask().body == "a" + text)
        #expect(try await !isStored(bench))
        bench.serve { _ in CacheBench.Reply(200, [:], Chunks([String(text.dropFirst())])) }
        _ = try await bench.ask()
        #expect(try await isStored(bench))
    }

    @Test("the least recently used entries are evicted at the limit")
    func eviction() async throws {
        let bench = try CacheBench("offlinePolicy: loadAndStoreLocalData\ncache: { maxSize: 64KiB }")
        let text = String(repeating: "x", count: 10_000)
        for number in 0..<20 {
            bench.serve(200, ["Cache-Control": "max-age=60"], text)
            _ = try await bench.ask(.get, "https://api.example.com/0")
            _ = try await bench.ask(.get, "https://api.example.com/\(number)")
        }
        bench.fail()
        var kept: [Int] = []
        for number in 0..<20 where (try? await bench.ask(.get, "https://api.example.com/\(number)")) != nil {
            kept.append(number)
        }
        #expect(kept.first == 0 && (4...6).contains(kept.count) && kept.last == 19, "\(kept)")
        let usage = try #require(bench.stage.responseCache.usage)
        #expect(usage.size.bytes <= 64 << 10 && usage.entries >= kept.count)
        #expect(await bench.metric("corewire_network_cache_evictions_total") ?? 0 >= 20 - Double(kept.count))
    }

    @Test("the cache survives a restart")
    func restart() async throws {
        let bench = try CacheBench()
        bench.serve(200, ["ETag": "\"1\"", "X-Mood": "good"], "one")
        _ = try await bench.ask()
        await bench.store.close()
        let again = try CacheBench(in: bench.folder)
        again.fail()
        let seen = try await again.ask()
        #expect(seen.body == "one" && seen.fields["X-Mood"] == "good" && seen.word == "stale")
    }

    @Test("neither URLs nor request data are in the cache file")
    func secrecy() async throws {
        let bench = try CacheBench()
        bench.serve(200, ["Vary": "X-Canary", "Set-Cookie": "canary-d"], "one")
        _ = try await bench.ask(
            .get,
            "https://api.example.com/canary-a?key=canary-b",
            ["Authorization": "Bearer canary-c", "X-Canary": "canary-e"],
            user: "canary-f"
        )
        await bench.store.close()
        for name in try FileManager.default.contentsOfDirectory(atPath: bench.folder.url.path) {
            let bytes = try Data(contentsOf: bench.folder.url.appendingPathComponent(name))
            #expect(bytes.range(of: Data("canary-".utf8)) == nil, "\(name)")
        }
    }

    @Test("a damaged entry counts as absent")
    func damage() async throws {
        let directives = CacheDirectives(["max-age=60, must-revalidate, stale-if-error=9"])
        let head = StoredHead(.ok, ["ETag": "\"1\"", "X": "é"], directives, asked: 1, came: 5_000)
        let form = head.form(bodySize: 3)
        #expect(StoredHead(form: form, bodySize: 3) == head)
        #expect(StoredHead(form: form, bodySize: 4) == nil)
        var variants = Variants()
        variants.use(Variants.Variant(names: ["accept", "x"], digest: "0a"))
        variants.use(Variants.Variant(names: [], digest: ""))
        #expect(Variants(form: variants.form) == variants)
        for index in form.indices {
            #expect(StoredHead(form: Array(form[..<index]), bodySize: 3) == nil)
            for bit in 0..<8 {
                var changed = form
                changed[index] ^= 1 << UInt8(bit)
                #expect(StoredHead(form: changed, bodySize: 3) == nil)
            }
        }
        for index in variants.form.indices {
            var changed = variants.form
            changed[index] ^= 1
            #expect(Variants(form: changed) == nil)
        }
    }

    @Test("an entry with a valid checksum and invalid contents counts as absent")
    func forged() {
        for seed in 0..<2_000 {
            var random = SplitMix(seed: UInt64(seed))
            var form = ByteWriter()
            form.write(1 as UInt8)
            for _ in 0..<Int.random(in: 0..<24, using: &random) {
                switch Int.random(in: 0..<4, using: &random) {
                case 0: form.write(Int64.random(in: .min ... .max, using: &random))
                case 1: form.write(Int64.random(in: 0...300, using: &random))
                case 2: form.write("x")
                default: form.write(UInt8.random(in: 0...255, using: &random))
                }
            }
            #expect(StoredHead(form: form.sealed, bodySize: 0) == nil, "\(seed)")
            // One of none at all can come about; what matters is that each comes to an end.
            _ = Variants(form: form.sealed)
        }
    }

    @Test("each part of a stored head is limited")
    func parts() {
        func form(_ numbers: [Int64], version: UInt8 = 1, more: [UInt8] = []) -> [UInt8] {
            var form = ByteWriter()
            form.write(version)
            for number in numbers { form.write(number) }
            for byte in more { form.write(byte) }
            return form.sealed
        }
        // The size of the body, the status, three times, the flags, another time, and how many fields there are.
        let right: [Int64] = [0, 200, 5, 0, 0, 0, 0, 0]
        let most: Int64 = 1 << 53
        #expect(StoredHead(form: form(right), bodySize: 0) != nil)
        #expect(StoredHead(form: form(right, version: 2), bodySize: 0) == nil)
        #expect(StoredHead(form: form(right, more: [0]), bodySize: 0) == nil)
        let inside: [(Int, Int64)] = [
            (1, 100), (1, 599), (2, 0), (2, most), (3, most), (4, most), (5, 7), (6, most),
        ]
        for (place, number) in inside {
            var numbers = right
            numbers[place] = number
            #expect(StoredHead(form: form(numbers), bodySize: 0) != nil, "\(place): \(number)")
        }
        let outside: [(Int, Int64)] = [
            (0, 1), (1, 99), (1, 600), (2, -1), (2, most + 1), (3, -1), (3, most + 1), (4, -1), (4, most + 1), (5, -1),
            (5, 8), (6, -1), (6, most + 1), (7, -1), (7, 1),
        ]
        for (place, number) in outside {
            var numbers = right
            numbers[place] = number
            #expect(StoredHead(form: form(numbers), bodySize: 0) == nil, "\(place): \(number)")
        }
    }

    @Test("a stored number has at most 64 bits")
    func numbers() {
        func read(_ tail: [UInt8]) -> Int64? {
            var form = ByteWriter()
            for byte in [UInt8](repeating: 0xff, count: 9) + tail { form.write(byte) }
            var reader = ByteReader(sealed: form.sealed)
            return reader?.number()
        }
        #expect(read([0x00]) == .max)
        #expect(read([0x01]) == -1)
        #expect(read([0x02]) == nil)
        #expect(read([0x81, 0x00]) == nil)
    }

    @Test("a failing store affects only the cache")
    func failingStore() async throws {
        let bench = try CacheBench()
        await bench.store.close()
        bench.serve(200, ["Cache-Control": "max-age=60"], "one")
        #expect(try await bench.ask().body == "one")
        #expect(try await bench.ask().fact == "miss")
    }
}
