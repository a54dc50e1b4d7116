/// Suggests corrections for duration formats of other programs.
extension Duration {
    static func misread(_ text: String) -> Misread {
        if let number = Int(text), number >= 0 {
            guard number >= 1_000 else {
                return Misread(
                    expected: "a duration with its unit",
                    help: "for seconds, write \(number)s",
                    fix: "\(number)s"
                )
            }
            return Misread(
                expected: "a duration with its unit",
                help: "write \(number)ms for milliseconds, \(number)s for seconds"
            )
        }
        if let meant = lowerCase(text) ?? fraction(text) ?? isoPeriod(text) {
            return Misread(help: "write \(meant)", fix: meant)
        }
        if text.utf8.contains(UInt8(ascii: "*")) {
            return Misread(help: "cron expressions are not supported; write the interval between two runs, such as 3h")
        }
        return Misread(help: "numbers with the units d, h, m, s and ms, the larger unit first: 1h30m")
    }

    private static func lowerCase(_ text: String) -> String? {
        let lower = text.lowercased()
        return lower != text && (try? Duration(parsing: lower)) != nil ? lower : nil
    }

    /// Converts `1.5h` to 1h30m.
    private static func fraction(_ text: String) -> String? {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = text[number.endIndex...].lowercased()
        guard number.contains("."), units.contains(where: { $0.name == unit }), let count = Double(number), count < 1e6,
            let one = try? Duration(parsing: "1\(unit)")
        else { return nil }
        let milliseconds = (count * Double(one / .milliseconds(1))).rounded()
        return milliseconds > 0 ? Duration.milliseconds(Int64(milliseconds)).literal.plainText : nil
    }

    /// Converts an ISO 8601 duration: `PT1H30M`, `P1D`.
    private static func isoPeriod(_ text: String) -> String? {
        let upper = text.uppercased()
        guard upper.hasPrefix("P"), upper.utf8.count <= 40 else { return nil }
        let parts = upper.dropFirst().split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        guard let days = parts.first, days.isEmpty || days.hasSuffix("D") else { return nil }
        let meant = (days + (parts.count > 1 ? parts[1] : "")).lowercased()
        return (try? Duration(parsing: meant)) != nil ? meant : fraction(meant)
    }
}
