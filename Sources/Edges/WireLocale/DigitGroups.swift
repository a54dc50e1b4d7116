/// Groups digits, as in telephone and card numbers.
enum DigitGroups {
    /// Fills the groups from the end; excess digits come first.
    static func text(of digits: String, _ groups: String) -> String {
        let sign = digits.hasPrefix("+") ? "+" : ""
        let numbers = Array(digits.dropFirst(sign.count))
        let places = groups.count { $0 == "#" }
        let extra = max(0, numbers.count - places)
        var left = numbers[extra...]
        // With too few digits the first groups stay empty, without their separators.
        let isShort = left.count < places
        var skipped = places - left.count
        var text = ""
        for character in groups {
            if character == "#" {
                if skipped > 0 { skipped -= 1 } else if let digit = left.popFirst() { text.append(digit) }
            } else if !text.isEmpty || !isShort {
                text.append(character)
            }
        }
        let before = String(numbers[..<extra])
        return sign + before + (before.isEmpty ? "" : " ") + text
    }
}
