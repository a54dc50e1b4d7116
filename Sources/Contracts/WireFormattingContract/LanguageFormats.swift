package import WireConfig
package import WireService

/// Formats values for a language.
package protocol LanguageFormats: Sendable {
    /// Formats a value; nil where the value does not fit the format, such as text for a timestamp. `now` is in
    /// milliseconds since 1970.
    func text(of value: JSONValue, as form: ValueForm, _ choices: FormatChoices, now: Int64) -> String?

    /// Whether times can be formatted for a time zone.
    func knows(_ zone: TimeZoneName) -> Bool
}

/// Settings of the services file that a caller may override.
package struct FormatChoices: Sendable, Hashable {
    package var locale = LanguageTag(known: "en-US")
    package var timeZone = TimeZoneName(known: "UTC")
    package var date = TimeStyle.medium
    package var time = TimeStyle.short
    package var pattern: DatePattern?
    package var groupsNumbers = true
    package var fractionDigits = 3
    package var currency: CurrencyCode?
    package var units = UnitSystem.metric
    package var sizes = SizeUnits.decimal
    /// The text for a value that does not fit the format.
    package var fallback = ""

    package init() {}
}

/// Formats values by the `formatting` section of the file, or by its defaults.
package struct DeclaredFormats: Sendable {
    private let formats: any LanguageFormats
    private let declared: @Sendable () -> FormatChoices
    private let now: @Sendable () -> Int64

    package init(
        _ formats: any LanguageFormats,
        now: @escaping @Sendable () -> Int64,
        _ declared: @escaping @Sendable () -> FormatChoices
    ) {
        (self.formats, self.now, self.declared) = (formats, now, declared)
    }

    package var choices: FormatChoices { declared() }

    package func knows(_ zone: TimeZoneName) -> Bool { formats.knows(zone) }

    /// The formatted value; the fallback of the file where the value does not fit.
    package func text(of value: JSONValue, as form: ValueForm) -> String {
        let choices = choices
        return text(of: value, as: form, choices) ?? choices.fallback
    }

    /// The formatted value with other choices; nil where the value does not fit.
    package func text(of value: JSONValue, as form: ValueForm, _ choices: FormatChoices) -> String? {
        formats.text(of: value, as: form, choices, now: now())
    }
}

extension Ability where Value == DeclaredFormats {
    package static var declaredFormats: Ability<DeclaredFormats> { Ability(Provision(.runner, "declared formats")) }
}
