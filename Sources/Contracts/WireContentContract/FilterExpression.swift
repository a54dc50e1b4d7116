import WireBase

/// Parses the text form of a filter: `price > 10 and (name like "a" or tag in ("x", "y"))`.
///
/// `and` binds more tightly than `or`. Texts are in single or double quotes, with backslash as the escape character;
/// field names with characters other than letters, digits, `_`, `-` and `.` are in backquotes.
package struct FilterExpression {
    /// The position and reason of a syntax error.
    package struct Mistake: Error, Sendable {
        /// The character position, from 1.
        package let position: Int
        package let reason: String

        package var description: String { "at character \(position): \(reason)" }
    }

    /// The maximum length of a text.
    package static let size = 16_384

    private let words: [FilterWord]
    private var next = 0
    private var tests = 0

    package static func filter(_ text: String) throws(Mistake) -> ContentFilter {
        guard text.utf8.count <= size else {
            throw Mistake(position: 1, reason: "the filter has more than \(size) bytes")
        }
        var reader = FilterExpression(words: try FilterWord.words(of: text))
        let filter = try reader.alternatives(depth: 1)
        if let rest = reader.word { throw reader.unexpected(rest, expected: "'and', 'or' or the end") }
        // A pair of parentheses may add two groups.
        do throws(Fault) { try filter.check() } catch {
            throw Mistake(position: 1, reason: error.reason)
        }
        return filter
    }

    private init(words: [FilterWord]) {
        self.words = words
    }

    private var word: FilterWord? { next < words.count ? words[next] : nil }

    private mutating func alternatives(depth: Int) throws(Mistake) -> ContentFilter {
        let filters = try list(joinedBy: "or") { reader throws(Mistake) in
            let all = try reader.list(joinedBy: "and") { reader throws(Mistake) in try reader.part(depth: depth) }
            return all.count == 1 ? all[0] : .all(all)
        }
        return filters.count == 1 ? filters[0] : .any(filters)
    }

    private mutating func list(
        joinedBy joint: String,
        _ read: (inout FilterExpression) throws(Mistake) -> ContentFilter
    ) throws(Mistake) -> [ContentFilter] {
        var filters = [try read(&self)]
        while let word, word.isWord(joint) {
            next += 1
            filters.append(try read(&self))
        }
        return filters
    }

    private mutating func part(depth: Int) throws(Mistake) -> ContentFilter {
        guard let word, word.kind == .symbol("(") else { return try test() }
        guard depth < ContentFilter.Limits.depth - 2 else {
            throw Mistake(position: word.position, reason: "parentheses are nested too deeply")
        }
        next += 1
        let inner = try alternatives(depth: depth + 1)
        guard let end = self.word, end.kind == .symbol(")") else { throw unexpected(self.word, expected: "')'") }
        next += 1
        return inner
    }

    private mutating func test() throws(Mistake) -> ContentFilter {
        guard let first = word, let property = first.property else {
            throw unexpected(word, expected: "the name of a field")
        }
        tests += 1
        guard tests <= ContentFilter.Limits.tests else {
            throw Mistake(position: first.position, reason: "found more than \(ContentFilter.Limits.tests) tests")
        }
        next += 1
        let operation = try operation()
        let place = word?.position ?? end
        let operand = try operand(of: operation)
        do throws(Fault) {
            return .test(try ContentFilter.Test(property, operation, operand))
        } catch {
            throw Mistake(position: place, reason: error.reason)
        }
    }

    private mutating func operation() throws(Mistake) -> ContentFilter.Operation {
        guard let word else { throw unexpected(nil, expected: Self.operations) }
        next += 1
        switch word.kind {
        case .symbol("=="): return .equal
        case .symbol("<>"): return .notEqual
        case .symbol("!"):
            guard let name = self.word, name.isWord("in") else { throw unexpected(self.word, expected: "'in'") }
            next += 1
            return .isNotIn
        case .symbol(let text):
            guard let operation = ContentFilter.Operation(rawValue: text) else { break }
            return operation
        case .name:
            if word.isWord("in") { return .isIn }
            if word.isWord("like") { return .like }
            if word.isWord("not"), let name = self.word, name.isWord("in") {
                next += 1
                return .isNotIn
            }
        default: break
        }
        next -= 1
        throw unexpected(word, expected: Self.operations)
    }

    private static let operations = ContentFilter.Operation.allCases.map(\.rawValue).listed()

    private mutating func operand(of operation: ContentFilter.Operation) throws(Mistake) -> ContentFilter.Operand {
        guard operation.wantsSeveral else { return .one(try scalar()) }
        guard let open = word, case .symbol(let bracket) = open.kind, bracket == "(" || bracket == "[" else {
            throw unexpected(word, expected: "a list such as (1, 2)")
        }
        next += 1
        var scalars = [try scalar()]
        while let word, word.kind == .symbol(",") {
            next += 1
            scalars.append(try scalar())
        }
        guard let close = word, close.kind == .symbol(bracket == "(" ? ")" : "]") else {
            throw unexpected(word, expected: "',' or the end of the list")
        }
        next += 1
        return .several(scalars)
    }

    private mutating func scalar() throws(Mistake) -> ContentFilter.Scalar {
        guard let word else { throw unexpected(nil, expected: "a value") }
        next += 1
        switch word.kind {
        case .text(let text): return .text(text)
        case .integer(let number): return .integer(number)
        case .number(let number): return .number(number)
        case .name(let name):
            if word.isWord("true") { return .boolean(true) }
            if word.isWord("false") { return .boolean(false) }
            if word.isWord("null") { return .null }
            throw Mistake(
                position: word.position,
                reason: "found \(name.quoted), texts are in quotes: \"\(name.shown(upTo: 40))\""
            )
        case .quotedName, .symbol: throw unexpected(word, expected: "a value")
        }
    }

    private var end: Int { (words.last?.end ?? 0) + 1 }

    private func unexpected(_ word: FilterWord?, expected: String) -> Mistake {
        Mistake(
            position: word?.position ?? end,
            reason: "found \(word.map { $0.source.quoted } ?? "the end"), expected \(expected)"
        )
    }
}
