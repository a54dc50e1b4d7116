import WireHTTP

/// The handling of a response that may be a redirect.
enum Redirection {
    /// Deliver the response to the caller.
    case deliver
    /// Send the next request.
    case follow(Hop)

    /// Decides by RFC 9110, section 15.4, and by the request's limits.
    ///
    /// A redirect that would require a different request is delivered as it is: one whose body was read already, or
    /// must go to another host. A redirect that would bypass a protection fails.
    static func decide(
        _ head: ResponseHead,
        of hop: Hop,
        by rule: OutgoingRequest.Redirects,
        after followed: Int
    ) throws(TransferFailure) -> Redirection {
        let limit: Int
        switch rule {
        case .none: return .deliver
        case .unchanged(let count):
            guard [307, 308].contains(head.status.code) else { return .deliver }
            limit = count
        case .sameHost(let count), .anywhere(let count): limit = count
        }
        let locations = head.fields.values(of: "Location")
        guard [301, 302, 303, 307, 308].contains(head.status.code), locations.count == 1, let location = locations.first
        else { return .deliver }
        let url = try destination(location, from: hop)
        let staysAtServer = url.origin == hop.url.origin
        guard staysAtServer || (hop.socket == nil && rule.leads(to: url, from: hop.url)) else { return .deliver }
        guard var next = hop.redirected(by: head.status) else { return .deliver }
        guard staysAtServer || !next.hasBody else { return .deliver }
        guard followed < limit else {
            throw TransferFailure(
                .tooManyRedirects,
                "\(hop.url.origin) redirects again after \(followed) redirects, expected at most \(limit)",
                wasNotSent: false
            )
        }
        next.url = url
        if !staysAtServer { next.fields = next.fields.shownToOthers }
        do throws(TransferFailure) {
            try next.checkTransport()
        } catch {
            throw TransferFailure(error.kind, "a redirect was rejected: \(error.reason)", wasNotSent: false)
        }
        return .follow(next)
    }

    private static func destination(_ location: String, from hop: Hop) throws(TransferFailure) -> RequestURL {
        let url: RequestURL
        do throws(TransferFailure) {
            url = try hop.url.resolving(location)
        } catch {
            throw TransferFailure(
                .protocolError,
                "\(hop.url.origin) redirects to an invalid URL: \(error.reason)",
                wasNotSent: false
            )
        }
        guard url.isSecure || !hop.url.isSecure else {
            throw TransferFailure(
                .forbidden,
                "\(hop.url.origin) redirects to \(url.origin), from https to http",
                wasNotSent: false
            )
        }
        return url
    }
}

extension OutgoingRequest.Redirects {
    /// Whether the rules permit another origin.
    fileprivate func leads(to url: RequestURL, from former: RequestURL) -> Bool {
        switch self {
        case .none, .unchanged: false
        case .sameHost: url.isUpgrade(of: former)
        case .anywhere: true
        }
    }
}

extension Hop {
    /// Returns the request in its new form at the old URL; nil where its body cannot be sent again.
    fileprivate func redirected(by status: Status) -> Hop? {
        var next = self
        let becomesGet = status.code == 303 ? method != .get && method != .head : method == .post && status.code < 303
        if becomesGet {
            next.method = .get
            next.body = .none
            next.fields = next.fields.withoutContent
        } else if case .stream = body {
            return nil
        }
        return next
    }
}

extension Fields {
    /// The fields without those that describe a body.
    fileprivate var withoutContent: Fields {
        kept { name in !name.lowercased().hasPrefix("content-") && !name.isSameField(as: "Expect") }
    }

    /// The fields that contain no secrets and belong to no host.
    ///
    /// This is a list of permitted fields, since tokens may be in fields of any name.
    fileprivate var shownToOthers: Fields {
        let harmless = [
            "Accept", "Accept-Encoding", "Accept-Language", "Cache-Control", "If-Modified-Since", "If-None-Match",
            "If-Range", "Range", "User-Agent",
        ]
        return kept { name in harmless.contains { name.isSameField(as: $0) } }
    }

    private func kept(_ isKept: (String) -> Bool) -> Fields {
        var fields = Fields()
        for field in all where isKept(field.name) { fields.add(field.name, field.value) }
        return fields
    }
}
