import Support
import Testing
import WireHTTP
import WireNetworkContract

@testable import WireNetwork

/// Fields as nobody should write them, made up by a generator with a fixed beginning.
@Suite("Malformed response fields")
struct HostileFieldTests {
    /// What whoever means harm, or has a fault, puts together.
    private static let pieces: [String] = [
        "max-age", "no-cache", "no-store", "private", "public", "must-revalidate", "stale-if-error", "s-maxage",
        "only-if-cached", "max-stale", "min-fresh", "must-understand", "immutable", "MAX-AGE", "*", "Accept", "cookie",
        "=", "=", "=", ",", ",", ",,", ";", "\"", "\"", "\\", "\\\"", " ", "\t", "0", "1", "60", "-1", "+1", "1.5",
        "1e9", "0x10",
        "9223372036854775807", "9223372036854775808", "99999999999999999999999999999999999999", "\u{e9}", "\u{202e}",
        "\u{0}", "\u{1}", "\u{7f}", "GMT", "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "111 - \"stale\"", "W/\"1\"", "\"1\"", "\r\n", "()", "{}", "%00",
        String(repeating: "a", count: 300), String(repeating: ",", count: 300), String(repeating: "\"", count: 301),
    ]

    private static let names = [
        "Cache-Control", "Cache-Control", "Vary", "Warning", "Expires", "Date", "Age", "ETag", "Last-Modified",
        "Pragma",
        "Content-Length", "Location", "Content-Location", "Retry-After",
    ]

    private static func value(_ dice: inout SplitMix) -> String {
        (0..<Int.random(in: 0...7, using: &dice)).map { _ in pieces.randomElement(using: &dice) ?? "" }.joined()
    }

    private static func fields(_ names: [String], _ dice: inout SplitMix) -> Fields {
        var fields = Fields()
        for _ in 0..<Int.random(in: 1...4, using: &dice) {
            fields.add(names.randomElement(using: &dice) ?? "Vary", value(&dice))
        }
        return fields
    }

    @Test(
        "list members are separated by commas outside quotes, trimmed of spaces and tabs",
        arguments: [
            (" a\t,\tb ,c", true, ["a", "b", "c"]), (",, ,\t,", true, []), ("\u{b}a\n,b", true, ["\u{b}a\n", "b"]),
            (#""a,b", c"#, true, [#""a,b""#, "c"]), (#"a, "b, c"#, true, ["a", #""b, c"#]),
            (#""a\",b", c"#, true, [#""a\",b""#, "c"]), (#""a\",b", c"#, false, [#""a\""#, #"b", c"#]),
            (#"\"a,b""#, true, [#"\"a,b""#]),
        ] as [(String, Bool, [String])]
    )
    func members(value: String, hasEscapes: Bool, members: [String]) {
        #expect(FieldList(value, hasEscapes: hasEscapes).map { String($0) } == members)
    }

    @Test(
        "whatever the response and request headers, each request gets a response with a body that the server has sent"
    )
    func pairs() async throws {
        var dice = SplitMix(seed: 9_111)
        let bench = try CacheBench()
        let asking = ["Cache-Control", "Pragma", "If-None-Match", "If-Modified-Since", "Accept", "Cookie"]
        var unanswered = 0
        for number in 0..<400 {
            let url = "https://api.example.com/\(number)"
            for body in ["one \(number)", "two \(number)"] {
                bench.serve(200, Self.fields(Self.names, &dice), body)
                let request = Self.fields(asking, &dice)
                do {
                    let seen = try await bench.ask(.get, url, request)
                    #expect(["one \(number)", body].contains(seen.body) || seen.status == 304, "\(seen)")
                } catch let failure as CallFailure {
                    // Only what asks for nothing else than what is stored goes without an answer.
                    #expect(failure.kind.name == "notStored", "\(failure)")
                    unanswered += 1
                }
                bench.clock.pass(.seconds(Int.random(in: 0...100, using: &dice)))
            }
        }
        #expect(unanswered < 100)
    }

    @Test("no-store is recognized among other directives, in any member or field")
    func noStore() async throws {
        var dice = SplitMix(seed: 5_861)
        let bench = try CacheBench()
        for number in 0..<200 {
            // Quotes that never end would take it in.
            let noise = Self.value(&dice).filter { $0 != "\"" && $0 != "\\" }
            // Which lets store what is understood (RFC 9111, section 5.2.2.3).
            guard !noise.contains("must-understand") else { continue }
            var fields: Fields = ["Cache-Control": "max-age=60"]
            fields.add("Cache-Control", number % 2 == 0 ? "\(noise), No-Store" : "no-store ,\(noise)")
            bench.serve(200, fields, "one")
            _ = try await bench.ask(.get, "https://api.example.com/\(number)")
            bench.fail()
            await #expect(throws: CallFailure.self, "\(fields)") {
                try await bench.ask(.get, "https://api.example.com/\(number)", policy: .returnLocalDataDontLoad)
            }
        }
        // Without it the same is stored.
        bench.serve(200, ["Cache-Control": "max-age=60"], "one")
        _ = try await bench.ask()
        #expect(try await bench.ask(policy: .returnLocalDataDontLoad).body == "one")
    }

    @Test("a response with an unmatchable Vary is not reused")
    func varyByAnything() async throws {
        var dice = SplitMix(seed: 4_101)
        let bench = try CacheBench()
        for number in 0..<200 {
            let noise = Self.value(&dice).filter { $0 != "\"" && $0 != "\\" }
            bench.serve(200, ["Cache-Control": "max-age=60", "Vary": "\(noise),*,\(noise)"], "one")
            _ = try await bench.ask(.get, "https://api.example.com/\(number)")
            bench.serve(200, [:], "two")
            #expect(try await bench.ask(.get, "https://api.example.com/\(number)").body == "two", "\(noise)")
        }
        // Without the star the same is given again.
        bench.serve(200, ["Cache-Control": "max-age=60", "Vary": "Accept"], "one")
        _ = try await bench.ask()
        bench.serve(200, [:], "two")
        #expect(try await bench.ask().body == "one")
    }

    @Test("extreme lifetimes and ages neither become negative nor trap")
    func bounds() {
        var dice = SplitMix(seed: 7_234)
        for _ in 0..<20_000 {
            let fields = Self.fields(Self.names, &dice)
            let directives = CacheDirectives(fields.values(of: "Cache-Control"))
            let freshness = Freshness(of: .ok, fields, directives, asked: 1_790_000_000_000, came: 1_790_000_000_500)
            #expect(freshness.lifetime >= 0 && freshness.initialAge >= 0, "\(fields)")
            #expect(freshness.initialAge < Int64.max / 4 && freshness.lifetime < Int64.max / 4, "\(fields)")
            _ = fields.retryAfter(at: 1_790_000_000_000)
        }
    }
}
