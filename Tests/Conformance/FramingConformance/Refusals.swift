import Testing
import WireBase
import WireHTTP

extension FramingConformance {
    /// Feeds bytes that break a rule, and expects one close with a code, and nothing after it.
    private static func refusal(_ rule: String, _ code: Int, _ bytes: @autoclosure @escaping @Sendable () -> [UInt8])
        -> FramingConformance
    {
        FramingConformance("\(rule): \(code)") { frames in
            var codes: [Int] = []
            for event in frames.consume(bytes()) {
                if case .refused(let close) = event { codes.append(close.code) }
                if case .text = event { Issue.record("\(event)") }
            }
            #expect(codes == [code])
            let answer = try frames.sent()
            #expect(answer.compactMap(\.code) == [code])
            #expect(frames.consume(text("late") + frame(8, [3, 232])) == [])
            #expect(!frames.send("late") && !frames.ping())
            #expect(frames.takeOutgoing().isEmpty)
        }
    }

    /// Invalid codes next to valid ones.
    static let strangeCodes: [FramingConformance] = [999, 1_004, 1_006, 1_015, 2_999, 5_000].map { code in
        refusal("a close with the code \(code)", 1_002, frame(8, [UInt8(code >> 8), UInt8(code & 0xff)]))
    }

    static let refusals: [FramingConformance] = [
        refusal("a binary message, by its first byte", 1_003, Array(frame(2, [1, 2, 3]).dropLast(2))),
        refusal("a reserved bit", 1_002, frame(1, [0x61], reserved: 4)),
        refusal("another reserved bit", 1_002, frame(1, [0x61], reserved: 2)),
        refusal("the last reserved bit", 1_002, frame(1, [0x61], reserved: 1)),
        refusal("an unknown kind of message", 1_002, frame(3, [0x61])),
        refusal("an unknown kind of control frame", 1_002, frame(11, [])),
        refusal("a control frame that is too long", 1_002, frame(9, [UInt8](repeating: 0, count: 126))),
        refusal("a fragmented control frame", 1_002, frame(9, [], isLast: false)),
        refusal("a continuation without a message", 1_002, frame(0, [0x61])),
        refusal("a message inside a fragmented message", 1_002, frame(1, [0x61], isLast: false) + text("b")),
        refusal(
            "a frame with a mask of a server, or without one of a client",
            1_002,
            frame(1, [0x61], isMaskedWrongly: true)
        ),
        refusal("a length of more than 63 bits", 1_002, frame(1, [], claiming: 1 << 63)),
        refusal("a length in too many bytes", 1_002, frame(1, Array("abcde".utf8), isLengthTooWide: true)),
        refusal("a text that is too long, by its first byte", 1_009, frame(1, [0x61], claiming: 1_001)),
        refusal("a text larger than memory", 1_009, frame(1, [0x61], claiming: (1 << 63) - 1)),
        refusal(
            "parts that come to too much",
            1_009,
            frame(1, [UInt8](repeating: 0x61, count: 600), isLast: false) + frame(0, [0x61], claiming: 401)
        ),
        refusal("no UTF-8", 1_007, frame(1, [0xc3, 0x28])),
        refusal("an incomplete character at the end", 1_007, frame(1, [0x61, 0xe2, 0x82])),
        refusal("a surrogate", 1_007, frame(1, [0xed, 0xa0, 0x80])),
        refusal("invalid UTF-8 in a later fragment", 1_007, frame(1, [0x61], isLast: false) + frame(0, [0xff])),
        refusal("a close reason that is not UTF-8", 1_007, frame(8, [3, 232, 0xff])),
        FramingConformance("a million empty fragments cost no memory, and end nothing") { frames in
            #expect(frames.consume(frame(1, [0x61], isLast: false)) == [])
            let many = (0..<10_000).flatMap { _ in frame(0, [], isLast: false) }
            for _ in 0..<100 { #expect(frames.consume(many) == []) }
            #expect(frames.consume(frame(0, [0x62])) == [.text("ab")])
        },
    ]
}
