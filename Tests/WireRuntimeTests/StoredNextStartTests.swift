import Testing
import WireHTTP
import WireRuntime

@Suite("Stored decisions for the next start")
struct StoredNextStartTests {
    @Test(
        "decisions are read whole, and written byte for byte",
        arguments: [
            "{}",
            """
            {"environment":"qa","setAside":{"generation":2,"instead":3,"reason":"rolledBack"},\
            "trial":{"generation":4,"former":3,"end":1700000000000,"starts":1}}
            """,
        ]
    )
    func same(text: String) throws {
        let next = try NextStart(parsing: Array(text.utf8), named: "next", toleratesUnknown: true)
        #expect(String(decoding: next.bytes, as: UTF8.self) == text)
    }
}
