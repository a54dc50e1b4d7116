import Testing
import WireConfig

@testable import WireContent

@Suite("Server timestamps")
struct MomentTests {
    @Test(
        "an ISO 8601 text is a time, with or without offset and fraction",
        arguments: [
            ("2016-05-01T10:20:30.123Z", 1_462_098_030_123), ("2016-05-01T10:20:30Z", 1_462_098_030_000),
            ("2016-05-01t10:20:30.5z", 1_462_098_030_500), ("2016-05-01 10:20:30,05", 1_462_098_030_050),
            ("2016-05-01T10:20:30.1239999Z", 1_462_098_030_123), ("2016-05-01T10:20Z", 1_462_098_000_000),
            ("2016-05-01T12:20:30+02:00", 1_462_098_030_000), ("2016-05-01T07:50:30-0230", 1_462_098_030_000),
            ("2016-05-01T12:20:30+02", 1_462_098_030_000), ("2016-05-01T10:20:60Z", 1_462_098_060_000),
            ("2016-05-01", 1_462_060_800_000), ("2016-02-29", 1_456_704_000_000), ("2000-03-01", 951_868_800_000),
            ("1900-02-28", -2_203_977_600_000), ("1969-12-31T23:59:59Z", -1_000), ("1970-01-01", 0),
            ("2016-05-01T00:00:00Z", 1_462_060_800_000), ("2016-05-01T23:59:00Z", 1_462_147_140_000),
        ] as [(String, Int64)]
    )
    func reads(text: String, milliseconds: Int64) {
        #expect(Moment.milliseconds(of: text) == milliseconds)
    }

    @Test(
        "an invalid text is rejected",
        arguments: [
            "", "2016", "2016-05", "2016-5-1", "2016-00-01", "2016-13-01", "2016-05-00", "2016-05-32", "2016/05/01",
            "2016-05-01T", "2016-05-01X10:20Z", "2016-05-01T10", "2016-05-01T24:00Z", "2016-05-01T10:60Z",
            "2016-05-01T10:20:61Z", "2016-05-01T10:20:30.Z", "2016-05-01T10:20:30Zx", "2016-05-01T10:20:30+2",
            "2016-05-01T10:20:30+02:0", "2016-05-01T10:20:", "Sunday",
        ]
    )
    func refuses(text: String) {
        #expect(Moment.milliseconds(of: text) == nil)
    }

    @Test("milliseconds are a number, with a fraction, or digits")
    func numbers() {
        #expect(Moment.milliseconds(of: JSONValue.integer(7)) == 7)
        #expect(Moment.milliseconds(of: JSONValue.number(1.5e3)) == 1_500)
        #expect(Moment.milliseconds(of: JSONValue.number(1e300)) == nil)
        #expect(Moment.milliseconds(of: JSONValue.string("2016")) == 2_016)
        #expect(Moment.milliseconds(of: JSONValue.string("2016-05-01")) == 1_462_060_800_000)
        #expect(Moment.milliseconds(of: JSONValue.boolean(true)) == nil)
    }
}
