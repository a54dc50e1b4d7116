/// A localized format of a template value.
package enum ValueForm: Sendable, Hashable {
    /// A timestamp in the format of the file.
    case moment
    /// The date of a timestamp.
    case date(TimeStyle)
    /// The time of day of a timestamp.
    case time(TimeStyle)
    /// A timestamp by a pattern.
    case pattern(DatePattern)
    /// A timestamp relative to now.
    case relative
    /// A number of seconds as a duration: `1 hr, 5 min`.
    case duration
    /// A number, with an optional maximum of fraction digits.
    case number(fractionDigits: Int?)
    /// A fraction as a percentage: 0.25 is `25%`.
    case percent
    /// An amount of money; the default currency is that of the file.
    case currency(CurrencyCode?)
    /// A size in bytes.
    case bytes
    /// Several values joined in a sentence.
    case list(Conjunction)
    /// The plural form for a number; `#` is replaced by the number.
    case plural(PluralWords)
    /// The name of a person.
    case name(NameStyle)
    /// Grouped digits, `#` for each digit: `### ### ####`.
    case digits(String)
    /// Metres.
    case length
    /// Kilograms.
    case weight
    /// Degrees Celsius.
    case temperature
}

/// The word before the last item of a list.
package enum Conjunction: String, Sendable, CaseIterable {
    case and, or
}

/// The length of a person's name.
package enum NameStyle: String, Sendable, CaseIterable {
    case short, medium, long
}
