import WireBase

extension ValueForm {
    /// The format of a filter with its argument; nil for a filter without localization.
    init?(_ filter: TemplateFilter, _ argument: String?) throws(Misread) {
        switch filter {
        case .upper, .lower, .trim, .default, .truncate, .json, .urlEncode: return nil
        case .date: self = try Self.date(argument)
        case .time:
            self = .time(try argument.map { (text) throws(Misread) in try Self.word(text, of: filter) } ?? .short)
        case .relative: self = .relative
        case .duration: self = .duration
        case .number: self = .number(fractionDigits: try argument.map(Self.digits))
        case .percent: self = .percent
        case .currency: self = .currency(try argument.map { (text) throws(Misread) in try CurrencyCode(parsing: text) })
        case .bytes: self = .bytes
        case .list: self = .list(try argument.map { (text) throws(Misread) in try Self.word(text, of: filter) } ?? .and)
        case .plural: self = .plural(try PluralWords(parsing: argument ?? ""))
        case .name:
            self = .name(try argument.map { (text) throws(Misread) in try Self.word(text, of: filter) } ?? .medium)
        case .digits:
            guard let argument, argument.contains("#") else {
                throw Self.misread("one '#' per digit: 'digits: \"### ### ####\"'")
            }
            self = .digits(argument)
        case .length: self = .length
        case .weight: self = .weight
        case .temperature: self = .temperature
        }
    }

    private static func date(_ argument: String?) throws(Misread) -> Self {
        guard let argument else { return .moment }
        if let style = TimeStyle(rawValue: argument) {
            guard style != .none else { throw misread("a style other than 'none': 'date: long'") }
            return .date(style)
        }
        do throws(Misread) {
            return .pattern(try DatePattern(parsing: argument))
        } catch {
            throw misread(error.help ?? "one of short, medium, long and full, or a pattern: 'date: yyyy-MM-dd'")
        }
    }

    private static func digits(_ text: String) throws(Misread) -> Int {
        guard let digits = Int(text), (0...15).contains(digits) else {
            throw misread("the most digits behind the decimal sign, 0 to 15: 'number: 2'")
        }
        return digits
    }

    private static func word<Word: RawRepresentable & CaseIterable>(_ text: String, of filter: TemplateFilter)
        throws(Misread)
        -> Word where Word.RawValue == String
    {
        if let word = Word(rawValue: text) { return word }
        let known = Word.allCases.map(\.rawValue).filter { $0 != "none" }
        throw misread("'\(filter.rawValue)' takes \(known.listed())")
    }

    private static func misread(_ help: String) -> Misread {
        Misread(expected: "a template with complete filters", help: help)
    }
}
