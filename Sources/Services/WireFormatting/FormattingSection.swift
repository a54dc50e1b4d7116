package import WireConfig

/// How times, numbers and sizes are shown to people.
package struct FormattingSection: Section {
    package static let name = "formatting"
    package static let summary =
        "How times, numbers and sizes are shown to people, in notifications and by the local API."
    package static let codes = Code.formattingCodes

    @Setting package var locale: LanguageTag
    @Setting package var timeZone: TimeZoneName
    @Setting package var dateStyle: TimeStyle
    @Setting package var timeStyle: TimeStyle
    @Setting package var datePattern: DatePattern?
    @Setting package var numberGrouping: Bool
    @Setting package var maxFractionDigits: Int
    @Setting package var currency: CurrencyCode?
    @Setting package var units: UnitSystem
    @Setting package var sizes: SizeUnits
    @Setting package var fallback: String

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
