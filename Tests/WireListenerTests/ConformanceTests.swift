import ListenerConformance
import Testing
import WireHTTP
import WireListener

@Suite("The listener on libmicrohttpd", .timeLimit(.minutes(1)))
struct ConformanceTests {
    @Test(
        "the listener passes the conformance rules",
        arguments: ListenerConformance.rules,
        [ListenerConformance.Kind.unix, .tcp4, .tcp6]
    )
    func conforms(rule: ListenerConformance.Rule, kind: ListenerConformance.Kind) async throws {
        let conformance = ListenerConformance(kind, runsInline: false) { HTTPListener(at: $0, limits: $1, $2) }
        try await conformance.check(rule)
    }

    @Test(
        "it passes them as well if work begins on its threads",
        arguments: ListenerConformance.rules,
        [ListenerConformance.Kind.unix, .tcp4]
    )
    func conformsAtOnce(rule: ListenerConformance.Rule, kind: ListenerConformance.Kind) async throws {
        let conformance = ListenerConformance(kind, runsInline: true) { HTTPListener(at: $0, limits: $1, $2) }
        try await conformance.check(rule)
    }
}
