extension HTTPDate {
    /// Parses a date in any of the three HTTP formats (RFC 9110, section 5.6.7); nil for any other text.
    ///
    /// The obsolete formats are `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
    ///
    /// `now`, in seconds since 1970, decides the century of a two-digit year. The default is the beginning of 2026.
    package init?(parsing text: String, now: Int64 = 1_767_225_600) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        switch words.count {
        case 6 where words[0].isEmpty == false && words[5] == "GMT":
            guard words[0].last == "," else { return nil }
            self.init(year: Self.number(words[3], in: 1_970...9_999), words[2], words[1], words[4])
        case 4 where words[3] == "GMT":
            let date = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard date.count == 3, Self.longWeekdays.contains(words[0]) else { return nil }
            self.init(year: Self.year(ofTwoDigits: date[2], at: now), date[1], date[0], words[2])
        case 5 where words[2].utf8.count == 2:
            self.init(year: Self.number(words[4], in: 1_970...9_999), words[1], words[2], words[3])
        case 6 where words[2].isEmpty && words[3].utf8.count == 1:
            // The asctime format pads a one-digit day with a space.
            self.init(year: Self.number(words[5], in: 1_970...9_999), words[1], words[3], words[4])
        default: return nil
        }
    }

    private init?(year: Int64?, _ month: Substring, _ day: Substring, _ clock: Substring) {
        let time = clock.split(separator: ":", omittingEmptySubsequences: false)
        guard time.count == 3, let year, let month = Self.months.firstIndex(of: String(month)),
            let day = Self.number(day, in: 1...31), let hour = Self.number(time[0], in: 0...23),
            let minute = Self.number(time[1], in: 0...59), let second = Self.number(time[2], in: 0...60)
        else { return nil }
        // Counts years from March, so that the leap day is the last day of its year.
        let shifted = month < 2 ? year - 1 : year
        let dayOfYear = (153 * Int64((month + 10) % 12) + 2) / 5 + day - 1
        let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
        self.init(seconds: days * 86_400 + hour * 3_600 + minute * 60 + second)
    }

    /// Resolves a two-digit year; one more than fifty years ahead belongs to the past century.
    private static func year(ofTwoDigits text: Substring, at now: Int64) -> Int64? {
        guard text.utf8.count == 2, let digits = number(text, in: 0...99) else { return nil }
        let present = civil(divide(now, by: 86_400).quotient).year
        let year = present - present % 100 + digits
        if year > present + 50 { return year - 100 }
        // Near the end of a century, small numbers belong to the next one.
        return year + 100 <= present + 50 ? year + 100 : year
    }

    private static let longWeekdays: [Substring] = [
        "Sunday,", "Monday,", "Tuesday,", "Wednesday,", "Thursday,", "Friday,", "Saturday,",
    ]
}
