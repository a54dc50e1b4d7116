package import WireConfig

extension FormattingSection {
    /// The rules across the keys of the section.
    package func check(_ checks: inout Checks) {
        if datePattern != nil {
            for (name, place) in [("dateStyle", $dateStyle), ("timeStyle", $timeStyle)] where place.isWritten {
                checks.report(
                    .patternAndStyle,
                    at: place,
                    "formatting.\(name) has no effect with 'datePattern'",
                    related: ($datePattern, "the pattern in use")
                )
            }
        } else if dateStyle == .none, timeStyle == .none, $datePattern.state == .absent {
            checks.report(
                .nothingOfTime,
                at: $dateStyle.isWritten ? $dateStyle : $timeStyle,
                "formatting shows neither the day nor the time of a date",
                help: "change 'dateStyle' or 'timeStyle'"
            )
        }
    }
}
