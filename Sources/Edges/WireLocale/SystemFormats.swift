import FoundationEssentials
import FoundationInternationalization
package import WireConfig
package import WireFormattingContract

/// Formats values in the languages of Swift's internationalization.
///
/// Initialized at the first use, so that the start of the runner is not delayed.
package struct SystemFormats: LanguageFormats {
    package init() {}

    package func text(of value: JSONValue, as form: ValueForm, _ choices: FormatChoices, now: Int64) -> String? {
        let reader = Reader(choices)
        switch form {
        case .moment: return value.moment.flatMap(reader.moment)
        case .date(let style): return value.moment.flatMap { reader.moment($0, date: style, time: .none) }
        case .time(let style): return value.moment.flatMap { reader.moment($0, date: .none, time: style) }
        case .pattern(let pattern): return value.moment.flatMap { reader.moment($0, by: pattern) }
        case .relative: return value.moment.map { reader.relative($0, now: Date(milliseconds: now)) }
        case .duration: return value.quantity.flatMap(reader.duration)
        case .number(let digits): return value.amount.map { reader.number($0, digits) }
        case .percent: return value.amount.map(reader.percent)
        case .currency(let code): return value.amount.flatMap { reader.money($0, code) }
        case .bytes: return value.quantity.flatMap(reader.bytes)
        case .list(let conjunction): return value.items.map { reader.list($0, conjunction) }
        case .plural(let words): return value.amount.map { reader.plural($0, words) }
        case .name(let style): return value.person.map { reader.name($0, style) }
        case .digits(let groups): return value.digits.map { DigitGroups.text(of: $0, groups) }
        case .length: return value.quantity.map { reader.measure($0, .length) }
        case .weight: return value.quantity.map { reader.measure($0, .weight) }
        case .temperature: return value.quantity.map { reader.measure($0, .temperature) }
        }
    }

    package func knows(_ zone: TimeZoneName) -> Bool { TimeZone(identifier: zone.text) != nil }
}

/// The formatting settings of a user: language, time zone, preferences.
struct Reader {
    let choices: FormatChoices
    let locale: Locale

    init(_ choices: FormatChoices) {
        self.choices = choices
        locale = Locale(identifier: choices.locale.text)
    }

    var zone: TimeZone { TimeZone(identifier: choices.timeZone.text) ?? .gmt }

    var calendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        (calendar.locale, calendar.timeZone) = (locale, zone)
        return calendar
    }
}
