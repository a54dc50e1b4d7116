/// A timestamp in the format of HTTP header fields: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
package struct HTTPDate: Sendable, CustomStringConvertible {
    /// Seconds since 1970.
    package let seconds: Int64

    /// Makes a date from milliseconds since 1970, rounded down to seconds.
    package init(milliseconds: Int64) {
        seconds = milliseconds >= 0 ? milliseconds / 1_000 : (milliseconds - 999) / 1_000
    }

    init(seconds: Int64) {
        self.seconds = seconds
    }

    static func number(_ text: Substring, in range: ClosedRange<Int64>) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text) else {
            return nil
        }
        return range.contains(number) ? number : nil
    }

    package var description: String {
        let day = Self.divide(seconds, by: 86_400)
        let date = Self.civil(day.quotient)
        let (hour, minute, second) = (day.rest / 3_600, day.rest / 60 % 60, day.rest % 60)
        // Formatted by hand for speed: every response has one or two dates.
        var text: [UInt8] = []
        text.reserveCapacity(29)
        text += Self.weekdays[Int(Self.divide(day.quotient + 4, by: 7).rest)].utf8
        text += ", ".utf8
        Self.append(date.day, to: &text)
        text.append(UInt8(ascii: " "))
        text += Self.months[Int(date.month) - 1].utf8
        text.append(UInt8(ascii: " "))
        text += Self.padded(date.year, 4).utf8
        for (separator, number) in [
            (UInt8(ascii: " "), hour), (UInt8(ascii: ":"), minute), (UInt8(ascii: ":"), second),
        ] {
            text.append(separator)
            Self.append(number, to: &text)
        }
        text += " GMT".utf8
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends a number with two digits.
    private static func append(_ number: Int64, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10))
        text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The calendar date of a day counted from 1970; years begin in March, so that the leap day is the last day of its
    /// year.
    static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = divide(days + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    static func divide(_ value: Int64, by divisor: Int64) -> (quotient: Int64, rest: Int64) {
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
