import WireAddonContract
import WireBase
import WireConfig
import WireDeviceContract
import WireNotificationContract
import WireService

/// The messages between corewire and an add-on: a JSON object a line, each with a `type`.
enum AddonProtocol {
    /// Both sides send it; there is no other version.
    static let version = 1

    static func hello(_ settings: AddonSettings, app: AppSection?, environment: String?) -> [UInt8] {
        line(
            .members([
                "type": .string("hello"), "corewire": .integer(version), "name": .string(settings.name),
                "app": app.map { app in
                    .members(["id": .string(app.id.text), "version": app.version.map { .string("\($0)") }])
                },
                "environment": environment.map(JSONValue.string),
                "hooks": .array(settings.points.all.map { .string($0.name) }),
                "timeout": .integer(Int(settings.timeout.inMicroseconds / 1_000)),
                "maxMessageSize": .integer(settings.messageLimit.bytes),
            ])
        )
    }

    static func notification(_ moment: AddonMoment) -> [UInt8] {
        line(.object([("type", .string("tell")), ("hook", .string(moment.point.name))] + moment.members))
    }

    static func ask(_ id: Int, _ question: AddonQuestion) -> [UInt8] {
        line(
            .object(
                [("type", .string("ask")), ("id", .integer(id)), ("hook", .string(question.point.name))]
                    + question.members
            )
        )
    }

    /// Withdraws the question with this number.
    static func withdraw(_ id: Int) -> [UInt8] {
        line(.members(["type": .string("withdraw"), "id": .integer(id)]))
    }

    /// Reports the number of dropped messages.
    static func missed(_ count: Int) -> [UInt8] {
        line(.members(["type": .string("missed"), "count": .integer(count)]))
    }

    static let stop = line(.members(["type": .string("stop")]))

    private static func line(_ value: JSONValue) -> [UInt8] { value.bytes() + [UInt8(ascii: "\n")] }
}

extension AddonMoment {
    typealias Members = [(key: String, value: JSONValue)]

    /// The members of the message.
    var members: Members {
        let all: KeyValuePairs<String, JSONValue?> =
            switch self {
            case .starting, .ready, .draining, .stopping: [:]
            case .environmentWillChange(let from, let to), .environmentDidChange(let from, let to):
                ["from": from.map(JSONValue.string), "to": to.map(JSONValue.string)]
            case .environmentStayed(let name, let reason):
                ["environment": name.map(JSONValue.string), "reason": .string(reason)]
            case .deviceDidRegister(let device): ["device": device.told]
            case .tokenCame(let provider, let token):
                ["provider": .string(provider), "token": .string(token.reveal())]
            case .tokenFailed(let provider, let reason):
                ["provider": .string(provider), "reason": .string(reason)]
            case .response(let id, let button):
                ["notification": .string(id), "button": button.map(JSONValue.string)]
            case .requestDidPerform(let request, let end):
                [
                    "request": request.told, "status": end.status.map(JSONValue.integer),
                    "outcome": end.outcome.map(JSONValue.string), "reason": end.reason.map(JSONValue.string),
                    "attempts": .integer(end.attempts),
                    "milliseconds": .integer(Int(end.duration.inMicroseconds / 1_000)),
                ]
            case .signedIn(let mode, let user):
                [
                    "mode": .string(mode),
                    "user": user.map { .members(["subject": .string($0.subject), "issuer": .string($0.issuer)]) },
                ]
            case .signedOut(let mode, let reason): ["mode": .string(mode), "reason": .string(reason)]
            case .asked: [:]
            }
        if case .asked(let question) = self {
            // The address or the code would let an add-on that only listens take part in the sign-in.
            if case .signIn(let signInRequest) = question { return [("flow", .string(signInRequest.way.flow))] }
            return question.members
        }
        return all.compactMap { key, value in value.map { (key: key, value: $0) } }
    }
}

extension AddonQuestion {
    /// The members of the message.
    var members: AddonMoment.Members {
        switch self {
        case .deviceWillSetUp(let device), .deviceWillRegister(let device): [("device", device.told)]
        case .received(let notification): [("notification", notification.told)]
        case .request(let request): [("request", request.told)]
        case .link(let url): [("url", .string(url))]
        case .signIn(let signInRequest): signInRequest.told
        }
    }
}

extension AddonSignIn {
    fileprivate var told: AddonMoment.Members {
        let all: KeyValuePairs<String, JSONValue?> =
            switch way {
            case .open(let url, let redirectURI): ["url": .string(url), "redirectUri": .string(redirectURI)]
            case .enter(let code, let uri, let complete):
                [
                    "userCode": .string(code), "verificationUri": .string(uri),
                    "completeUri": complete.map(JSONValue.string),
                ]
            case .credentials: [:]
            }
        let common: AddonMoment.Members = [("flow", .string(way.flow)), ("unattended", .boolean(patience == nil))]
        let time = patience.map { (key: "expiresIn", value: JSONValue.integer(Int($0.components.seconds))) }
        return common + all.compactMap { key, value in value.map { (key: key, value: $0) } } + (time.map { [$0] } ?? [])
    }
}

extension AddonSignIn.Way {
    /// The file's word for it.
    fileprivate var flow: String {
        switch self {
        case .open: "browser"
        case .enter: "device"
        case .credentials: "addon"
        }
    }
}

extension KnownDevice {
    fileprivate var told: JSONValue {
        .members([
            "id": id.map(JSONValue.string), "alias": .string(alias), "email": email.map(JSONValue.string),
            "tags": .object(
                tags.filter { $0.kind == .custom }.map { ($0.name, $0.value.map(JSONValue.string) ?? .null) }
            ),
            "systemTags": .object(
                tags.filter { $0.kind == .system }.map { ($0.name, $0.value.map(JSONValue.string) ?? .null) }
            ),
            "tokens": .object(tokens.map { ($0.platform, .string($0.token)) }),
        ])
    }
}

extension AddonRequest {
    fileprivate var told: JSONValue {
        .members(["method": .string(method), "url": .string(url), "service": .string(service)])
    }
}

extension HandedNotification {
    fileprivate var told: JSONValue {
        .members([
            "id": .string(id), "received": .integer(Int(received)), "silent": .boolean(push.isSilent),
            "registrar": push.registrar.map(JSONValue.string), "category": push.category.map(JSONValue.string),
            "title": push.title.map(JSONValue.string), "subtitle": push.subtitle.map(JSONValue.string),
            "body": push.body.map(JSONValue.string), "link": push.link.map(JSONValue.string),
            "image": push.image.map(JSONValue.string), "fields": push.fields,
        ])
    }
}
