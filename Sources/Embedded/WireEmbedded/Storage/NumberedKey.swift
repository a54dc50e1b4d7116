/// The keys of records that are numbered.
enum NumberedKey {
    /// Returns a key that sorts by number.
    static func text(of number: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, 19 - digits.utf8.count)) + digits
    }
}
