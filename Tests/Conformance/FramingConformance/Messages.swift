import Testing
import WireBase
import WireHTTP

extension FramingConformance {
    static let messages: [FramingConformance] = [
        FramingConformance("texts are delivered whole, whatever the chunks") { frames in
            let bytes = text("ä") + text("") + text(String(repeating: "x", count: 700)) + text("y")
            var events: [WebSocketEvent] = []
            for byte in bytes { events += frames.consume([byte]) }
            let expected: [WebSocketEvent] = [
                .text("ä"), .text(""), .text(String(repeating: "x", count: 700)), .text("y"),
            ]
            #expect(events == expected)
            #expect(frames.consume(bytes) == expected)
            #expect(frames.takeOutgoing().isEmpty)
        },
        FramingConformance("fragments are joined, also with pings between them and inside a character") { frames in
            let bytes =
                frame(1, [0xe2], isLast: false) + frame(9, [1, 2]) + frame(0, [0x82], isLast: false)
                + frame(0, [], isLast: false) + frame(10, []) + frame(0, [0xac, 0x21])
            #expect(frames.consume(bytes) == [.sign, .sign, .text("€!")])
            let sent = try frames.sent()
            #expect(sent.map(\.opcode) == [10] && sent.first?.payload == [1, 2])
        },
        FramingConformance("a control frame of 125 bytes is accepted") { frames in
            let most = [UInt8](repeating: 7, count: 125)
            #expect(frames.consume(frame(9, most)) == [.sign])
            let answer = try frames.sent()
            #expect(answer.map(\.opcode) == [10] && answer.first?.payload == most)
        },
        FramingConformance(
            "a client masks every frame with a new mask, a server none"
        ) { frames in
            for number in 0..<200 { #expect(frames.send("number \(number)")) }
            let sent = try frames.sent()
            #expect(sent.map { String(decoding: $0.payload, as: UTF8.self) } == (0..<200).map { "number \($0)" })
            let isClient = sent.first?.mask.isEmpty == false
            #expect(Set(sent.map(\.mask)).count == (isClient ? 200 : 1))
            #expect(frames.send(String(repeating: "z", count: 70_000)))
            let long = try frames.sent()
            #expect(long.first?.payload.count == 70_000)
            #expect(frames.send([0, 0xff]) && frames.send([UInt8]()))
            let binary = try frames.sent()
            #expect(binary.map(\.opcode) == [2, 2] && binary.map(\.payload) == [[0, 0xff], []])
            #expect(frames.ping())
            let asked = try frames.sent()
            #expect(asked.map(\.opcode) == [9])
        },
        FramingConformance("a message of the maximum size is accepted, in one frame or many") { frames in
            let most = String(repeating: "m", count: 1_000)
            #expect(frames.consume(text(most)) == [.text(most)])
            let parts = (0..<1_000).flatMap { frame($0 == 0 ? 1 : 0, [0x6d], isLast: $0 == 999) }
            #expect(frames.consume(parts) == [.text(most)])
        },
    ]
}
