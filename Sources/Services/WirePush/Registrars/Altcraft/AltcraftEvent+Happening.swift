import WirePushContract
import WireService

extension AltcraftEvent {
    /// The row of an event; nil where the SDKs have no number for it.
    static func of(_ happening: PushServerEvent) -> Self? {
        switch happening {
        case .configured: configured
        case .token: providerSet
        case .received: received
        case .posted: posted
        case .cleared: cleared
        case .strangeAnswer: strangeAnswer
        case .operation(let kind, let outcome): of(kind, outcome)
        case .waits(.signIn): noUserTag
        case .waits(.token): noToken
        case .waits(.permission): noPermission
        case .waits: nil
        case .rejected(let rejection): of(rejection)
        case .unauthorized(.absent): noJWT
        case .unauthorized(.unreadable): badJWT
        case .unauthorized(.unfit): noMatching
        case .unusable(.noID): noID
        case .unusable(.noButtons): noButtons
        }
    }

    private static func of(_ rejection: PushServerEvent.Rejection) -> Self {
        switch rejection {
        case .noUser: noUserTagAsked
        case .notStored: notStored
        case .notDeletable: notDeletable
        case .noToken: noStatusData
        case .notJSON: notJSON
        case .notPlain: notPlain
        case .strangeChannel: strangeSubscription
        }
    }
}
