package import WireConfig
package import WireService

/// The notifications that declared subscriptions of a GraphQL server bring.
package protocol SubscriptionMessages: Sendable {
    /// What has come and was not taken yet, and what comes; one listener at a time.
    func messages() -> AsyncStream<SubscriptionMessage>
}

/// One notification of a subscription.
package struct SubscriptionMessage: Sendable {
    /// The name of the subscription in the file.
    package let subscription: String
    package let payload: JSONValue

    package init(_ subscription: String, _ payload: JSONValue) {
        (self.subscription, self.payload) = (subscription, payload)
    }
}

extension ServiceAbility where Value == any SubscriptionMessages {
    package static var subscriptionMessages: Self {
        Self(Provision(.operation, "subscription messages"))
    }
}
