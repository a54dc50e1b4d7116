import WireBase

extension Fields {
    /// The pause that a server asks for with `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Returns: Nil without the field, or where it has neither form.
    package func retryAfter(at now: Int64) -> Duration? {
        guard let text = self["Retry-After"] else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy(\.isDigit) {
            return .seconds(min(Int64(text) ?? .max, Int64(Int32.max)))
        }
        guard let date = HTTPDate(parsing: text) else { return nil }
        let (pause, isOver) = (date.seconds * 1_000).subtractingReportingOverflow(now)
        return isOver ? nil : .milliseconds(max(0, pause))
    }
}
