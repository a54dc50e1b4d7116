package import WireFormattingContract

extension FormattingSection {
    /// The choices of the section for formatting values.
    package var choices: FormatChoices {
        var choices = FormatChoices()
        (choices.locale, choices.timeZone) = (locale, timeZone)
        (choices.date, choices.time, choices.pattern) = (dateStyle, timeStyle, datePattern)
        (choices.groupsNumbers, choices.fractionDigits) = (numberGrouping, maxFractionDigits)
        (choices.currency, choices.units, choices.sizes) = (currency, units, sizes)
        choices.fallback = fallback
        return choices
    }
}
