import Testing
import WireHTTP

@Suite("Dates of HTTP, read")
struct DateParsingTests {
    @Test(
        "a date is read as it is written",
        arguments: [
            0, 1, 784_111_777, 951_782_399, 951_782_400, 951_868_800, 1_709_164_800, 4_102_444_799, 253_402_300_799,
        ]
    )
    func there(seconds: Int64) throws {
        let text = "\(HTTPDate(milliseconds: seconds * 1_000))"
        #expect(try #require(HTTPDate(parsing: text)).seconds == seconds)
    }

    @Test(
        "what is no date is none",
        arguments: [
            "", "now", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
            "Sun, 06 Now 1994 08:49:37 GMT", "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
            "Sun, -6 Nov 1994 08:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT",
        ]
    )
    func none(text: String) {
        #expect(HTTPDate(parsing: text) == nil)
    }
}
