import WireBase
import WireConfig
import WireHTTP
import WireService

/// The local API of formats.
struct FormattingRoutes: RouteGroup {
    private let service: FormattingService

    init(_ service: FormattingService) { self.service = service }

    static let table: [RouteEntry<Self>] = [
        .init(
            .init(
                .post,
                "/v1/formatting",
                "Fill a template with values, in the language of the file or another one.",
                access: .read,
                body: .json(wish, upTo: .kibibytes(256)),
                answers: [
                    .json(
                        JSONSchema.object([.required("text", "What it came to.", .text)]).named("Formatted"),
                        "The text."
                    ),
                    .problem(
                        .unprocessableContent,
                        "no-such-value",
                        "The template asks for a value that is not there."
                    ),
                ]
            )
        ) { .work($0.fill) }
    ]

    private static let wish = JSONSchema.object([
        .required("template", "Text with places such as '{{ due | date: long }}'.", .text),
        .optional("values", "What the places are filled from.", .anything),
        .optional("locale", "The language, instead of that of the file (BCP 47).", .text.orNull),
        .optional("timeZone", "The time zone, instead of that of the file.", .text.orNull),
    ]).named("FormatWish")

    private func fill(_ request: Request) async throws -> Response {
        let (template, values, reader) = try request.json { (members) throws(Problem) in
            (
                try members.template("template"),
                JSONValue.object(try members.object("values") { (inner) throws(Problem) in try inner.all() } ?? []),
                FormatReader(
                    locale: try members.parsed("locale", as: LanguageTag.self),
                    timeZone: try members.parsed("timeZone", as: TimeZoneName.self)
                )
            )
        }
        do throws(TemplateFilling.Failure) {
            let text = try service.fill(template, with: values, for: reader)
            return .json(.members(["text": .string(text)]))
        } catch {
            throw Problem(
                .unprocessableContent,
                "no-such-value",
                "the template cannot be filled",
                detail: error.description
            )
        }
    }
}

extension JSONMembers {
    fileprivate mutating func template(_ name: String) throws(Problem) -> Template {
        let text = try text(name)
        do throws(Misread) {
            return try Template(parsing: text)
        } catch {
            throw failure(error.sentence(text.quoted, Template.textForm.noun), name)
        }
    }

    fileprivate mutating func parsed<Value: TextValue>(_ name: String, as type: Value.Type) throws(Problem) -> Value? {
        guard let text = try textIfAny(name) else { return nil }
        do throws(Misread) {
            return try Value(parsing: text)
        } catch {
            throw failure(error.sentence(text.quoted, Value.textForm.noun), name)
        }
    }
}

extension Misread {
    fileprivate func sentence(_ found: String, _ noun: String) -> String {
        "found \(found), expected \(expected ?? noun)" + (help.map { "; \($0)" } ?? "")
    }
}
