import Testing
import WireHTTP

@Suite("Parsing HTTP dates")
struct DateParsingTests {
    @Test(
        "a date is read as written",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (1, "Thu, 01 Jan 1970 00:00:01 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"),
            (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"), (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] as [(Int64, String)]
    )
    func there(seconds: Int64, text: String) throws {
        #expect("\(HTTPDate(milliseconds: seconds * 1_000))" == text)
        #expect(HTTPDate(parsing: text)?.seconds == seconds)
    }

    @Test(
        "both obsolete formats are read",
        arguments: [
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777), ("Sun Nov  6 08:49:37 1994", 784_111_777),
            ("Wed Nov 16 08:49:37 1994", 784_975_777), ("Saturday, 01-Jan-00 00:00:00 GMT", 946_684_800),
        ]
    )
    func obsolete(text: String, seconds: Int64) {
        #expect(HTTPDate(parsing: text, now: 1_790_000_000)?.seconds == seconds)
    }

    @Test(
        "a two-digit year is at most fifty years ahead",
        arguments: [
            (2_026, "76", 2_076), (2_026, "77", 1_977), (2_026, "26", 2_026), (2_026, "00", 2_000),
            (2_090, "10", 2_110), (2_090, "40", 2_140), (2_090, "41", 2_041), (2_090, "99", 2_099),
        ]
    )
    func century(present: Int, digits: String, year: Int) throws {
        let now = try #require(HTTPDate(parsing: "Mon, 01 Jun \(present) 00:00:00 GMT"))
        let meant = try #require(HTTPDate(parsing: "Mon, 02 Feb \(year) 03:04:05 GMT"))
        #expect(HTTPDate(parsing: "Monday, 02-Feb-\(digits) 03:04:05 GMT", now: now.seconds)?.seconds == meant.seconds)
    }

    @Test(
        "an invalid date is rejected",
        arguments: [
            "", "now", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37",
            "Sunday, 06 Nov 94 08:49:37 GMT", "Sunday, 06-Nov-+4 08:49:37 GMT", "Sunday, --94 08:49:37 GMT",
            "Sun Nov 6 08:49:37 1994", "Sun Nov  06 08:49:37 1994", "Sun Nov  6 08:49:37 94", "     ", "   GMT",
            " 06 Nov 1994 08:49:37 GMT", "Sun Nov  6 08:49:37 1994 GMT", "Sun Nov   08:49:37 1994",
            "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Wed, 31 Dec 1969 23:59:59 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
            "Sun, 06 Now 1994 08:49:37 GMT", "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
            "Sun, -6 Nov 1994 08:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT",
        ]
    )
    func none(text: String) {
        #expect(HTTPDate(parsing: text) == nil)
    }
}
