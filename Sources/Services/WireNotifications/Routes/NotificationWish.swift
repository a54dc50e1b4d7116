import WireBase
import WireConfig
import WireHTTP
import WireService

/// The body of a request that brings a notification: in corewire's own form, or as a server has sent it.
struct NotificationWish: Sendable {
    let content: NotificationEnvelope.Content
    let carrier: String?
    private let lifetime: Duration?

    func expires(at now: Int64) -> Int64? { lifetime.map { now + $0.milliseconds } }

    init(_ request: Request) throws(Problem) {
        self = try request.json { members throws(Problem) in try NotificationWish(&members) }
        guard case .local(let wish) = content, wish["silent"]?.boolean != true, wish["title"] == nil,
            wish["body"] == nil
        else { return }
        let detail = "a notification that is not silent has a title or a body"
        throw Problem(.badRequest, "invalid-body", "the body is not as expected", detail: detail)
    }

    private init(_ members: inout JSONMembers) throws(Problem) {
        if let payload = try members.value("payload") {
            guard payload.members != nil else { throw members.failure("expected an object", "payload") }
            carrier = try members.textIfAny("carrier")
            content = .push(payload)
            lifetime = nil
            return
        }
        var wish: [(key: String, value: JSONValue)] = []
        for name in ["id", "title", "subtitle", "body", "image", "sound", "link", "category", "collapseKey"] {
            if let text = try members.textIfAny(name) { wish.append((name, .string(text))) }
        }
        if let badge = try members.integerIfAny("badge", in: 0...1_000_000) { wish.append(("badge", .integer(badge))) }
        if let urgency = try members.word("urgency", as: PushUrgency.self) {
            wish.append(("urgency", .string(urgency.rawValue)))
        }
        let isSilent = try members.booleanIfAny("silent")
        if let isSilent { wish.append(("silent", .boolean(isSilent))) }
        if let data = try members.value("data") {
            guard data.members != nil else { throw members.failure("expected an object", "data") }
            wish.append(("data", data))
        }
        let buttons = try members.objects("buttons") { button throws(Problem) in
            JSONValue.members([
                "label": .string(try button.text("label")), "link": try button.textIfAny("link").map(JSONValue.string),
            ])
        }
        if let buttons {
            guard buttons.count <= 3 else {
                throw members.failure("found \(buttons.count) buttons, three can be shown", "buttons")
            }
            wish.append(("buttons", .array(buttons)))
        }
        if let text = try members.textIfAny("expires") {
            guard let given = try? Duration(parsing: text), given > .zero, given <= .seconds(365 * 86_400) else {
                throw members.failure("found \(text.quoted), expected a duration such as 10m", "expires")
            }
            lifetime = given
        } else {
            lifetime = nil
        }
        content = .local(.object(wish))
        carrier = nil
    }

    static let schema = JSONSchema.object([
        .optional("payload", "A push as its server sent it; then nothing else but 'carrier' is said.", .anything),
        .optional("carrier", "What whoever carried that push calls it.", .text.orNull),
        .optional("id", "The same id is the same notification; made where absent.", .text(from: 1, upTo: 200).orNull),
        .optional("title", "Its title.", .text.orNull), .optional("subtitle", "The line under it.", .text.orNull),
        .optional("body", "Its text.", .text.orNull), .optional("image", "The URL of a picture.", .text.orNull),
        .optional("sound", "The sound it comes with.", .text.orNull),
        .optional("badge", "What the number on the app's icon becomes.", .integer(in: 0...1_000_000).orNull),
        .optional("link", "What a tap leads to.", .text.orNull),
        .optional("category", "What kind it is.", .text.orNull),
        .optional("collapseKey", "What was shown with the same key is replaced by it.", .text.orNull),
        .optional("urgency", "How much it matters.", .words(PushUrgency.allCases.map(\.rawValue)).orNull),
        .optional("silent", "Whether it is for the program alone.", .boolean.orNull),
        .optional("data", "What conditions and templates of handlers see.", .anything),
        .optional("buttons", "Up to three.", .array(of: button).orNull),
        .optional("expires", "How long it is of use, such as 10m.", .text.orNull),
    ]).named("NotificationWish")

    private static let button = JSONSchema.object([
        .required("label", "What it says.", .text), .optional("link", "What it leads to.", .text.orNull),
    ])
}
