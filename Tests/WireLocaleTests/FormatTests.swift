import Testing
import WireConfig
import WireFormattingContract
import WireLocale

/// What `{{ value | filter }}` comes to; the expected texts are those of Unicode's CLDR.
@Suite("Locale-dependent formatting")
struct FormatTests {
    /// 2027-03-01T14:05:09Z.
    private static let moment: Int64 = 1_803_909_909

    private func text(
        _ value: JSONValue,
        _ filter: String,
        _ language: String = "en-US",
        _ change: (inout FormatChoices) -> Void = { _ in }
    ) throws -> String? {
        var choices = FormatChoices()
        choices.locale = try LanguageTag(parsing: language)
        change(&choices)
        let template = try Template(parsing: "{{ value | \(filter) }}")
        guard case .value(_, let filters)? = template.pieces.first, let form = filters.first?.form else { return nil }
        return SystemFormats().text(of: value, as: form, choices, now: Self.moment * 1_000)?
            // CLDR puts narrow and unbreakable spaces where typists do, which no test needs to see.
            .replacing("\u{202F}", with: " ").replacing("\u{A0}", with: " ")
    }

    @Test(
        "a time has the styles of the file, in its language and zone",
        arguments: [
            ("en-US", "UTC", "Mar 1, 2027 at 2:05 PM"), ("de-DE", "Europe/Berlin", "1. März 2027, 15:05"),
            ("ja-JP", "Asia/Tokyo", "2027年3月1日 23:05"),
        ]
    )
    func moment(language: String, zone: String, expected: String) throws {
        for value in [JSONValue.integer(1_803_909_909), .integer(1_803_909_909_000), .string("2027-03-01T14:05:09Z")] {
            let shown = try text(value, "date", language) { $0.timeZone = TimeZoneName(known: zone) }
            #expect(shown == expected, "\(shown ?? "nothing")")
        }
    }

    @Test(
        "a template may use another time format",
        arguments: [
            ("date: long", "de", "1. März 2027"), ("date: short", "en", "3/1/27"),
            ("date: full", "en", "Monday, March 1, 2027"),
            ("time: short", "de", "14:05"), ("time: medium", "en", "2:05:09 PM"),
            ("date: yyyy-MM-dd", "de", "2027-03-01"),
            ("date: \"EEEE 'at' HH:mm | zzz\"", "en", "Monday at 14:05 | UTC"),
        ]
    )
    func styles(filter: String, language: String, expected: String) throws {
        #expect(try text(.integer(Int(Self.moment)), filter, language) == expected)
    }

    @Test(
        "relative times and durations are formatted",
        arguments: [
            (JSONValue.integer(1_803_909_909 - 7_200), "relative", "en", "2 hours ago"),
            (.integer(1_803_909_909 + 3 * 86_400), "relative", "de", "in 3 Tagen"),
            (.integer(3_905), "duration", "en", "1 hr, 5 min"), (.integer(0), "duration", "en", "0 sec"),
        ]
    )
    func distances(value: JSONValue, filter: String, language: String, expected: String) throws {
        #expect(try text(value, filter, language) == expected)
    }

    @Test(
        "numbers keep their value and have the language's format",
        arguments: [
            (JSONValue.number(1_234_567.8915), "number", "de", "1.234.567,892"),
            (.string("0.1"), "number", "en", "0.1"),
            (.number(1_234.5), "number: 0", "en", "1,234"), (.number(0.256), "percent", "de", "25,6 %"),
            (.string("1234.5"), "currency: EUR", "de", "1.234,50 €"),
            (.integer(1_234), "currency: JPY", "en", "¥1,234"),
            (.integer(12_345_678), "bytes", "en", "12.3 MB"), (.integer(21), "temperature", "de", "21 °C"),
            (.number(0.5), "length", "en", "50 cm"), (.integer(3), "weight", "fr", "3 kg"),
        ]
    )
    func numbers(value: JSONValue, filter: String, language: String, expected: String) throws {
        #expect(try text(value, filter, language) == expected)
    }

    @Test("the file sets grouping, digits, currency and units")
    func choices() throws {
        #expect(try text(.number(12_345.678), "number", "en") { $0.groupsNumbers = false } == "12345.678")
        #expect(try text(.number(12_345.678), "number", "en") { $0.fractionDigits = 1 } == "12,345.7")
        #expect(try text(.integer(5), "currency", "en") { $0.currency = CurrencyCode(known: "USD") } == "$5.00")
        #expect(try text(.integer(5), "currency", "en") == nil)
        #expect(try text(.integer(100), "temperature", "en") { $0.units = .imperial } == "212°F")
        #expect(try text(.number(1_609.344), "length", "en") { $0.units = .imperial } == "1 mi")
        #expect(try text(.integer(1_048_576), "bytes", "en") { $0.sizes = .binary } == "1 MB")
    }

    @Test(
        "plural forms follow the language",
        arguments: [
            (0, "en", "0 tasks"), (1, "en", "one task"), (2, "en", "2 tasks"), (1_000, "en", "1,000 tasks"),
            (1, "ru", "one task"), (3, "ru", "3 few"), (5, "ru", "5 many"), (21, "ru", "one task"),
            (3, "ja", "3 tasks"),
        ]
    )
    func plurals(count: Int, language: String, expected: String) throws {
        let filter = "plural: \"one: one task; few: # few; many: # many; other: # tasks\""
        #expect(try text(.integer(count), filter, language) == expected)
    }

    @Test("explicit number forms precede plural categories")
    func exactWords() throws {
        #expect(try text(.integer(0), "plural: \"=0: nothing | at all; other: #\"") == "nothing | at all")
    }

    @Test("lists, names and digits are formatted")
    func words() throws {
        let three = JSONValue.array([.string("Ada"), .string("Bob"), .integer(3)])
        #expect(try text(three, "list", "en") == "Ada, Bob, and 3")
        #expect(try text(three, "list: or", "de") == "Ada, Bob oder 3")
        let ada = JSONValue.object([("given_name", .string("Ada")), ("family_name", .string("Lovelace"))])
        #expect(try text(ada, "name", "en") == "Ada Lovelace")
        #expect(try text(ada, "name", "hu") == "Lovelace Ada")
        #expect(try text(ada, "name: short", "en") == "Ada")
        #expect(try text(.string("+14155550123"), "digits: \"# ### ### ####\"") == "+1 415 555 0123")
        #expect(try text(.integer(5_550_123), "digits: \"(###) ### ####\"") == "555 0123")
        #expect(try text(.string("99 1234 5678"), "digits: \"#### ####\"") == "99 1234 5678")
    }

    @Test(
        "a value that cannot be formatted is an error",
        arguments: [
            (JSONValue.string("soon"), "date"), (.null, "number"), (.string("12 apples"), "number"),
            (.string("0x10"), "number"), (.string("nan"), "number"), (.number(.infinity), "bytes"),
            (.integer(.max), "date"),
            (.number(1e300), "duration"), (.number(1e25), "bytes"), (.object([]), "name"), (.array([.null]), "list"),
            (.string("none"), "digits: \"##\""), (.boolean(true), "plural: \"other: #\""),
        ]
    )
    func unshowable(value: JSONValue, filter: String) throws {
        #expect(try text(value, filter) == nil)
    }

    @Test("an unknown language uses a plain format")
    func strangeLanguage() throws {
        #expect(try text(.number(1_234.5), "number", "qx-Zzzz-ZZ") != nil)
        #expect(try text(.integer(2), "plural: \"one: a; other: b\"", "qx") == "b")
    }
}
