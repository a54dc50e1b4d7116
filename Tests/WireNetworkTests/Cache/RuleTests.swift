import Support
import Testing
import WireHTTP
import WireNetworkContract

@testable import WireNetwork

/// RFC 9111 rule by rule: a first request, a while, a second one, and what the second one is answered with.
@Suite("RFC 9111, as a private cache")
struct RuleTests {
    /// What becomes of the second request.
    enum Outcome: String, Sendable {
        /// Answered without asking, as fresh.
        case hit
        /// Answered without asking, as stale.
        case stale
        /// The server was asked whether it is still so.
        case validated
        /// The server was asked for it, without conditions.
        case loaded
        /// There is no answer from the store: a failure, or the server's error as it is.
        case failed
    }

    struct Rule: Sendable, CustomTestStringConvertible {
        let text: String
        var status = 200
        /// Fields of the first answer; `Date` is now unless it is given, `@60` is a date 60 seconds from now.
        var answer: Fields
        var first: Fields = [:]
        var after: Int64 = 0
        var request: Fields = [:]
        /// With the server as it was.
        var up: Outcome
        /// With no way to the server.
        var down: Outcome

        init(
            _ text: String,
            status: Int = 200,
            _ answer: Fields,
            first: Fields = [:],
            after: Int64 = 0,
            then request: Fields = [:],
            up: Outcome,
            down: Outcome
        ) {
            (self.text, self.status, self.answer, self.first) = (text, status, answer, first)
            (self.after, self.request, self.up, self.down) = (after, request, up, down)
        }

        var testDescription: String { text }
    }

    @Test("storing responses", arguments: storing)
    func storingRules(rule: Rule) async throws { try await check(rule) }

    @Test("freshness", arguments: freshness)
    func freshnessRules(rule: Rule) async throws { try await check(rule) }

    @Test("validation", arguments: validating)
    func validatingRules(rule: Rule) async throws { try await check(rule) }

    @Test("request directives", arguments: requests)
    func requestsRules(rule: Rule) async throws { try await check(rule) }

    @Test("selecting a stored response", arguments: varying)
    func varyingRules(rule: Rule) async throws { try await check(rule) }

    private func check(_ rule: Rule) async throws {
        #expect(try await outcome(of: rule, isUp: true) == rule.up, "with the server")
        #expect(try await outcome(of: rule, isUp: false) == rule.down, "without it")
    }

    private func outcome(of rule: Rule, isUp: Bool) async throws -> Outcome {
        let bench = try CacheBench()
        var fields = Fields()
        for field in rule.answer.all {
            let date = field.value.hasPrefix("@") ? Int64(field.value.dropFirst()) : nil
            fields.add(field.name, date.map { bench.date($0) } ?? field.value)
        }
        if fields["Date"] == nil { fields["Date"] = bench.date() }
        bench.serve(rule.status, fields, "first")
        let first = try await bench.ask(.get, "https://api.example.com/things", rule.first)
        #expect(first.word == "miss" && first.body == "first" && first.source == .server)
        _ = bench.asked()
        bench.clock.pass(.seconds(rule.after))
        if isUp {
            bench.serve { pipelineRequest in
                let isConditional =
                    pipelineRequest.call.fields["If-None-Match"] != nil
                    || pipelineRequest.call.fields["If-Modified-Since"] != nil
                return isConditional ? CacheBench.Reply(304) : CacheBench.Reply(200, [:], "second")
            }
        } else {
            bench.fail()
        }
        let second: CacheBench.Seen
        do {
            second = try await bench.ask(.get, "https://api.example.com/things", rule.request)
        } catch is CallFailure {
            return .failed
        }
        let asked = bench.asked()
        switch second.word {
        case "hit" where second.fact.hasSuffix("confirmed"):
            #expect(asked.count == 1 && second.body == "first")
            return .validated
        case "hit":
            #expect(second.body == "first" && second.status == rule.status)
            if case .stored = second.source {} else { Issue.record("it came from \(second.source)") }
            return .hit
        case "stale":
            #expect(second.body == "first" && second.fields["Age"] != nil)
            if case .stale = second.source {} else { Issue.record("it came from \(second.source)") }
            return .stale
        default:
            #expect(asked.count == 1 && second.body == "second")
            return .loaded
        }
    }
}
