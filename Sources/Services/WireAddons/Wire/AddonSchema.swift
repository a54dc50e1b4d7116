import WireAddonContract
package import WireConfig

/// What corewire and add-ons say to each other, as JSON Schema draft-07: every line matches one of the definitions.
package enum AddonSchema {
    package static var value: JSONValue {
        .members([
            "$schema": .string("http://json-schema.org/draft-07/schema#"),
            "$id": .string("https://corewire.dev/schemas/addon-protocol.schema.json"),
            "title": .string("The lines between corewire and an add-on, protocol \(AddonProtocol.version)"),
            "description": .string(
                "A JSON object a line, in UTF-8. corewire begins with 'hello'; the add-on answers with 'ready'. docs/addons.md"
            ),
            "oneOf": .array(
                ["hello", "tell", "ask", "withdraw", "missed", "stop", "ready", "answer", "log"].map { reference($0) }
            ),
            "definitions": .object([
                ("hello", hello), ("tell", tell), ("ask", ask), ("withdraw", withdraw), ("missed", missed),
                ("stop", object("stop", "The add-on is to end; its standard input ends with it.")),
                ("ready", ready), ("answer", answer), ("log", log), ("hook", hook), ("question", question),
                ("device", device), ("request", request), ("notification", notification),
            ]),
        ])
    }

    // MARK: From corewire

    private static var hello: JSONValue {
        object(
            "hello",
            "The first line of corewire.",
            required: [
                ("corewire", .members(["const": .integer(AddonProtocol.version)])), ("name", text),
                ("hooks", list(of: reference("hook"))), ("timeout", integer), ("maxMessageSize", integer),
            ],
            optional: [
                (
                    "app",
                    .members(["type": .string("object"), "properties": .object([("id", text), ("version", text)])])
                ),
                ("environment", text),
            ]
        )
    }

    private static var tell: JSONValue {
        object(
            "tell",
            "Something that happens; nobody waits for anything.",
            required: [("hook", reference("hook"))],
            optional: [
                ("device", reference("device")), ("request", reference("request")),
                ("notification", .members(["anyOf": .array([reference("notification"), text])])), ("url", text),
                ("button", text), ("provider", text), ("token", text), ("from", text), ("to", text),
                ("environment", text), ("mode", text), ("flow", flow),
                (
                    "user",
                    .members(["type": .string("object"), "properties": .object([("subject", text), ("issuer", text)])])
                ),
                ("status", integer), ("outcome", text), ("reason", text), ("attempts", integer),
                ("milliseconds", integer),
            ]
        )
    }

    private static var ask: JSONValue {
        object(
            "ask",
            "A question; everything stays as it is where no answer comes in time.",
            required: [("id", integer), ("hook", reference("question"))],
            optional: [
                ("device", reference("device")), ("request", reference("request")),
                ("notification", reference("notification")), ("url", text),
                ("flow", flow), ("unattended", type("boolean")), ("expiresIn", integer), ("redirectUri", text),
                ("userCode", text), ("verificationUri", text), ("completeUri", text),
            ]
        )
    }

    private static var withdraw: JSONValue {
        object(
            "withdraw",
            "Nobody waits any more for the answer to the question of that id.",
            required: [("id", integer)]
        )
    }

    private static var flow: JSONValue { .members(["enum": words(["browser", "device", "addon"])]) }

    private static var missed: JSONValue {
        object(
            "missed",
            "So much was not told, since the add-on did not read it in time.",
            required: [("count", integer)]
        )
    }

    private static var device: JSONValue {
        let values = JSONValue.members([
            "type": .string("object"),
            "additionalProperties": .members(["type": .array([.string("string"), .string("null")])]),
        ])
        return .members([
            "type": .string("object"),
            "properties": .object([
                ("id", text), ("alias", text),
                ("email", .members(["type": .array([.string("string"), .string("null")])])),
                ("tags", values), ("systemTags", values), ("tokens", values),
            ]),
            "additionalProperties": .boolean(false),
        ])
    }

    private static var request: JSONValue {
        properties(required: [("method", text), ("url", text), ("service", text)])
    }

    private static var notification: JSONValue {
        properties(
            required: [("id", text), ("received", integer), ("silent", type("boolean")), ("fields", .boolean(true))],
            optional: [
                ("registrar", text), ("category", text), ("title", text), ("subtitle", text), ("body", text),
                ("link", text), ("image", text),
            ]
        )
    }

    // MARK: From the add-on

    private static var ready: JSONValue {
        let names = JSONValue.members(["anyOf": .array([reference("hook"), .members(["enum": words(groups)])])])
        let questions = JSONValue.members([
            "anyOf": .array([reference("question"), .members(["enum": words(groups)])])
        ])
        return object(
            "ready",
            "The first line of the add-on. 'hooks' is what it wants to be told of what the file lets it, all of it by default; 'answers' is what it wants to be asked, nothing by default.",
            required: [("protocol", .members(["const": .integer(AddonProtocol.version)]))],
            optional: [("hooks", list(of: names)), ("answers", list(of: questions)), ("version", text)]
        )
    }

    private static var answer: JSONValue {
        object(
            "answer",
            "The answer to the question of that id. Without more, everything stays as it is. For a device: what is to be changed of it, null taking away. For a notification: 'veto' why nothing is done with it, or 'present' how it is shown. For a request: 'refuse' why it is not made. For a link: whether it is opened. For a sign-in: what 'flow' asks for, the address that the browser was led to, a user name and a password, or a network and its token; or 'refuse' why no user is signed in.",
            required: [("id", integer)],
            optional: [
                ("device", reference("device")), ("veto", textOrNull),
                ("present", list(of: text)), ("refuse", textOrNull), ("opened", type("boolean")),
                ("callback", text), ("username", text), ("password", text), ("network", text), ("token", text),
            ]
        )
    }

    private static var log: JSONValue {
        object(
            "log",
            "A line for the log of corewire; standard error does as well.",
            required: [("message", text)],
            optional: [
                (
                    "level",
                    .members([
                        "enum": words(["debug", "info", "notice", "warning", "error"])
                    ])
                )
            ]
        )
    }

    // MARK: Names

    private static var hook: JSONValue {
        .members(["oneOf": .array(AddonPoint.allCases.map(described))])
    }

    private static var question: JSONValue {
        .members(["oneOf": .array(AddonPoint.allCases.filter(\.isQuestion).map(described))])
    }

    private static func described(_ point: AddonPoint) -> JSONValue {
        .members(["const": .string(point.name), "description": .string(point.meaning)])
    }

    private static var groups: [String] {
        AddonPoint.allCases.reduce(into: []) { if !$0.contains($1.group) { $0.append($1.group) } }
    }

    // MARK: Forms

    private static let text = type("string")
    private static let integer = type("integer")
    private static let textOrNull = JSONValue.members(["type": .array([.string("string"), .string("null")])])

    private static func type(_ name: String) -> JSONValue { .members(["type": .string(name)]) }
    private static func words(_ words: [String]) -> JSONValue { .array(words.map(JSONValue.string)) }
    private static func reference(_ name: String) -> JSONValue { .members(["$ref": .string("#/definitions/\(name)")]) }
    private static func list(of item: JSONValue) -> JSONValue { .members(["type": .string("array"), "items": item]) }

    private typealias Members = [(String, JSONValue)]

    private static func object(_ type: String, _ help: String, required: Members = [], optional: Members = [])
        -> JSONValue
    {
        let form = properties(
            required: [("type", .members(["const": .string(type)]))] + required,
            optional: optional
        )
        return .object([("description", .string(help))] + (form.members ?? []))
    }

    private static func properties(required: Members, optional: Members = []) -> JSONValue {
        .members([
            "type": .string("object"), "required": words(required.map(\.0)),
            "properties": .object((required + optional).map { (key: $0.0, value: $0.1) }),
            "additionalProperties": .boolean(false),
        ])
    }
}
