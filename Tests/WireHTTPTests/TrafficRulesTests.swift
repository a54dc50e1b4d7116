import Testing
import WireConfig
import WireHTTP

@Suite("Expiry of pins")
struct TrafficRulesTests {
    private static func held(_ pins: [(key: String, lastDay: String?)], on today: String) throws -> [String] {
        var rules = TrafficRules()
        let host = try Host(parsing: "api.example.com")
        rules.pins = pins.map { TrafficRules.Pin(host: host, sha256: $0.key, lastDay: $0.lastDay) }
        return rules.pins(of: "api.example.com", on: today)
    }

    @Test("an expired pin is ignored if another pin is valid")
    func expired() throws {
        #expect(try Self.held([("a", "2027-01-31"), ("b", nil)], on: "2027-02-01") == ["b"])
        #expect(try Self.held([("a", "2027-01-31"), ("b", "2027-02-01")], on: "2027-02-01") == ["b"])
        #expect(try Self.held([("a", "2027-01-31"), ("b", nil)], on: "2027-01-31") == ["a", "b"])
    }

    @Test("if all pins of a host are expired, all still apply")
    func allExpired() throws {
        #expect(try Self.held([("a", "2027-01-31"), ("b", "2026-01-31")], on: "2027-02-01") == ["a", "b"])
    }

    @Test("pins of other hosts do not count, with or without wildcards")
    func others() throws {
        var rules = TrafficRules()
        rules.pins = [TrafficRules.Pin(host: try Host(parsing: "api.example.com"), sha256: "a", lastDay: nil)]
        rules.pins.append(TrafficRules.Pin(host: try Host(parsing: "*.example.org"), sha256: "b", lastDay: nil))
        #expect(rules.pins(of: "www.example.com", on: "2027-01-01").isEmpty)
        #expect(rules.pins(of: "api.example.com", on: "2027-01-01") == ["a"])
        #expect(rules.pins(of: "www.example.org", on: "2027-01-01") == ["b"])
        #expect(rules.pins(of: "example.org", on: "2027-01-01").isEmpty)
    }
}

@Suite("Default traffic rules")
struct DefaultTrafficTests {
    @Test("the connect timeout is 10 s, the response timeout 30 s, and TLS is required")
    func defaults() {
        let rules = TrafficRules()
        #expect(rules.connectTimeout == .seconds(10) && rules.timeout == .seconds(30))
        #expect(!rules.allowsPlainText(to: "localhost") && rules.declaredHosts.isEmpty)
        #expect(rules.pins(of: "localhost", on: "2027-01-01").isEmpty)
    }
}
