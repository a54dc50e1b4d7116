import FoundationEssentials
import WireConfig

extension Date {
    init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}

extension JSONValue {
    /// The time, from seconds or milliseconds since 1970 or from ISO 8601.
    var moment: Date? {
        if let number = quantity {
            // Seconds reach this number in the year 5138; milliseconds reached it in 1973.
            let seconds = number.magnitude < 100_000_000_000 ? number : number / 1_000
            // The year 9999, beyond which calendars are unreliable.
            guard seconds.magnitude < 253_402_300_800 else { return nil }
            return Date(timeIntervalSince1970: seconds)
        }
        guard case .string(let text) = self else { return nil }
        return Self.forms.lazy.compactMap { try? Date(text, strategy: $0) }.first
    }

    private static var forms: [Date.ISO8601FormatStyle] {
        let base = Date.ISO8601FormatStyle()
        return [
            base, Date.ISO8601FormatStyle(includingFractionalSeconds: true), base.year().month().day(),
        ]
    }
}
