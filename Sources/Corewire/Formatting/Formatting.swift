import WireBase
import WireConfig
import WireFormatting
import WireFormattingContract
import WireHTTP
import WireRuntime

extension Corewire {
    /// Localized values: the section `formatting`, as in the local API.
    ///
    /// Uses the current generation, so it stays valid across reloads and switches.
    public var formatting: Formatting { Formatting(corewire: self) }

    /// Formats values for users.
    ///
    /// ```swift
    /// // formatting: { locale: de-DE, timeZone: Europe/Berlin }
    /// let text = try corewire.formatting.fill(
    ///     "{{ count | plural: \"one: eine Aufgabe; other: # Aufgaben\" }} bis {{ due | date: long }}",
    ///     with: ["count": 3, "due": "2027-03-01"]
    /// )
    /// ```
    ///
    /// Holding this value keeps ``Corewire`` alive.
    public struct Formatting: Sendable {
        let corewire: Corewire

        /// Fills a template; the default language and time zone are those of the file.
        public func fill(
            _ template: String,
            with values: [String: FormattedValue],
            locale: String? = nil,
            timeZone: String? = nil
        ) throws(CorewireError) -> String {
            guard let service = corewire.runner.find(FormattingService.self) else {
                throw CorewireError(without: .formatting, in: corewire.runner.status)
            }
            var request = FormatRequest(template)
            request.values = JSONMap(values.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value.json) })
            (request.locale, request.timeZone) = (locale, timeZone)
            return try CorewireError.wrapping { () throws(FormattingFailure) in try service.fill(request) }
        }
    }

    /// A value for a template.
    public enum FormattedValue: Sendable, Hashable {
        /// Text, or a timestamp in ISO 8601 format.
        case text(String)
        /// A whole number, or a timestamp in seconds or milliseconds since 1970.
        case integer(Int)
        /// Any other number.
        case number(Double)
        /// True or false.
        case boolean(Bool)
        /// Several values.
        case list([FormattedValue])
        /// Named values.
        case members([String: FormattedValue])

        var json: JSONValue {
            switch self {
            case .text(let text): .string(text)
            case .integer(let value): .integer(value)
            case .number(let value): .number(value)
            case .boolean(let value): .boolean(value)
            case .list(let items): .array(items.map(\.json))
            case .members(let members):
                .object(members.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value.json) })
            }
        }
    }
}

extension Area {
    static let formatting = Area(section: FormattingSection.name, help: "add the section 'formatting' with a 'locale'")
}

extension Corewire.FormattedValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// A whole number.
    public init(integerLiteral value: Int) { self = .integer(value) }
    /// Any other number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// Several values.
    public init(arrayLiteral elements: Corewire.FormattedValue...) { self = .list(elements) }
    /// Named values; the last one of equal names is used.
    public init(dictionaryLiteral elements: (String, Corewire.FormattedValue)...) {
        self = .members(Dictionary(elements) { $1 })
    }
}
