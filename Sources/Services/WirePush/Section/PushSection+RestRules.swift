import WireBase
import WireConfig

/// The rules of servers whose requests the file writes out, and of those that learn of tokens with the device.
extension PushSection {
    func check(_ account: HaloAccount, named name: String, at place: Place, _ checks: inout Checks) {
        checks.need(
            Provision(.device),
            .haloNeedsDevice,
            at: place,
            "push.registrars.\(name) tells the token with the device, and no section keeps the device",
            help: "write \(setting: "device: {}") at the top of the file"
        )
    }

    func check(_ account: RestAccount, named name: String, _ checks: inout Checks) {
        let path = "push.registrars.\(name)"
        if account.authorization != .none {
            let isOfUser = account.authorization == .user
            checks.need(
                isOfUser ? Provision(.accessTokens, "user") : Provision(.accessTokens),
                .registrarNeedsSignIn,
                at: account.$authorization,
                "\(path) sends a token of '\(account.authorization.rawValue)', and no section \(isOfUser ? "signs users in" : "gives tokens")",
                help: "add an 'auth' section, or write \(setting: "authorization: none")"
            )
            checks.needTokenHost(
                of: account.url,
                at: account.$authorization,
                "\(path).authorization",
                orElse: "authorization: none",
                from: account.$url
            )
            if account.apiKey != nil, account.apiKeyHeader.text.lowercased() == "authorization" {
                checks.report(
                    .takenHeader,
                    at: account.$apiKeyHeader,
                    "\(path).apiKeyHeader is the header that carries the user's token",
                    help: "write the header the server reads the API key from, 'x-api-key' for instance"
                )
            }
        }
        check(account.register, "\(path).register", &checks)
        if let update = account.update { check(update, "\(path).update", &checks) }
        if let unregister = account.unregister { check(unregister, "\(path).unregister", &checks) }
        let events = [
            ("delivery", account.events.delivery), ("open", account.events.open), ("dismiss", account.events.dismiss),
        ]
        for (event, request) in events {
            guard let request else { continue }
            check(request, "\(path).events.\(event)", besides: RestValues.eventNames, &checks)
        }
        if account.pushID == nil, account.$pushID.state == .absent, events.contains(where: { $0.1 != nil }) {
            checks.report(
                .eventsWithoutPushID,
                at: account.$events,
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
