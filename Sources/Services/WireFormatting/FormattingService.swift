import WireBase
import WireConfig
package import WireFormattingContract
package import WireHTTP
package import WireService

/// Formats values for the app; the templates of the file use the same formats.
package final class FormattingService: Service {
    package typealias Settings = FormattingSection

    private let formats: DeclaredFormats
    private let settings: FormattingSection

    private init(_ formats: DeclaredFormats, _ settings: FormattingSection) {
        (self.formats, self.settings) = (formats, settings)
    }

    package static func prepare(_ settings: FormattingSection, in host: ServiceHost) async throws -> FormattingService {
        guard let formats = host.find(.declaredFormats) else {
            throw MissingCapability("no languages available in this program")
        }
        return FormattingService(formats, settings)
    }

    package static let operations = FormattingRoutes.operations
    package var routes: [Route] { FormattingRoutes(self).routes }

    /// Fills a template with the file's choices, or those of the request.
    package func fill(_ request: FormatRequest) throws(FormattingFailure) -> String {
        let template = try template(request.template)
        var choices = settings.choices
        if let locale = request.locale { choices.locale = try parsed(locale, .invalidLocale) }
        if let zone = request.timeZone {
            choices.timeZone = try parsed(zone, .unknownTimeZone)
            guard formats.knows(choices.timeZone) else {
                throw FormattingFailure(.unknownTimeZone, "unknown time zone \(zone.quoted)")
            }
        }
        let (formats, chosen) = (formats, choices)
        let values = request.values?.json ?? .object([])
        let filling = TemplateFilling(
            formats: { formats.text(of: $0, as: $1, chosen) ?? chosen.fallback },
            finding: { values.value(at: $0) }
        )
        do throws(TemplateFilling.Failure) {
            return try filling.fill(template)
        } catch {
            throw FormattingFailure(.missingValue, error.description)
        }
    }

    private func template(_ text: String) throws(FormattingFailure) -> Template {
        do throws(Misread) {
            return try Template(parsing: text)
        } catch {
            throw FormattingFailure(
                .invalidTemplate,
                error.help ?? "expected \(error.expected ?? Template.textForm.noun)"
            )
        }
    }

    private func parsed<Value: TextValue>(
        _ text: String,
        _ kind: FormattingFailureKind
    ) throws(FormattingFailure) -> Value {
        do throws(Misread) {
            return try Value(parsing: text)
        } catch {
            let expected = error.expected ?? Value.textForm.noun
            throw FormattingFailure(kind, "found \(text.quoted), expected \(expected)", help: error.help)
        }
    }
}
