package import WireBase
package import WireConfig

/// The URL and the token of a request, determined in the same way when the request is queued and when it is sent.
package struct CallTarget: Sendable {
    package let url: WebURL
    /// The token for the server of the URL.
    package let authorization: ServerCall.Authorization

    /// Determines the target; throws where the request can never be sent.
    ///
    /// `base` is the base URL of the environment; `tokenOrigins` are further origins that may receive tokens.
    package init(of call: ServerCall, base: WebURL?, tokenOrigins: Set<Origin>) throws(CallFailure) {
        url = try call.destination.url(below: base)
        let schemes = call.isConnection ? ["mqtts", "mqtt"] : ["https", "http"]
        guard schemes.contains(url.scheme) else {
            throw CallFailure(
                .noAddress,
                "the address has scheme \(url.scheme.quoted), expected \(schemes.joined(separator: " or "))",
                wasNotSent: true
            )
        }
        let isTrusted = url.origin == base?.origin || tokenOrigins.contains(url.origin)
        authorization = isTrusted ? call.authorization : try Self.authorization(of: call, strange: url.origin)
    }

    /// Other origins receive no token: a default token is omitted, and an explicit one is an error.
    private static func authorization(
        of call: ServerCall,
        strange origin: Origin
    ) throws(CallFailure) -> ServerCall.Authorization {
        guard case .token = call.authorization else { return .none }
        throw CallFailure(
            .forbidden,
            "a token would go to \(origin.server.quoted), which is not the server of the base URL",
            help:
                "name the server in 'network.tokenHosts' if it may receive the token, or send the request without one",
            wasNotSent: true,
            origin: call.place
        )
    }
}

extension ServerCall.Destination {
    /// Parses an address from a program or a service: a whole URL, or a path below the base URL with its query.
    package init(parsing text: String) throws(Fault) {
        // A query may contain a secret and is not shown.
        let shown = String(text.prefix { $0 != "?" && $0 != "#" })
        if let slip = AddressTerms.endpoint.slip(in: shown, expected: "a URL, or a path below the base URL") {
            let found = slip.hidesText ? "something else" : "the address \(shown.quoted)"
            throw Fault("found \(found), expected \(slip.expected ?? "another")", help: slip.advice)
        }
        guard let parts = URLParts(text) else {
            throw Fault("found an invalid character, expected a URL or a path, percent-encoded")
        }
        guard parts.fragment == nil else {
            throw Fault("a fragment ('#') is never sent; remove it")
        }
        guard parts.scheme != nil || parts.authority != nil else {
            if let flaw = TargetPath.flaw(below: parts.path, query: parts.query) { throw Fault(flaw) }
            self = .path(parts.path, query: parts.query)
            return
        }
        if let flaw = TargetPath.flaw(ofPath: parts.path) { throw Fault(flaw) }
        do throws(Misread) {
            self = .address(try Address(parsing: text))
        } catch {
            throw Fault(
                "invalid address, expected \(error.expected ?? "a URL such as https://api.example.com/x")"
            )
        }
    }

    /// The URL relative to a base URL.
    fileprivate func url(below base: WebURL?) throws(CallFailure) -> WebURL {
        switch self {
        case .address(let address): return try Self.target(address, base)
        case .below(let address, let path, let query):
            let url = try Self.target(address, base)
            return try CallFailure.rethrowing(try url.below(path, query: query))
        case .path(let path, let query):
            let base = try Self.present(base)
            return try CallFailure.rethrowing(try base.below(path, query: query))
        }
    }

    private static func target(_ address: Address, _ base: WebURL?) throws(CallFailure) -> WebURL {
        if let absolute = address.absolute { return absolute }
        let base = try present(base)
        return try CallFailure.rethrowing(try address.target(below: base))
    }

    private static func present(_ base: WebURL?) throws(CallFailure) -> WebURL {
        if let base { return base }
        throw CallFailure(
            .noAddress,
            "the environment has no base URL",
            help: "set 'baseUrl', or 'backend: embedded'",
            wasNotSent: true
        )
    }
}
