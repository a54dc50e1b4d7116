package import WireConfig
package import WireHTTP

/// Something that happened in the app, as Altcraft's pixel takes it; kept so while it waits.
package struct MobileEvent: JSONRecord {
    /// The pixel it is for (`sid`).
    package var siteID: String
    package var name: String
    /// Who it is, as the web SDK knows it (`altcraftClientID`).
    package var clientID: String?
    package var payload: JSONValue?
    /// The id of the push it comes from.
    package var push: String?
    package var matchingType: String?
    package var matching, subscription, profileFields: JSONValue?
    package var utm = UTM()

    package init(siteID: String, name: String) { (self.siteID, self.name) = (siteID, name) }

    package static let form = JSONForm<Self>("MobileEvent", "Something that happened in the app.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) { self = try members.mobileEvent { $0 } }
}

extension MobileEvent {
    /// Where the user came from, as links tell it.
    package struct UTM: JSONRecord, Equatable {
        package var campaign, content, keyword, medium, source, temp: String?

        package init() {}

        package static let form = JSONForm<Self>("PushUTM", "Where the user came from.")

        package init(_ members: inout Members<Self>) throws(JSONMismatch) {
            campaign = try members.optional("campaign", \.campaign, "As links tell it.")
            content = try members.optional("content", \.content, "As links tell it.")
            keyword = try members.optional("keyword", \.keyword, "As links tell it.")
            medium = try members.optional("medium", \.medium, "As links tell it.")
            source = try members.optional("source", \.source, "As links tell it.")
            temp = try members.optional("temp", \.temp, "As links tell it.")
        }
    }
}

extension Members {
    /// The members of an event, among those of what it is sent with.
    mutating func mobileEvent(_ get: @escaping @Sendable (Record) -> MobileEvent) throws(JSONMismatch) -> MobileEvent {
        var event = MobileEvent(
            siteID: try required("sid", { get($0).siteID }, "The pixel it is for.", .example("12")),
            name: try required("name", { get($0).name }, "What happened.", .example("cart.opened"))
        )
        event.clientID = try optional("clientId", { get($0).clientID }, "Who it is, as the web SDK knows it.")
        event.payload = try present("payload", { get($0).payload }, "What is to be known about it.")
        event.push = try optional("push", { get($0).push }, "The id of the push it comes from.")
        event.matchingType = try optional(
            "matchingType",
            { get($0).matchingType },
            "How the platform finds the profile; as the JWT says when absent."
        )
        event.matching = try present(
            "matching",
            { get($0).matching },
            "Which profile it is; as the JWT says when absent."
        )
        event.subscription = try present("subscription", { get($0).subscription }, "A subscription of the profile.")
        event.profileFields = try present("profileFields", { get($0).profileFields }, "Fields of the profile.")
        let utm = try optional(
            "utm",
            { record in
                let utm = get(record).utm
                return utm == MobileEvent.UTM() ? nil : utm
            },
            "Where the user came from."
        )
        if let utm { event.utm = utm }
        return event
    }
}
