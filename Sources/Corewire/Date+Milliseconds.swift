import FoundationEssentials

extension Date {
    /// Makes a date from milliseconds since 1970.
    init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}
