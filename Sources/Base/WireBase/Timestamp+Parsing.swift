extension Timestamp {
    /// Parses a time in RFC 3339, with an offset and an optional fraction: `2026-02-28T23:59:59.5+01:00`.
    package init?(parsing text: String) {
        var rest = Array(text.utf8)[...]
        guard let year = rest.number(4), rest.skip("-"), let month = rest.number(2), rest.skip("-"),
            let day = rest.number(2), rest.skip("Tt "), let hour = rest.number(2), rest.skip(":"),
            let minute = rest.number(2), rest.skip(":"), let second = rest.number(2)
        else { return nil }
        var milliseconds: Int64 = 0
        if rest.skip(".") {
            let digits = rest.prefix { $0.isDigit }
            guard !digits.isEmpty else { return nil }
            rest = rest.dropFirst(digits.count)
            var first = digits.prefix(3)
            milliseconds = (first.number(first.count) ?? 0) * [1, 100, 10, 1][min(digits.count, 3)]
        }
        guard let offset = rest.offset(), rest.isEmpty, (1...12).contains(month),
            (1...Self.days(in: month, of: year)).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = Self.days(year, month, day)
        // A leap second counts as the second after it.
        let seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second
        self.init(milliseconds: seconds * 1_000 + milliseconds)
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 2 ? (isLeapYear ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// The days since 1970; years begin in March, so that the leap day is the last of its year.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let (years, months) = (month <= 2 ? year - 1 : year, month <= 2 ? month + 9 : month - 3)
        let (era, yearOfEra) = (years / 400, years % 400)
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + (153 * months + 2) / 5 + day - 1
        return era * 146_097 + dayOfEra - 719_468
    }
}

extension ArraySlice<UInt8> {
    /// Takes a number of this many digits.
    fileprivate mutating func number(_ count: Int) -> Int64? {
        let digits = prefix(count)
        guard digits.count == count, digits.allSatisfy(\.isDigit) else { return nil }
        self = dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// Takes one of some characters.
    fileprivate mutating func skip(_ characters: String) -> Bool {
        guard let next = first, characters.utf8.contains(next) else { return false }
        self = dropFirst()
        return true
    }

    /// Takes the offset from UTC, in minutes.
    fileprivate mutating func offset() -> Int64? {
        if skip("Zz") { return 0 }
        let isWest = first == UInt8(ascii: "-")
        guard skip("+-"), let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60 else {
            return nil
        }
        return (hours * 60 + minutes) * (isWest ? -1 : 1)
    }
}
