extension TextReport {
    /// Adds colours to a report that was made without them.
    ///
    /// The runner makes reports for any caller; only the program that prints a report knows its terminal.
    package static func painted(_ text: String, _ paint: Paint) -> String {
        guard paint.isOn else { return text }
        var tint = Paint.Tint.faint
        var isFirst = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let line = String(line)
            if let title = title(of: line) {
                tint = title.hasPrefix("error") ? .error : title.hasPrefix("warning") ? .warning : .faint
                return paint(title, tint) + paint(String(line.dropFirst(title.count)), .strong)
            }
            let margin = line.prefix { $0 == " " }
            let rest = line.dropFirst(margin.count)
            for arrow in ["-->", ":::"] where rest.hasPrefix("\(arrow) ") {
                isFirst = arrow == "-->"
                return margin + paint(arrow, .faint) + rest.dropFirst(3)
            }
            if rest.hasPrefix("= ") { return margin + paint("=", .faint) + rest.dropFirst(1) }
            return excerpt(String(margin), String(rest), isFirst ? tint : .faint, paint) ?? line
        }.joined(separator: "\n")
    }

    /// The title at the beginning of a line, `error[CW0203]`.
    private static func title(of line: String) -> String? {
        guard ["error[", "warning[", "note["].contains(where: line.hasPrefix), let end = line.firstIndex(of: "]"),
            line[line.index(after: end)...].hasPrefix(":")
        else { return nil }
        return String(line[...end])
    }

    /// Colours an excerpt line, `12 | text`, or the marks below it.
    private static func excerpt(_ margin: String, _ rest: String, _ tint: Paint.Tint, _ paint: Paint) -> String? {
        let number = rest.prefix { $0.isASCII && $0.isNumber }
        let gap = number.isEmpty ? "" : " "
        let bar = rest.dropFirst(number.count)
        guard bar.hasPrefix("\(gap)|") else { return nil }
        let head = margin + number + gap + paint("|", .faint)
        let body = bar.dropFirst(gap.count + 1)
        let marks = body.drop { $0 == " " }
        guard number.isEmpty, marks.hasPrefix("^") || marks.hasPrefix("-") else { return head + body }
        return head + body.prefix(body.count - marks.count) + paint(String(marks), tint)
    }
}
