/// The filters of templates.
package enum TemplateFilter: String, Sendable, CaseIterable {
    /// Converts to upper case.
    case upper
    /// Converts to lower case.
    case lower
    /// Removes white space at both ends.
    case trim
    /// The argument where the value is missing.
    case `default`
    /// Limits the number of characters.
    case truncate
    /// Encodes as JSON.
    case json
    /// Percent-encodes for a URL.
    case urlEncode
    /// Formats a timestamp by the formatting section, or by the argument.
    case date
    /// Formats the time of day of a timestamp.
    case time
    /// Formats a timestamp relative to now.
    case relative
    /// Formats a number of seconds as a duration.
    case duration
    /// Formats a number by the formatting section.
    case number
    /// Formats a fraction as a percentage.
    case percent
    /// Formats an amount of money.
    case currency
    /// Formats a size in bytes.
    case bytes
    /// Joins several values in a sentence.
    case list
    /// Selects the plural form for a number.
    case plural
    /// Formats the name of a person.
    case name
    /// Groups digits.
    case digits
    /// Formats metres in the units of the formatting section.
    case length
    /// Formats kilograms in the units of the formatting section.
    case weight
    /// Formats degrees Celsius in the units of the formatting section.
    case temperature

    /// Whether the filter needs an argument.
    var needsArgument: Bool {
        switch self {
        case .default, .truncate, .plural, .digits: true
        default: false
        }
    }

    /// Whether the filter accepts an argument.
    var takesArgument: Bool {
        switch self {
        case .date, .time, .number, .currency, .list, .name: true
        default: needsArgument
        }
    }
}
