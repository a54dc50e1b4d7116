import WireAddonContract
package import WireConfig

/// The messages between corewire and add-ons as JSON Schema draft-07: every line matches one of the definitions.
package enum AddonSchema {
    package static var value: JSONValue {
        .members([
            "$schema": .string("http://json-schema.org/draft-07/schema#"),
            "$id": .string("https://corewire.dev/schemas/addon-protocol.schema.json"),
            "title": .string("Messages between corewire and an add-on, protocol \(AddonProtocol.version)"),
            "description": .string(
                "One JSON object per line, in UTF-8. corewire sends 'hello' first; the add-on responds with 'ready'. See docs/addons.md."
            ),
            "oneOf": .array(
                ["hello", "tell", "ask", "withdraw", "missed", "stop", "ready", "answer", "log"].map { reference($0) }
            ),
            "definitions": .object([
                ("hello", hello), ("tell", tell), ("ask", ask), ("withdraw", withdraw), ("missed", missed),
                ("stop", object("stop", "A request to stop; standard input ends after this line.")),
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
            "An event; no answer is expected.",
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
            "A question. Without an answer before the timeout nothing is changed.",
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
            "The question with this id is withdrawn; an answer is ignored.",
            required: [("id", integer)]
        )
    }

    private static var flow: JSONValue { .members(["enum": words(["browser", "device", "addon"])]) }

    private static var missed: JSONValue {
        object(
            "missed",
            "The number of messages dropped because the add-on read too slowly.",
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
            "The first line of the add-on. 'hooks' lists the hooks whose events the add-on receives, among those that the file allows (default: all); 'answers' lists those it answers (default: none).",
            required: [("protocol", .members(["const": .integer(AddonProtocol.version)]))],
            optional: [("hooks", list(of: names)), ("answers", list(of: questions)), ("version", text)]
        )
    }

    private static var answer: JSONValue {
        object(
            "answer",
            "The answer to the question with this id. Without further members nothing is changed. For a device: the changed members, null to remove one. For a notification: 'veto' with the reason to drop it, or 'present' with the way to show it. For a request: 'refuse' with the reason to reject the request. For a link: whether the add-on opened the link. For a sign-in: depending on 'flow', the callback address, a user name and a password, or a network and its token; or 'refuse' with the reason.",
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
            "A line for the log of corewire; standard error is logged too.",
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
