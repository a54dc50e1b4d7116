import FoundationEssentials

extension Date {
    /// A moment as services keep it: in milliseconds since 1970.
    init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}
