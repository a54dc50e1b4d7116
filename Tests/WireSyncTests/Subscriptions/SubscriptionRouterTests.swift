import Testing
import WireBase
import WireConfig
import WireGraphQL
import WireSync

/// A connection that only notes what is asked of it.
private final class NoConnection: SubscriptionConnection {
    func subscribe(_ key: Int, _ request: GraphQLRequest) {}
    func unsubscribe(_ key: Int) {}
    func run(until leave: OneShot, _ tell: @escaping @Sendable (ConnectionEvent) -> Void) async -> ConnectionEnd {
        ConnectionEnd(.retry, "lost")
    }
}

@Suite("Events during a connection replacement")
struct SubscriptionRouterTests {
    private let router = SubscriptionRouter()
    private let feed = SubscriptionFeed()
    private let key: Int

    init() throws {
        key = try #require(router.add(GraphQLRequest("{a}"), feed))
        open(1)
        _ = router.promote(1)
    }

    private func open(_ number: Int) {
        router.opens(number, NoConnection())
        router.begins(number)
        router.ready(number)
    }

    private func bring(_ results: String, from number: Int) {
        for result in results {
            _ = router.handle(.next(.string(String(result))), of: key, from: number, size: 1)
        }
    }

    /// Everything that was told, a letter for each result.
    private func told() async -> String {
        feed.end()
        var told = ""
        while let event = await feed.next() {
            switch event {
            case .next(let result): told += result.string ?? "?"
            case .gap: told += "-"
            default: told += "."
            }
        }
        return told
    }

    @Test(
        "each result is delivered once and in order, whichever connection is ahead",
        arguments: [
            // What the older one brings, the newer one meanwhile, and the newer one afterwards.
            ("abc", "abc", "de"), ("abc", "b", "cde"), ("abc", "", "abcde"), ("ab", "bcd", "e"), ("", "abc", "de"),
            ("abc", "c", "de"),
        ]
    )
    func handover(older: String, newer: String, later: String) async {
        open(2)
        bring(older, from: 1)
        bring(newer, from: 2)
        _ = router.promote(2)
        // It is being left, and what it still brings has been brought by the newer one.
        bring("z", from: 1)
        bring(later, from: 2)
        router.ended(1)
        open(3)
        _ = router.promote(3)
        #expect(await told() == "abcde")
    }

    @Test("equal results are each delivered, as often as a connection sent them")
    func equals() async {
        open(2)
        bring("aaa", from: 1)
        bring("aa", from: 2)
        _ = router.promote(2)
        bring("abaa", from: 2)
        open(3)
        bring("cccc", from: 2)
        bring("c", from: 3)
        _ = router.promote(3)
        // With the first that is new, the newer one has caught up: what it brings then is not what was told.
        bring("dc", from: 3)
        #expect(await told() == "aaabaaccccdc")
    }

    @Test("results of a connection that never took over are dropped")
    func forgotten() async {
        open(2)
        bring("ab", from: 1)
        bring("bx", from: 2)
        router.ended(2)
        open(3)
        bring("cd", from: 1)
        bring("d", from: 3)
        _ = router.promote(3)
        bring("e", from: 3)
        #expect(await told() == "abcde")
    }

    @Test("a gap is reported if no connection was open, before the next event")
    func gaps() async {
        bring("a", from: 1)
        router.ended(1)
        router.opens(2, NoConnection())
        _ = router.promote(2)
        router.ended(2)
        router.opens(3, NoConnection())
        _ = router.promote(3)
        router.ready(3)
        bring("b", from: 3)
        // A newer one that was not accepted yet takes over with a gap, too.
        router.opens(4, NoConnection())
        router.ended(3)
        router.ready(4)
        bring("c", from: 4)
        _ = router.promote(4)
        bring("d", from: 4)
        #expect(await told() == "a-b-cd")
    }
}
