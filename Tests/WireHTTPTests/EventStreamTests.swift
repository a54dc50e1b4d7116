import Testing
import WireBase
import WireHTTP

@Suite("Server-sent events")
struct EventStreamTests {
    @Test(
        "an event round-trips with any content, except for line endings",
        arguments: [
            ("", ""), ("a", "a"), ("a\nb", "a\nb"), ("a\r\nb\rc", "a\nb\nc"), ("\n", "\n"), (" x: y", " x: y"),
            ("é\u{2028}", "é\u{2028}"),
        ]
    )
    func roundTrip(data: String, expected: String) throws {
        var parser = EventStreamParser()
        let event = ServerSentEvent(id: "7", event: "x", data: data, retry: 5)
        let read = try parser.consume(event.bytes)
        #expect(read.map(\.data) == [expected])
        #expect(read.first?.event == "x")
        #expect(parser.lastEventID == "7")
        #expect(parser.retry == 5)
    }

    @Test("an id or a name cannot inject lines")
    func injection() throws {
        var parser = EventStreamParser()
        let event = ServerSentEvent(id: "1\ndata: forged\n\n", event: "x\r\rdata: forged", data: "true")
        #expect(try parser.consume(event.bytes).map(\.data) == ["true"])
    }

    @Test("a stream parses the same in any chunks", arguments: 1...8)
    func pieces(size: Int) throws {
        let text =
            "\u{feff}:hello\n\ndata: a\r\ndata\ndata:b\r\rid: 3\nevent: e\ndata:  c\n\nretry: x\nid: 4\0\ndata: d\n\ndata: lost"
        let bytes = Array(text.utf8)
        var parser = EventStreamParser()
        var events: [ServerSentEvent] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            events += try parser.consume(bytes[start..<min(start + size, bytes.count)])
        }
        #expect(events.map(\.data) == ["a\n\nb", " c", "d"])
        #expect(events.map(\.event) == [nil, "e", nil])
        #expect(events.map(\.id) == [nil, "3", nil])
        #expect(parser.lastEventID == "3")
        #expect(parser.retry == nil)
    }

    @Test("a byte order mark is skipped at the start only")
    func byteOrderMark() throws {
        var parser = EventStreamParser()
        #expect(try parser.consume("\u{feff}data: a\n\n".utf8).map(\.data) == ["a"])
        #expect(try parser.consume("\u{feff}data: b\n\n".utf8).isEmpty)
    }

    @Test("an unterminated event is rejected at the limit")
    func limit() throws {
        var parser = EventStreamParser(limit: .bytes(100))
        #expect(try parser.consume(Array(repeating: UInt8(ascii: "x"), count: 100)).isEmpty)
        #expect(throws: BodyTooLarge.self) { try parser.consume([UInt8(ascii: "x")]) }
        // The lines that have come count with the one that is coming: nine of them, and of the tenth eleven bytes.
        var other = EventStreamParser(limit: .bytes(100))
        for _ in 0..<2 {
            for _ in 0..<9 { #expect(try other.consume("data: 123456789\n".utf8).isEmpty) }
            #expect(try other.consume("\n".utf8).count == 1)
        }
        for _ in 0..<9 { #expect(try other.consume("data: 123456789\n".utf8).isEmpty) }
        #expect(try other.consume("data: 12345".utf8).isEmpty)
        #expect(throws: BodyTooLarge.self) { try other.consume("6".utf8) }
    }

    @Test("of too much data only the id counts; another long line is dropped alone", arguments: [1, 7, 64, 1_000])
    func skipped(size: Int) throws {
        var parser = EventStreamParser(limit: .bytes(40), skipsLarge: true)
        let long = String(repeating: "x", count: 60)
        let text = "id: 1\ndata: a\n\nid: 2\ndata: b\ndata: \(long)\ndata: c\n\n:\(long)\r\nid: 3\ndata: d\n\n"
        // The id is kept where its line goes beyond the limit together with the data.
        let near = "data: \(String(repeating: "y", count: 30))\nid: 3333333333\n\n"
        let bytes = Array(("\(long)\n\n" + text + near + "data: \(long)\nid: 4\n\n").utf8)
        var events: [ServerSentEvent] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            events += try parser.consume(bytes[start..<min(start + size, bytes.count)])
        }
        #expect(parser.lastEventID == "4")
        events += try parser.consume("data: e\n\n".utf8)
        #expect(events.map(\.data) == ["a", "d", String(repeating: "y", count: 30), "e"])
        #expect(events.map(\.id) == ["1", "3", "3333333333", nil])
        #expect(parser.skipped == 2)
    }
}
