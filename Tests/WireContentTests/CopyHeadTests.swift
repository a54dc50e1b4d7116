import Testing
import WireHTTP

@testable import WireContent

@Suite("The stored form of copies")
struct CopyHeadTests {
    private static let text = """
        {"form":1,"id":"7","name":"News","locale":"en","server":"https://api.example.com","timestamp":1700000000000,\
        "checked":1700000060000,"parts":[{"key":"part-1","kind":"base","size":400},{"key":"part-2","kind":"change","size":2}]}
        """

    private static func read(_ text: String) -> CopyHead? {
        try? CopyHead(parsing: Array(text.utf8), named: "head", toleratesUnknown: true)
    }

    @Test("a stored copy is read, and written in the same form")
    func same() throws {
        let head = try #require(Self.read(Self.text))
        #expect(head.identity.name == "News" && head.identity.server == "https://api.example.com")
        #expect(head.timestamp == 1_700_000_000_000 && head.checked == 1_700_000_060_000)
        #expect(head.parts.map(\.size) == [400, 2] && head.parts[1].kind == .change)
        #expect(String(decoding: head.bytes, as: UTF8.self) == Self.text)
    }

    @Test(
        "a copy of another form, or with an unknown part, is not read",
        arguments: [("form\":1", "form\":2"), ("base", "other")]
    )
    func other(_ word: String, _ replacement: String) {
        #expect(Self.read(Self.text.replacing(word, with: replacement)) == nil)
    }
}
