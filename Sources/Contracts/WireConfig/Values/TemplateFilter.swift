/// What a template can do to a value.
package enum TemplateFilter: String, Sendable, CaseIterable {
    /// All letters large.
    case upper
    /// All letters small.
    case lower
    /// Without white space at the ends.
    case trim
    /// The argument, where there is no value.
    case `default`
    /// At most so many characters.
    case truncate
    /// As JSON writes it.
    case json
    /// As a part of a URL.
    case urlEncode
    /// A moment in the form the formatting section says, or the argument.
    case date
    /// The time of day of a moment.
    case time
    /// How long ago a moment was, or how soon it will be.
    case relative
    /// A time in seconds, in words.
    case duration
    /// A number in the form the formatting section says.
    case number
    /// A part of one, in hundredths.
    case percent
    /// An amount of money.
    case currency
    /// A size people can read.
    case bytes
    /// Several values in one sentence.
    case list
    /// Words that go with a number.
    case plural
    /// The name of a person.
    case name
    /// Digits in groups.
    case digits
    /// Metres, in the units the formatting section says.
    case length
    /// Kilograms, in the units the formatting section says.
    case weight
    /// Degrees Celsius, in the units the formatting section says.
    case temperature

    /// Whether it makes no sense without an argument.
    var needsArgument: Bool {
        switch self {
        case .default, .truncate, .plural, .digits: true
        default: false
        }
    }

    /// Whether it takes one.
    var takesArgument: Bool {
        switch self {
        case .date, .time, .number, .currency, .list, .name: true
        default: needsArgument
        }
    }
}
