public import WireConfig

/// How times, numbers and sizes are shown to people.
public struct FormattingSection: Section {
    package static let name = "formatting"
    package static let summary =
        "How times, numbers and sizes are shown to people, in notifications and by the local API."
    package static let codes = Code.formattingCodes

    /// The language and the region.
    @Setting public var locale: LanguageTag
    /// The time zone.
    @Setting public var timeZone: TimeZoneName
    /// How much of a day is shown.
    @Setting public var dateStyle: TimeStyle
    /// How much of a time of day is shown.
    @Setting public var timeStyle: TimeStyle
    /// How both are shown, where the styles are not enough.
    @Setting public var datePattern: DatePattern?
    /// Whether long numbers are divided into groups.
    @Setting public var numberGrouping: Bool
    /// How many digits follow the decimal sign at most.
    @Setting public var maxFractionDigits: Int
    /// The currency of amounts that name none.
    @Setting public var currency: CurrencyCode?
    /// The units lengths, weights and temperatures are shown in.
    @Setting public var units: UnitSystem
    /// The units sizes of files are shown in.
    @Setting public var sizes: SizeUnits
    /// What stands in place of a value that is missing or cannot be shown.
    @Setting public var fallback: String

    package init(_ keys: inout Keys) {
        _locale = keys.value("locale", "The language and the region (BCP 47).", or: LanguageTag(known: "en-US"))
        _timeZone = keys.value("timeZone", "The time zone times are shown in.", or: TimeZoneName(known: "UTC"))
        _dateStyle = keys.value("dateStyle", "How much of a day is shown.", or: .medium)
        _timeStyle = keys.value("timeStyle", "How much of a time of day is shown.", or: .short)
        _datePattern = keys.optional("datePattern", "How day and time are shown, instead of the styles (Unicode TR35).")
        _numberGrouping = keys.value("numberGrouping", "Whether long numbers are divided into groups.", or: true)
        _maxFractionDigits = keys.value(
            "maxFractionDigits",
            "How many digits follow the decimal sign at most.",
            or: 3,
            .in(0...15)
        )
        _currency = keys.optional("currency", "The currency of amounts that name none (ISO 4217).")
        _units = keys.value("units", "The units lengths, weights and temperatures are shown in.", or: .metric)
        _sizes = keys.value("sizes", "The units sizes of files are shown in.", or: .decimal)
        _fallback = keys.value(
            "fallback",
            "What stands in place of a value that is missing or cannot be shown.",
            or: "",
            .example("\"-\"")
        )
    }
}

/// How much of a day or a time of day is shown.
public enum TimeStyle: String, Choice {
    case none, short, medium, long, full

    package var help: String {
        switch self {
        case .none: "nothing"
        case .short: "numbers only: 3/1/27, 14:05"
        case .medium: "the month in short, seconds: Mar 1, 2027, 14:05:09"
        case .long: "the month in full, the zone in short: March 1, 2027, 14:05:09 UTC"
        case .full: "the day of the week, the zone in full"
        }
    }
}

/// The units measurements are shown in.
public enum UnitSystem: String, Choice {
    case metric, imperial

    package var help: String {
        switch self {
        case .metric: "metres, kilograms, degrees Celsius"
        case .imperial: "feet, pounds, degrees Fahrenheit"
        }
    }
}

/// The units sizes of files are shown in.
public enum SizeUnits: String, Choice {
    case decimal, binary

    package var help: String {
        switch self {
        case .decimal: "kB, MB, GB: a thousand of the one before"
        case .binary: "KiB, MiB, GiB: 1,024 of the one before"
        }
    }
}
