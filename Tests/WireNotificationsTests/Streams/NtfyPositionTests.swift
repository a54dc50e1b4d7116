import Testing

@testable import WireNotifications

@Suite("The position in an ntfy stream")
struct NtfyPositionTests {
    @Test("the time stays a minute behind the last message, and never goes backwards")
    func behind() {
        var position = NtfyPosition(time: 100)
        position.move(to: "a", at: 110)
        #expect(position.text == "100 a")
        position.move(to: "b", at: 200)
        #expect(position.text == "140 a b")
        position.move(to: "delayed", at: 150)
        #expect(position.text == "140 a b delayed")
        #expect(position.contains("a") && position.contains("delayed") && !position.contains("c"))
    }

    @Test("messages that were published long before the request move the time to their own")
    func published() {
        var position = NtfyPosition(time: 100)
        position.move(to: "a", at: 200, asked: 1_000)
        #expect(position.time == 200)
        position.move(to: "b", at: 980, asked: 1_000)
        #expect(position.time == 940)
        // The message came after the request.
        position.move(to: "c", at: 1_030, asked: 1_000)
        #expect(position.time == 970)
    }

    @Test("the last ids are kept, but none that is long or has spaces")
    func bounded() {
        var position = NtfyPosition(time: 100)
        for number in 0..<150 { position.move(to: "id\(number)", at: 110) }
        position.move(to: "a b", at: 110)
        position.move(to: String(repeating: "x", count: 65), at: 110)
        #expect(position.ids.count == 100)
        #expect(!position.contains("id49") && position.contains("id50") && position.contains("id149"))
    }

    @Test(
        "a stored position is read; anything else is none",
        arguments: [("110 a b", "110 a b"), ("110", "110"), ("", nil), ("a&b=c", nil), ("-5", nil), ("0", nil)]
    )
    func stored(_ text: String, _ read: String?) {
        #expect(NtfyPosition(text)?.text == read)
    }
}
