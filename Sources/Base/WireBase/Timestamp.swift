/// A time in RFC 3339, in UTC with milliseconds: `2026-02-28T23:59:59.999Z`.
package struct Timestamp: Sendable, CustomStringConvertible {
    /// Milliseconds since 1970.
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The time as text; years beyond four digits have more.
    package var description: String {
        let (days, moment) = Self.divide(milliseconds, by: 86_400_000)
        let (year, month, day) = Self.civil(days)
        let (hour, minute) = (moment / 3_600_000, moment / 60_000 % 60)
        let (second, fraction) = (moment / 1_000 % 60, moment % 1_000)
        let date = "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
        let time = "\(Self.padded(hour, 2)):\(Self.padded(minute, 2)):\(Self.padded(second, 2))"
        return "\(date)T\(time).\(Self.padded(fraction, 3))Z"
    }

    /// Returns the date of a day since 1970, in the proleptic Gregorian calendar.
    ///
    /// Years begin in March here, so that the leap day is the last of its year; 146,097 days are 400 years.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = divide(days + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    /// Divides, rounding down, so that times before 1970 are right.
    private static func divide(_ value: Int64, by divisor: Int64) -> (Int64, Int64) {
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
