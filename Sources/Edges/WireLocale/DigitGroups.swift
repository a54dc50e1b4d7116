/// Digits put into groups, as telephone and card numbers are read.
enum DigitGroups {
    /// The last digits fill the last places; what is too many stands before them.
    static func text(of digits: String, _ groups: String) -> String {
        let sign = digits.hasPrefix("+") ? "+" : ""
        let numbers = Array(digits.dropFirst(sign.count))
        let places = groups.count { $0 == "#" }
        let extra = max(0, numbers.count - places)
        var left = numbers[extra...]
        // With too few digits the first places stay empty, and what separates them goes with them.
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
