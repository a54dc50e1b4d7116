package import WireConfig
package import WireHTTP

/// An app event for Altcraft's pixel, as stored in the queue.
package struct MobileEvent: JSONRecord {
    /// The pixel id (`sid`).
    package var siteID: String
    package var name: String
    /// The client id of the web SDK (`altcraftClientID`).
    package var clientID: String?
    package var payload: JSONValue?
    /// The id of the push that led to the event.
    package var push: String?
    package var matchingType: String?
    package var matching, subscription, profileFields: JSONValue?
    package var utm = UTM()

    package init(siteID: String, name: String) { (self.siteID, self.name) = (siteID, name) }

    package static let form = JSONForm<Self>("MobileEvent", "An app event.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) { self = try members.mobileEvent { $0 } }
}

extension MobileEvent {
    /// The campaign parameters of a link.
    package struct UTM: JSONRecord, Equatable {
        package var campaign, content, keyword, medium, source, temp: String?

        package init() {}

        package static let form = JSONForm<Self>("PushUTM", "The campaign parameters of a link.")

        package init(_ members: inout Members<Self>) throws(JSONMismatch) {
            campaign = try members.optional("campaign", \.campaign, "The campaign.")
            content = try members.optional("content", \.content, "The content.")
            keyword = try members.optional("keyword", \.keyword, "The keyword.")
            medium = try members.optional("medium", \.medium, "The medium.")
            source = try members.optional("source", \.source, "The source.")
            temp = try members.optional("temp", \.temp, "The parameter 'utm_temp'.")
        }
    }
}

extension Members {
    /// Reads the members of an event within a larger record.
    mutating func mobileEvent(_ get: @escaping @Sendable (Record) -> MobileEvent) throws(JSONMismatch) -> MobileEvent {
        var event = MobileEvent(
            siteID: try required("sid", { get($0).siteID }, "The pixel id.", .example("12")),
            name: try required("name", { get($0).name }, "The name of the event.", .example("cart.opened"))
        )
        event.clientID = try optional("clientId", { get($0).clientID }, "The client id of the web SDK.")
        event.payload = try present("payload", { get($0).payload }, "The payload.")
        event.push = try optional("push", { get($0).push }, "The id of the push that led to the event.")
        event.matchingType = try optional(
            "matchingType",
            { get($0).matchingType },
            "The matching rule for the profile; by default that of the JWT."
        )
        event.matching = try present(
            "matching",
            { get($0).matching },
            "The profile to match; by default that of the JWT."
        )
        event.subscription = try present("subscription", { get($0).subscription }, "A subscription of the profile.")
        event.profileFields = try present("profileFields", { get($0).profileFields }, "Fields of the profile.")
        let utm = try optional(
            "utm",
            { record in
                let utm = get(record).utm
                return utm == MobileEvent.UTM() ? nil : utm
            },
            "The campaign parameters."
        )
        if let utm { event.utm = utm }
        return event
    }
}
