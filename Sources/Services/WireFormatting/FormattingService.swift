package import WireConfig
package import WireHTTP
package import WireService

/// Writes values for people, where the app asks for it; templates of the file are filled by the same formats.
package final class FormattingService: Service {
    package typealias Settings = FormattingSection

    private let formats: DeclaredFormats
    private let settings: FormattingSection

    private init(_ formats: DeclaredFormats, _ settings: FormattingSection) {
        (self.formats, self.settings) = (formats, settings)
    }

    package static func prepare(_ settings: FormattingSection, in host: ServiceHost) async throws -> FormattingService {
        guard let formats = host.find(.declaredFormats) else {
            throw MissingCapability("this program knows no languages")
        }
        return FormattingService(formats, settings)
    }

    package static let operations = FormattingRoutes.operations
    package var routes: [Route] { FormattingRoutes(self).routes }

    /// Fills a template by the file's choices, or by others.
    package func fill(
        _ template: Template,
        with values: JSONValue,
        for reader: FormatReader = FormatReader()
    ) throws(TemplateFilling.Failure) -> String {
        var choices = settings.choices
        if let locale = reader.locale { choices.locale = locale }
        if let zone = reader.timeZone { choices.timeZone = zone }
        let (formats, chosen) = (formats, choices)
        let filling = TemplateFilling(
            formats: { formats.text(of: $0, as: $1, chosen) ?? chosen.fallback },
            finding: { values.value(at: $0) }
        )
        return try filling.fill(template)
    }
}

/// Whoever reads what is written, where that is not whom the file has in mind.
package struct FormatReader: Sendable {
    package var locale: LanguageTag?
    package var timeZone: TimeZoneName?

    package init(locale: LanguageTag? = nil, timeZone: TimeZoneName? = nil) {
        (self.locale, self.timeZone) = (locale, timeZone)
    }
}
