import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireNotifications

@Suite("Pauses of streams")
struct StreamPauseTests {
    private static func over(hasRead: Bool = false) -> StreamEnd {
        var end = StreamEnd("it is over")
        end.hasRead = hasRead
        return end
    }

    @Test("the pause doubles up to five minutes, and is reset by received data")
    func doubles() {
        var pause = ReconnectBackoff()
        let waits = (0..<12).map { _ in pause.after(Self.over(), chance: 1) }
        #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].map { Duration.seconds($0) })
        #expect(pause.after(Self.over(hasRead: true), chance: 1) == .seconds(1))
    }

    @Test("half of the pause is random")
    func chance() {
        var (low, high) = (ReconnectBackoff(), ReconnectBackoff())
        for _ in 0..<3 {
            let (least, most) = (low.after(Self.over(), chance: 0), high.after(Self.over(), chance: 1))
            #expect(least * 2 == most)
        }
    }

    @Test(
        "a permanent close code is retried after minutes, then hourly",
        arguments: [1_002, 1_003, 1_007, 1_008, 1_009, 1_010]
    )
    func refusals(code: Int) {
        var pause = ReconnectBackoff()
        var end = StreamEnd(WebSocketClose(code))
        end.hasRead = true
        let waits = (0..<6).map { _ in pause.after(end, chance: 1) }
        #expect(waits == [300, 600, 1_200, 2_400, 3_600, 3_600].map { Duration.seconds($0) })
        // What ends otherwise in between begins the count anew.
        #expect(pause.after(Self.over(), chance: 1) == .seconds(1))
        #expect(pause.after(end, chance: 1) == .seconds(300))
    }

    @Test(
        "other close codes are retried normally; restart and overload have their own pause",
        arguments: [
            (1_000, 750), (1_001, 750), (1_005, 750), (1_011, 750), (1_012, 7_500), (1_013, 35_000), (4_000, 750),
        ]
    )
    func closes(code: Int, milliseconds: Int) {
        var pause = ReconnectBackoff()
        let wait = pause.after(StreamEnd(WebSocketClose(code)), chance: 0.5)
        #expect(wait == .milliseconds(milliseconds))
        #expect(StreamEnd(WebSocketClose(code)).kind == .over)
    }

    @Test("Retry-After is honoured up to a day, with jitter")
    func asked() {
        let wall: Int64 = 784_111_777_000
        for (text, seconds) in [("70", 70), ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("99999999999", 86_400)] {
            var (first, second) = (ReconnectBackoff(), ReconnectBackoff())
            let end = StreamEnd(Status(503), ["Retry-After": text], at: wall, origin: nil)
            #expect(first.after(end, chance: 0) == .seconds(seconds))
            #expect(second.after(end, chance: 1) == .seconds(seconds + 10))
        }
        var exact = ReconnectBackoff()
        var end = Self.over()
        end.exactly = .milliseconds(100)
        #expect(exact.after(end, chance: 1) == .milliseconds(100))
    }

    @Test("the pause of an event stream does not shorten that of a runner that cannot store its events")
    func deferred() {
        var (pause, end) = (ReconnectBackoff(), Self.over(hasRead: true))
        (end.isDeferred, end.exactly) = (true, .seconds(3))
        let waits = (0..<4).map { _ in pause.after(end, chance: 1) }
        #expect(waits == [3, 3, 4, 8].map { Duration.seconds($0) })
    }

    @Test(
        "permanent statuses are rejections",
        arguments: [
            (400, true), (401, true), (403, true), (404, true), (426, true), (499, true), (408, false), (425, false),
            (429, false), (304, false), (399, false), (500, false), (503, false),
        ]
    )
    func answers(status: Int, isRefused: Bool) {
        let end = StreamEnd(Status(status), [:], at: 0, origin: nil)
        #expect((end.kind == .refused) == isRefused)
    }

    @Test("a transient failure is retried, a permanent one is a rejection, with its Retry-After")
    func failures() {
        let failure = CallFailure(.resting, "left alone", wasNotSent: true, retryAfter: .seconds(20))
        #expect(StreamEnd(failure).kind == .over && StreamEnd(failure).atLeast == .seconds(20))
        #expect(StreamEnd(CallFailure(.transfer(.pin), "pinned", wasNotSent: true)).kind == .refused)
    }
}
