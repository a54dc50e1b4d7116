package import WireConfig

/// A pinned public key of a host.
package struct Pin: Record {
    @Setting package var host: Host
    @Setting package var sha256: PinHash
    @Setting package var expires: Day?

    package init(_ keys: inout Keys) {
        _host = keys.required("host", "Host, or all hosts of a domain: *.example.com.")
        _sha256 = keys.required("sha256", "SHA-256 of the public key (SPKI), in base64.")
        _expires = keys.optional("expires", "Last day on which the pin is valid; afterwards a warning is logged.")
    }
}

/// A day of the calendar, as ISO 8601 writes it: `2027-01-31`.
package struct Day: Sendable, Hashable, Comparable {
    /// The year.
    package let year: Int
    /// The month, 1 to 12.
    package let month: Int
    /// The day of the month, from 1.
    package let day: Int

    /// Orders by time.
    package static func < (left: Self, right: Self) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}

extension Day: TextValue {
    package static var textForm: TextForm {
        TextForm("a day such as 2027-01-31", example: "2027-01-31", pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$")
    }

    package init(parsing text: String) throws(Misread) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let isShaped =
            parts.map(\.utf8.count) == [4, 2, 2]
            && parts.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        guard isShaped, let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]) else {
            throw Misread(help: "year, month and day: 2027-01-31")
        }
        guard (1...12).contains(month), (1...Self.length(ofMonth: month, in: year)).contains(day) else {
            throw Misread(expected: "a day that exists")
        }
        self.init(year: year, month: month, day: day)
    }

    private static func length(ofMonth month: Int, in year: Int) -> Int {
        let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        switch month {
        case 2: return isLeapYear ? 29 : 28
        case 4, 6, 9, 11: return 30
        default: return 31
        }
    }

    /// The day as ISO 8601 writes it.
    package var description: String {
        Self.padded(year, to: 4) + "-" + Self.padded(month, to: 2) + "-" + Self.padded(day, to: 2)
    }

    private static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
