package import WireConfig
package import WireService

/// Notifications from declared GraphQL subscriptions.
package protocol SubscriptionMessages: Sendable {
    /// Yields unread and new messages; one subscriber at a time.
    func messages() -> AsyncStream<SubscriptionMessage>
}

/// A notification from a subscription.
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
