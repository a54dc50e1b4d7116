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
        _locale = keys.value("locale", "Language and region (BCP 47).", or: LanguageTag(known: "en-US"))
        _timeZone = keys.value("timeZone", "Time zone of displayed times.", or: TimeZoneName(known: "UTC"))
        _dateStyle = keys.value("dateStyle", "Style of dates.", or: .medium)
        _timeStyle = keys.value("timeStyle", "Style of times.", or: .short)
        _datePattern = keys.optional(
            "datePattern",
            "Pattern of date and time, instead of the styles (Unicode TR35)."
        )
        _numberGrouping = keys.value("numberGrouping", "Whether digits are grouped.", or: true)
        _maxFractionDigits = keys.value(
            "maxFractionDigits",
            "Maximum number of fraction digits.",
            or: 3,
            .in(0...15)
        )
        _currency = keys.optional("currency", "Currency of amounts without a currency (ISO 4217).")
        _units = keys.value("units", "Units of lengths, weights and temperatures.", or: .metric)
        _sizes = keys.value("sizes", "Units of file sizes.", or: .decimal)
        _fallback = keys.value(
            "fallback",
            "Text for a value that cannot be formatted.",
            or: "",
            .example("\"-\"")
        )
    }
}
