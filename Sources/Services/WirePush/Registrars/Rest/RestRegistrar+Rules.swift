import WireBase
import WireConfig

/// The rules of registrars with their own requests.
extension RestRegistrar {
    func check(_ path: String, at place: Place, of section: PushSection, _ checks: inout Checks) {
        if authorization != .none {
            let isOfUser = authorization == .user
            checks.need(
                isOfUser ? Provision(.accessTokens, "user") : Provision(.accessTokens),
                .registrarNeedsSignIn,
                at: $authorization,
                "\(path) sends a token of '\(authorization.rawValue)', and no section \(isOfUser ? "signs in users" : "provides tokens")",
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
                    help: "write the header of the API key, such as 'x-api-key'"
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
                "\(path).events are never sent without 'pushId', which identifies its pushes",
                help: "write \(setting: "pushId: messageId"), the member that holds the id of a push"
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
                "\(path).headers.\(name) seems to contain a secret, which a template would show",
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
                    "\(path).\(key) uses the unknown variable \(variable.quoted)",
                    help: nearest.map { "did you mean '\($0)'?" } ?? "known variables: \(known.listed("and"))"
                )
            }
            for filter in template.foreignFilters {
                checks.report(
                    .unknownPushVariable,
                    at: place,
                    "\(path).\(key) uses the filter '\(filter)', which only notifications support",
                    help: "remove the filter"
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
        Pushes of AeroGear, Altcraft and HALO are recognized by members of their own. For another server, set \
        'pushId' to the member that holds the id of a push.
        """
    )
    fileprivate static let unknownPushVariable = Code(
        "CW1215",
        "unknown-push-variable",
        .error,
        """
        Templates of a registrar of the type 'rest' may use these variables: token, provider, oldToken, oldProvider, \
        for Web Push endpoint, p256dh, auth, oldEndpoint; deviceId, alias, haloId, user, app, appVersion, environment, platform, osVersion, deviceType, model, \
        language, requestId, time; those of 'events' also pushId and event.
        """
    )
    fileprivate static let secretHeader = Code(
        "CW1216",
        "secret-header",
        .error,
        """
        Templates are shown wherever the file is shown. Write secrets with the keys that are redacted everywhere: \
        'apiKey' and 'apiKeyHeader', and 'authorization' for the token of the user.
        """
    )

    static let restCodes = [eventsWithoutPushID, unknownPushVariable, secretHeader]
}
