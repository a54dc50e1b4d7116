import WirePushContract

/// Something that happens with a push server, for which the SDKs of its platform may have a number.
enum PushHappening: Sendable, Hashable {
    /// The service runs with the registrar of the file.
    case configured
    /// A provider has given another token.
    case token
    case received, posted
    /// Registrations were cleared.
    case cleared
    /// A good status came with what is no answer of the server.
    case strangeAnswer
    case errand(PushErrand.Kind, PushOutcome)
    case waits(PushRegistrarReport.Obstacle)
    case rejected(Rejection)
    case unauthorized(TokenFlaw)
    case unusable(PushFlaw)

    /// Why something that is asked for is not taken.
    enum Rejection: Sendable, CaseIterable {
        case noUser, notStored, notDeletable, noToken, notJSON, notPlain, strangeChannel
    }

    /// What is wrong with the token of the user.
    enum TokenFlaw: Sendable, CaseIterable {
        case absent, unreadable, unfit
    }

    /// What a push lacks.
    enum PushFlaw: Sendable, CaseIterable {
        case noID, noButtons
    }
}

/// How a request ended, or why it did not.
package enum PushOutcome: Sendable, CaseIterable {
    case done
    /// It is final.
    case failed
    /// There is nothing to make the request of yet.
    case held
    case triedAgain
}

/// A number of the SDKs, and what it means there.
struct PushNumber: Sendable {
    let numbers: PushEventData.Numbers
    let meaning: String
}
