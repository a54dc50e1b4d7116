import Testing

@testable import WireNotifications

@Suite("The position in an ntfy stream")
struct NtfyPositionTests {
    @Test("messages of the last second are recognized, and forgotten with the next second")
    func repeated() {
        var position = NtfyPosition(time: 100)
        position.move(to: "a", at: 110)
        position.move(to: "b", at: 110)
        #expect(position.text == "110 a b")
        #expect(position.contains("a", at: 110) && position.contains("b", at: 110))
        #expect(!position.contains("a", at: 111) && !position.contains("c", at: 110))
        position.move(to: "c", at: 111)
        #expect(position.text == "111 c")
    }

    @Test(
        "a stored position is read; anything else is none",
        arguments: [("110 a b", "110 a b"), ("110", "110"), ("", nil), ("a&b=c", nil), ("-5", nil), ("0", nil)]
    )
    func stored(_ text: String, _ read: String?) {
        #expect(NtfyPosition(text)?.text == read)
    }
}
