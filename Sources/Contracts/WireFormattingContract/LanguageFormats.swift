package import WireConfig
package import WireService

/// Writes values the way people of a language read them.
package protocol LanguageFormats: Sendable {
    /// Nil where the value cannot be shown so: text that is no moment, a number that is none. Now is in milliseconds since
    /// 1970.
    func text(of value: JSONValue, as form: ValueForm, _ choices: FormatChoices, now: Int64) -> String?
}

/// What is up to the file, or to whoever asks.
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
    /// What stands for a value that is missing or cannot be shown.
    package var fallback = ""

    package init() {}
}

/// Writes values the way the `formatting` section of the file says; as an empty one would where there is none.
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

    /// The fallback of the file where the value cannot be shown so.
    package func text(of value: JSONValue, as form: ValueForm) -> String {
        let choices = choices
        return text(of: value, as: form, choices) ?? choices.fallback
    }

    /// By other choices; nil where the value cannot be shown so.
    package func text(of value: JSONValue, as form: ValueForm, _ choices: FormatChoices) -> String? {
        formats.text(of: value, as: form, choices, now: now())
    }
}

extension Ability where Value == DeclaredFormats {
    package static var declaredFormats: Ability<DeclaredFormats> { Ability(Provision(.runner, "declared formats")) }
}
