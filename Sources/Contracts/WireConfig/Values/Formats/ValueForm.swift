/// What a template makes of a value, in the language of whoever reads it.
package enum ValueForm: Sendable, Hashable {
    /// A moment, as the file says.
    case moment
    /// The day of a moment.
    case date(TimeStyle)
    /// The time of day of a moment.
    case time(TimeStyle)
    /// A moment, letter by letter.
    case pattern(DatePattern)
    /// How long ago a moment was, or how soon it will be.
    case relative
    /// A time in seconds: `1 hr, 5 min`.
    case duration
    /// A number; with at most so many digits behind the decimal sign where that is said.
    case number(fractionDigits: Int?)
    /// A part of one: 0.25 is `25%`.
    case percent
    /// An amount of money, in the currency of the file where none is named.
    case currency(CurrencyCode?)
    /// A number of bytes.
    case bytes
    /// Several values in one sentence.
    case list(Conjunction)
    /// Words that go with a number, `#` standing for it.
    case plural(PluralWords)
    /// The name of a person.
    case name(NameStyle)
    /// Digits in groups, `#` standing for each: `### ### ####`.
    case digits(String)
    /// Metres.
    case length
    /// Kilograms.
    case weight
    /// Degrees Celsius.
    case temperature
}

/// What stands before the last item of a list.
package enum Conjunction: String, Sendable, CaseIterable {
    case and, or
}

/// How much of a person's name is written.
package enum NameStyle: String, Sendable, CaseIterable {
    case short, medium, long
}
