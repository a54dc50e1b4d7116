import Testing
import WireGraphQL
import WireSync

@Suite("The plan of subscription connections")
struct ConnectionPlanTests {
    private static let rules = ConnectionPlan.Rules(min: .seconds(1), max: .seconds(8), attempts: nil)

    /// A plan whose first connection stands.
    private static func standing(_ rules: ConnectionPlan.Rules = rules) -> ConnectionPlan {
        var plan = ConnectionPlan(rules)
        #expect(plan.handle(.wanted(true), chance: 1) == [.open(1), .promote(1)])
        #expect(plan.handle(.ready(1, goodFor: nil), chance: 1) == [])
        return plan
    }

    private static func lost(_ wasGood: Bool = false) -> ConnectionEnd {
        var end = ConnectionEnd(.retry, "lost")
        end.wasGood = wasGood
        return end
    }

    @Test(
        "pauses double up to the maximum, half random, and are reset by a stable connection"
    )
    func backOff() {
        var plan = Self.standing()
        var number = 1
        func next(_ end: ConnectionEnd, _ chance: Double) -> Duration? {
            guard case .await(let timer, let wait)? = plan.handle(.ended(number, end), chance: chance).first else {
                return nil
            }
            guard case .open(let opened)? = plan.handle(.timer(timer), chance: 1).first else { return nil }
            number = opened
            return wait
        }
        let waits = (0..<5).map { _ in next(Self.lost(), 1) }
        #expect(waits == [.seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(8)])
        #expect(next(Self.lost(), 0) == .seconds(4))
        #expect(next(Self.lost(true), 0.5) == .milliseconds(750))
        #expect(next(ConnectionEnd(.retry, "busy", retryAfter: .seconds(30)), 1) == .seconds(30))
    }

    @Test("the number of failed attempts is limited")
    func attempts() {
        var plan = Self.standing(ConnectionPlan.Rules(min: .seconds(1), max: .seconds(8), attempts: 2))
        for number in [1, 3] {
            #expect(plan.handle(.ended(number, Self.lost()), chance: 1).count == 1)
            #expect(plan.handle(.timer(.retry(number + 1)), chance: 1).first == .open(number + 2))
        }
        #expect(plan.handle(.ended(5, Self.lost()), chance: 1) == [.fail("lost")])
        // Who asks again begins with no failures.
        #expect(plan.handle(.wanted(true), chance: 1).first == .open(6))
    }

    @Test("a rejected token is refreshed once, a permanent close is final")
    func decisions() {
        var plan = Self.standing()
        let refused = ConnectionEnd(.renewToken, "4401")
        #expect(plan.handle(.ended(1, refused), chance: 1) == [.open(2), .promote(2)])
        #expect(plan.handle(.ended(2, refused), chance: 1) == [.fail("4401")])
        var other = Self.standing()
        #expect(other.handle(.ended(1, ConnectionEnd(.fail, "4400")), chance: 1) == [.fail("4400")])
    }

    @Test("a new token opens a second connection, and the former one is closed after both have delivered")
    func renewal() {
        var plan = ConnectionPlan(Self.rules)
        _ = plan.handle(.wanted(true), chance: 1)
        #expect(plan.handle(.renew, chance: 1) == [])
        #expect(plan.handle(.ready(1, goodFor: .seconds(300)), chance: 1) == [.await(.renewal(1), .seconds(300))])
        #expect(plan.handle(.timer(.renewal(1)), chance: 1) == [.open(2)])
        #expect(plan.handle(.renew, chance: 1) == [])
        #expect(plan.handle(.ready(2, goodFor: nil), chance: 1) == [.await(.overlap(2), ConnectionPlan.overlap)])
        #expect(plan.handle(.timer(.overlap(2)), chance: 1) == [.promote(2), .leave(1)])
        #expect(plan.handle(.ended(1, .init(.fail, "late")), chance: 1) == [])
        #expect(plan.handle(.timer(.renewal(1)), chance: 1) == [])
        #expect(plan.handle(.renew, chance: 1) == [.open(3)])
        // The older one goes on where the newer one cannot be.
        #expect(plan.handle(.ended(3, Self.lost()), chance: 1) == [.await(.renewal(2), .seconds(1))])
        #expect(plan.handle(.timer(.renewal(2)), chance: 1) == [.open(4)])
        // The newer one takes over at once where the older one is lost.
        #expect(plan.handle(.ended(2, Self.lost()), chance: 1) == [.promote(4)])
        #expect(plan.handle(.ended(4, Self.lost()), chance: 1).count == 1)
    }

    @Test("nothing is attempted offline, and all at once when online")
    func network() {
        var plan = Self.standing()
        #expect(plan.handle(.online(false), chance: 1) == [])
        #expect(plan.handle(.ended(1, Self.lost()), chance: 1) == [.await(.retry(2), .seconds(1))])
        #expect(plan.handle(.timer(.retry(2)), chance: 1) == [])
        #expect(plan.handle(.online(true), chance: 1) == [.open(3), .promote(3)])
        #expect(plan.handle(.ended(3, Self.lost()), chance: 1) == [.await(.retry(4), .seconds(2))])
        #expect(plan.handle(.hurry, chance: 1) == [.open(5), .promote(5)])
        #expect(plan.handle(.timer(.retry(4)), chance: 1) == [])
        #expect(plan.handle(.hurry, chance: 1) == [])
    }

    @Test("the connection closes with the last subscription, and the loop ends with it")
    func endings() {
        var plan = Self.standing()
        #expect(plan.handle(.renew, chance: 1) == [.open(2)])
        #expect(plan.handle(.wanted(false), chance: 1) == [.leave(1), .leave(2)])
        #expect(plan.handle(.wanted(true), chance: 1) == [.open(3), .promote(3)])
        #expect(plan.handle(.ended(1, Self.lost()), chance: 1) == [])
        #expect(plan.handle(.drain, chance: 1) == [.leave(3)])
        #expect(plan.handle(.wanted(true), chance: 1) == [])
        #expect(plan.handle(.ended(2, Self.lost()), chance: 1) == [])
        #expect(plan.handle(.ended(3, Self.lost()), chance: 1) == [.finish])
        var idle = ConnectionPlan(Self.rules)
        #expect(idle.handle(.drain, chance: 1) == [.finish])
    }
}
