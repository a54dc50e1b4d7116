import Testing
import WireBase
import WireHTTP

extension FramingConformance {
    static let endings: [FramingConformance] = [
        FramingConformance("a close is reported with code and reason, and answered once") { frames in
            let bytes = frame(8, [3, 243] + Array("büro".utf8)) + text("late")
            #expect(frames.consume(bytes) == [.closed(WebSocketClose(1_011, "büro"))])
            let answer = try frames.sent()
            #expect(answer.map(\.code) == [1_011])
            #expect(frames.consume(text("later")) == [])
            #expect(!frames.send("late") && !frames.ping())
            #expect(frames.takeOutgoing().isEmpty)
        },
        FramingConformance("a close without a code is valid") { frames in
            #expect(frames.consume(frame(8)) == [.closed(.none)])
            let answer = try frames.sent()
            #expect(answer.map(\.opcode) == [8])
        },
        FramingConformance("an incomplete code is invalid") { frames in
            #expect(frames.consume(frame(8, [3])) == [.closed(.none)])
            let answer = try frames.sent()
            #expect(answer.map(\.opcode) == [8])
        },
        FramingConformance("application close codes are reported unchanged") { frames in
            #expect(frames.consume(frame(8, [0x11, 0x31])) == [.closed(WebSocketClose(4_401))])
        },
        FramingConformance("reserved close codes are rejected") { frames in
            let events = frames.consume(frame(8, [3, 237]))
            #expect(events == [.refused(WebSocketClose(1_002))])
            let answer = try frames.sent()
            #expect(answer.map(\.code) == [1_002])
        },
        FramingConformance("after a close nothing is sent, and received messages are still delivered") { frames in
            #expect(frames.send("a") && frames.close(.goingAway))
            #expect(!frames.send("b") && !frames.ping() && !frames.close(.normal))
            let sent = try frames.sent()
            #expect(sent.map(\.opcode) == [1, 8] && sent.last?.code == 1_001)
            #expect(frames.consume(text("last") + frame(8, [3, 233])) == [.text("last"), .closed(.goingAway)])
            #expect(frames.takeOutgoing().isEmpty)
        },
        FramingConformance("a close reason over the limit is truncated between characters") { frames in
            #expect(frames.close(WebSocketClose(1_000, String(repeating: "€", count: 60))))
            let payload = try #require(try frames.sent().first?.payload)
            #expect(payload.count == 125 && String(validating: payload.dropFirst(2), as: UTF8.self)?.count == 41)
        },
    ]

    /// Codes of RFC 6455, codes registered later, and private codes: the first and last of each group.
    static let codes: [FramingConformance] = [1_000, 1_011, 1_012, 1_014, 3_000, 4_999].map { code in
        FramingConformance("the close code \(code) is reported unchanged, and answered") { frames in
            let bytes = frame(8, [UInt8(code >> 8), UInt8(code & 0xff)])
            #expect(frames.consume(bytes) == [.closed(WebSocketClose(code))])
            let answer = try frames.sent()
            #expect(answer.map(\.code) == [code])
        }
    }
}
