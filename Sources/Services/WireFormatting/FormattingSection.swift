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
