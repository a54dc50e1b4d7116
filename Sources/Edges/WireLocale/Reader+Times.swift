import FoundationEssentials
import FoundationInternationalization
import WireConfig
import WireFormattingContract
import WireService

extension Reader {
    /// Formats a time by the file's settings; nil where these show nothing.
    func moment(_ date: Date) -> String? {
        if let pattern = choices.pattern { return moment(date, by: pattern) }
        return moment(date, date: choices.date, time: choices.time)
    }

    /// Formats a time; nil where no part is shown.
    func moment(_ date: Date, date day: TimeStyle, time: TimeStyle) -> String? {
        guard let style = Self.style(day, time, locale, zone) else { return nil }
        return style.format(date)
    }

    func relative(_ date: Date, now: Date) -> String {
        Date.AnchoredRelativeFormatStyle(
            anchor: date,
            presentation: .numeric,
            unitsStyle: .wide,
            locale: locale,
            calendar: calendar,
            capitalizationContext: .middleOfSentence
        )
        .format(now)
    }

    func duration(_ seconds: Double) -> String? {
        guard seconds.magnitude < 1e12 else { return nil }
        let whole = Duration.seconds(seconds.magnitude.rounded())
        let text = whole.formatted(
            .units(allowed: [.days, .hours, .minutes, .seconds], width: .abbreviated, maximumUnitCount: 2).locale(
                locale
            )
        )
        return seconds < 0 ? "-" + text : text
    }

    private static func style(_ day: TimeStyle, _ time: TimeStyle, _ locale: Locale, _ zone: TimeZone)
        -> Date.FormatStyle?
    {
        guard day != .none || time != .none else { return nil }
        var style = Date.FormatStyle(locale: locale, calendar: Calendar(identifier: .gregorian), timeZone: zone)
        switch day {
        case .none: break
        case .short: style = style.year(.twoDigits).month(.defaultDigits).day()
        case .medium: style = style.year().month(.abbreviated).day()
        case .long: style = style.year().month(.wide).day()
        case .full: style = style.year().month(.wide).day().weekday(.wide)
        }
        switch time {
        case .none: break
        case .short: style = style.hour().minute()
        case .medium: style = style.hour().minute().second()
        case .long: style = style.hour().minute().second().timeZone(.specificName(.short))
        case .full: style = style.hour().minute().second().timeZone(.specificName(.long))
        }
        return style
    }
}
