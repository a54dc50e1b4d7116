import WireBase

/// Strict accessors for query items: a repeated or invalid item is a problem.
extension Request {
    package func queryText(_ name: String) throws(Problem) -> String? {
        var found: String?
        for item in target.query where item.name == name {
            if found != nil { throw .query(name, "given more than once") }
            found = item.value
        }
        return found
    }

    package func queryInteger(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = try queryText(name) else { return nil }
        guard let value = Int(text), range.contains(value), !text.hasPrefix("+") else {
            throw .query(
                name,
                "found \(text.quoted), expected a whole number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return value
    }

    /// Reads `true` or `false`; an item without a value is true.
    package func queryFlag(_ name: String) throws(Problem) -> Bool {
        switch try queryText(name) {
        case nil, "false": return false
        case "", "true": return true
        case let text?: throw .query(name, "found \(text.quoted), expected 'true' or 'false'")
        }
    }

    package func queryWord<Word: RawRepresentable<String> & CaseIterable>(
        _ name: String,
        as type: Word.Type = Word.self
    ) throws(Problem) -> Word? {
        guard let text = try queryText(name) else { return nil }
        if let word = Word(rawValue: text) { return word }
        throw .query(name, "found \(text.quoted), expected \(Word.allCases.map(\.rawValue).listed())")
    }
}

extension Problem {
    fileprivate static func query(_ name: String, _ detail: String) -> Problem {
        invalidQuery("\(name.quoted): \(detail)")
    }

    static func invalidQuery(_ detail: String) -> Problem {
        Problem(.badRequest, "invalid-query", "invalid query", detail: detail)
    }
}
