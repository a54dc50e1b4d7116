import FoundationEssentials
import FoundationInternationalization
import WireConfig
import WireFormattingContract
import WireService

extension Reader {
    func number(_ number: Amount, _ digits: Int?) -> String {
        number.decimal.formatted(
            Decimal.FormatStyle(locale: locale).grouping(choices.groupsNumbers ? .automatic : .never)
                .precision(.fractionLength(0...(digits ?? choices.fractionDigits)))
        )
    }

    func percent(_ part: Amount) -> String {
        part.decimal.formatted(
            Decimal.FormatStyle.Percent(locale: locale).grouping(choices.groupsNumbers ? .automatic : .never)
                .precision(.fractionLength(0...choices.fractionDigits))
        )
    }

    /// Formats money; nil without a currency.
    func money(_ amount: Amount, _ code: CurrencyCode?) -> String? {
        guard let code = code ?? choices.currency else { return nil }
        return amount.decimal.formatted(
            Decimal.FormatStyle.Currency(code: code.text, locale: locale)
                .grouping(choices.groupsNumbers ? .automatic : .never)
        )
    }

    /// Formats a size; nil beyond the largest one.
    func bytes(_ count: Double) -> String? {
        guard let count = Int64(exactly: count.rounded()) else { return nil }
        return count.formatted(
            ByteCountFormatStyle(
                style: choices.sizes == .binary ? .memory : .decimal,
                spellsOutZero: false,
                locale: locale
            )
        )
    }
}
