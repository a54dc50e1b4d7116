import WireBase
import WireConfig

/// The rules of servers whose requests stand in the file.
extension RestRegistrar {
    func check(_ path: String, at place: Place, of section: PushSection, _ checks: inout Checks) {
        if authorization != .none {
            let isOfUser = authorization == .user
            checks.need(
                isOfUser ? Provision(.accessTokens, "user") : Provision(.accessTokens),
                .registrarNeedsSignIn,
                at: $authorization,
                "\(path) sends a token of '\(authorization.rawValue)', and no section \(isOfUser ? "signs users in" : "gives tokens")",
                help: "add an 'auth' section, or write \(setting: "authorization: none")"
            )
            checks.needTokenHost(
                of: url,
                at: $authorization,
                "\(path).authorization",
                orElse: "authorization: none",
                from: $url
            )
            if apiKey != nil, apiKeyHeader.text.lowercased() == "authorization" {
                checks.report(
                    .takenHeader,
                    at: $apiKeyHeader,
                    "\(path).apiKeyHeader is the header that carries the user's token",
                    help: "write the header the server reads the API key from, 'x-api-key' for instance"
                )
            }
        }
        check(register, "\(path).register", &checks)
        if let update { check(update, "\(path).update", &checks) }
        if let unregister { check(unregister, "\(path).unregister", &checks) }
        let events = [
            ("delivery", self.events.delivery), ("open", self.events.open), ("dismiss", self.events.dismiss),
        ]
        for (event, request) in events {
            guard let request else { continue }
            check(request, "\(path).events.\(event)", besides: RestValues.eventNames, &checks)
        }
        if pushID == nil, $pushID.state == .absent, events.contains(where: { $0.1 != nil }) {
            checks.report(
                .eventsWithoutPushID,
                at: $events,
                "\(path).events are never sent, because nothing says by what its pushes are known",
                help: "write \(setting: "pushId: messageId"), the member of a push that holds its id"
            )
        }
    }

    private func check(
        _ request: RestRequest,
        _ path: String,
        besides names: [String] = [],
        _ checks: inout Checks
    ) {
        for (name, place) in request.headers.names where HeaderName.seemsToCarrySecret(name) {
            checks.report(
                .secretHeader,
                at: place,
                "\(path).headers.\(name) seems to carry a secret, which a template would show",
                help: "write 'apiKeyHeader' and 'apiKey' of the registrar, or 'authorization'"
            )
        }
        let templates: [(Template?, Place, String)] =
            [(request.path, request.$path, "path"), (request.body, request.$body, "body")]
            + request.headers.fields.items.map { ($0.value, $0.place, "headers.\($0.name)") }
        for (template, place, key) in templates {
            guard let template else { continue }
            let known = RestValues.names + names
            for variable in template.variables where !known.contains(variable) {
                let nearest = Nearest.name(to: variable, among: known)
                checks.report(
                    .unknownPushVariable,
                    at: place,
                    "\(path).\(key) uses \(variable.quoted), which nothing stands for here",
                    help: nearest.map { "did you mean '\($0)'?" } ?? "there are \(known.listed("and"))"
                )
            }
            for filter in template.foreignFilters {
                checks.report(
                    .unknownPushVariable,
                    at: place,
                    "\(path).\(key) uses the filter '\(filter)', which only notifications have",
                    help: "leave it out"
                )
            }
        }
    }
}

extension Code {
    fileprivate static let eventsWithoutPushID = Code(
        "CW1214",
        "events-without-push-id",
        .error,
        """
        Pushes of AeroGear, Altcraft and HALO are known by members of theirs. What tells the pushes of another server from \
        those of strangers is for the file to say: 'pushId' names the member that holds the id of a push.
        """
    )
    fileprivate static let unknownPushVariable = Code(
        "CW1215",
        "unknown-push-variable",
        .error,
        """
        The requests of a registrar of the type 'rest' are filled in with what is known of the token, the device and the \
        user: token, provider, oldToken, oldProvider, deviceId, alias, haloId, user, app, appVersion, environment, platform, \
        osVersion, deviceType, model, language, requestId, time; those that tell of a push also with pushId and event.
        """
    )
    fileprivate static let secretHeader = Code(
        "CW1216",
        "secret-header",
        .error,
        """
        Templates are shown wherever the file is shown. What is a secret has keys of its own, whose values are redacted \
        everywhere: 'apiKey' and 'apiKeyHeader', and 'authorization' for the token of the user.
        """
    )

    static let restCodes = [eventsWithoutPushID, unknownPushVariable, secretHeader]
}
