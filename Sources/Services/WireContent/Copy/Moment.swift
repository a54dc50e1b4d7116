import WireConfig

/// A time in a server's form: milliseconds since 1970, as a number or digits, or ISO 8601 text.
enum Moment {
    /// Milliseconds since 1970; nil for a value that is no time.
    static func milliseconds(of value: JSONValue) -> Int64? {
        switch value {
        case .integer(let number): Int64(number)
        case .number(let number): Int64(exactly: number.rounded())
        case .string(let text): Int64(text) ?? milliseconds(of: text)
        default: nil
        }
    }

    /// Parses `2016-05-01T10:20:30.123Z`, also with an offset; a date alone is its midnight in UTC.
    static func milliseconds(of text: String) -> Int64? {
        var digits = Digits(Array(text.utf8))
        guard let year = digits.number(4), digits.skip("-"), let month = digits.number(2), digits.skip("-"),
            let day = digits.number(2), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        let days = self.days(year, month, day)
        if digits.isAtEnd { return days * 86_400_000 }
        guard digits.skip("T") || digits.skip("t") || digits.skip(" "), let hour = digits.number(2), digits.skip(":"),
            let minute = digits.number(2), hour < 24, minute < 60
        else { return nil }
        var second: Int64 = 0
        var fraction: Int64 = 0
        if digits.skip(":") {
            guard let found = digits.number(2), found <= 60 else { return nil }
            second = found
            if digits.skip(".") || digits.skip(",") {
                guard let found = digits.fraction() else { return nil }
                fraction = found
            }
        }
        guard let offset = digits.zone(), digits.isAtEnd else { return nil }
        return ((days * 24 + hour) * 60 + minute - offset) * 60_000 + second * 1_000 + fraction
    }

    /// Days since 1970 in the proleptic Gregorian calendar; years begin in March here.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private struct Digits {
        private let bytes: [UInt8]
        private var offset = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        var isAtEnd: Bool { offset == bytes.count }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard offset < bytes.count, bytes[offset] == UInt8(ascii: character) else { return false }
            offset += 1
            return true
        }

        mutating func number(_ width: Int) -> Int64? {
            guard offset + width <= bytes.count else { return nil }
            var number: Int64 = 0
            for byte in bytes[offset..<offset + width] {
                guard (0x30...0x39).contains(byte) else { return nil }
                number = number * 10 + Int64(byte - 0x30)
            }
            offset += width
            return number
        }

        /// Milliseconds; further digits are ignored.
        mutating func fraction() -> Int64? {
            var (number, count): (Int64, Int) = (0, 0)
            while offset < bytes.count, (0x30...0x39).contains(bytes[offset]) {
                if count < 3 { number = number * 10 + Int64(bytes[offset] - 0x30) }
                count += 1
                offset += 1
            }
            guard count > 0 else { return nil }
            while count < 3 {
                number *= 10
                count += 1
            }
            return number
        }

        /// Minutes east of UTC.
        mutating func zone() -> Int64? {
            if isAtEnd || skip("Z") || skip("z") { return 0 }
            let isWest = skip("-")
            guard isWest || skip("+"), let hours = number(2) else { return nil }
            _ = skip(":")
            guard let minutes = isAtEnd ? 0 : number(2) else { return nil }
            return (isWest ? -1 : 1) * (hours * 60 + minutes)
        }
    }
}
