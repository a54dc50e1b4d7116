package import WireConfig

/// The formats of times, numbers and sizes.
package struct FormattingSection: Section {
    package static let name = "formatting"
    package static let summary =
        "The formats of times, numbers and sizes, in notifications and the local API."
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
        _timeZone = keys.value("timeZone", "The time zone of displayed times.", or: TimeZoneName(known: "UTC"))
        _dateStyle = keys.value("dateStyle", "The style of dates.", or: .medium)
        _timeStyle = keys.value("timeStyle", "The style of times.", or: .short)
        _datePattern = keys.optional(
            "datePattern",
            "The pattern of date and time, instead of the styles (Unicode TR35)."
        )
        _numberGrouping = keys.value("numberGrouping", "Whether digits are grouped.", or: true)
        _maxFractionDigits = keys.value(
            "maxFractionDigits",
            "The maximum number of fraction digits.",
            or: 3,
            .in(0...15)
        )
        _currency = keys.optional("currency", "The currency of amounts without one (ISO 4217).")
        _units = keys.value("units", "The units of lengths, weights and temperatures.", or: .metric)
        _sizes = keys.value("sizes", "The units of file sizes.", or: .decimal)
        _fallback = keys.value(
            "fallback",
            "The text for a value that cannot be formatted.",
            or: "",
            .example("\"-\"")
        )
    }
}
