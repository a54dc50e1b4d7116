import FoundationEssentials
import FoundationInternationalization
import WireConfig
import WireFormattingContract
import WireService

extension Reader {
    func list(_ items: [String], _ conjunction: Conjunction) -> String {
        items.formatted(.list(type: conjunction == .or ? .or : .and).locale(locale))
    }

    func plural(_ amount: Amount, _ words: PluralWords) -> String {
        let category = PluralRules.category(of: amount.double, in: choices.locale)
        return words.words(for: amount.double, in: category)
            .split(separator: "#", omittingEmptySubsequences: false)
            .joined(separator: number(amount, nil))
    }

    func name(_ person: Person, _ style: NameStyle) -> String { person.name(style, in: choices.locale) }
}
