import Testing
import WireTelemetry

@Suite("The watchdog")
struct WatchdogTests {
    @Test("a ping requires all parts")
    func earned() {
        var watchdog = Watchdog(["listener": .seconds(10), "store": .seconds(30)], at: .seconds(100))
        #expect(watchdog.verdict(at: .seconds(110)) == .ping)
        #expect(
            watchdog.verdict(at: .seconds(111))
                == .withhold([.init(name: "listener", still: .seconds(11), allowance: .seconds(10))])
        )
        watchdog.pulse(of: "listener", at: .seconds(111))
        #expect(watchdog.verdict(at: .seconds(111)) == .ping)
        #expect(
            watchdog.verdict(at: .seconds(131))
                == .withhold([
                    .init(name: "listener", still: .seconds(20), allowance: .seconds(10)),
                    .init(name: "store", still: .seconds(31), allowance: .seconds(30)),
                ])
        )
    }

    @Test("a late heartbeat does not revert a newer one")
    func order() {
        var watchdog = Watchdog(["store": .seconds(5)], at: .zero)
        watchdog.pulse(of: "store", at: .seconds(10))
        watchdog.pulse(of: "store", at: .seconds(2))
        watchdog.pulse(of: "nobody", at: .seconds(2))
        #expect(watchdog.verdict(at: .seconds(15)) == .ping)
    }

    @Test("without watched parts every ping is sent")
    func nothing() {
        #expect(Watchdog([:], at: .zero).verdict(at: .seconds(1_000)) == .ping)
    }
}
