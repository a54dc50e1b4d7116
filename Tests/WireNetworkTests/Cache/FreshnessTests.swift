import Testing
import WireHTTP

@testable import WireNetwork

@Suite("Age and lifetime of responses")
struct FreshnessTests {
    /// A second on the clock, in milliseconds: Tue, 01 Jan 2030 00:00:00 GMT.
    private static let now: Int64 = 1_893_456_000_000

    private static func freshness(_ fields: Fields, took: Int64 = 0) -> Freshness {
        let directives = CacheDirectives(fields.values(of: "Cache-Control"))
        return Freshness(of: .ok, fields, directives, asked: now - took, came: now)
    }

    @Test(
        "the transfer time counts towards the age, in addition to the Age field",
        arguments: [([:], 3_000, 3_000), (["Age": "10"], 0, 10_000), (["Age": "10"], 3_000, 13_000)]
            as [(Fields, Int64, Int64)]
    )
    func way(fields: Fields, took: Int64, age: Int64) {
        #expect(Self.freshness(fields, took: took).initialAge == age)
    }

    @Test("the Date field makes a response older, never younger")
    func date() {
        let fields: Fields = ["Date": "Mon, 31 Dec 2029 23:59:40 GMT"]
        #expect(Self.freshness(fields, took: 3_000).initialAge == 20_000)
        #expect(Self.freshness(["Date": "Tue, 01 Jan 2030 00:00:05 GMT"], took: 3_000).initialAge == 3_000)
    }

    @Test("'Expires' is relative to Date; a duplicate or invalid one means expired")
    func expires() {
        var fields: Fields = ["Date": "Mon, 31 Dec 2029 23:59:00 GMT", "Expires": "Tue, 01 Jan 2030 00:01:00 GMT"]
        #expect(Self.freshness(fields).lifetime == 120_000)
        fields.add("Expires", "Tue, 01 Jan 2030 00:01:00 GMT")
        #expect(Self.freshness(fields).lifetime == 0)
        #expect(Self.freshness(["Expires": "0"]).lifetime == 0)
    }

    @Test("a heuristic lifetime is a tenth of the time since Last-Modified, at most one hour")
    func guess() {
        #expect(Self.freshness(["Last-Modified": "Mon, 31 Dec 2029 23:50:00 GMT"]).lifetime == 60_000)
        #expect(Self.freshness(["Last-Modified": "Mon, 01 Jan 2029 00:00:00 GMT"]).lifetime == 3_600_000)
        #expect(Self.freshness(["Last-Modified": "Tue, 01 Jan 2030 00:10:00 GMT"]).lifetime == 0)
    }

    @Test("heuristic lifetimes apply to the statuses of RFC 9110, section 15.1, except 206")
    func statuses() {
        let guessed = (100...599).filter { Status($0).isHeuristicallyCacheable }
        #expect(guessed == [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501])
    }
}
