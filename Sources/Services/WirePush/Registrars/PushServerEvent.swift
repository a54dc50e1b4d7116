import WirePushContract

/// An event of a push server for which the SDKs of its platform may have a number.
enum PushServerEvent: Sendable, Hashable {
    /// The service runs with the registrar of the file.
    case configured
    /// A provider has given another token.
    case token
    case received, posted
    /// Registrations were cleared.
    case cleared
    /// A response with a status of success did not come from the server.
    case strangeAnswer
    case operation(PushOperation.Kind, PushOutcome)
    case waits(PushRegistrarReport.Obstacle)
    case rejected(Rejection)
    case unauthorized(TokenFlaw)
    case unusable(PushFlaw)

    /// Why a call is rejected.
    enum Rejection: Sendable, CaseIterable {
        case noUser, notStored, notDeletable, noToken, notJSON, notPlain, strangeChannel
    }

    /// The flaw of a user's token.
    enum TokenFlaw: Sendable, CaseIterable {
        case absent, unreadable, unfit
    }

    /// The member that a push lacks.
    enum PushFlaw: Sendable, CaseIterable {
        case noID, noButtons
    }
}

/// The result of a request.
package enum PushOutcome: Sendable, CaseIterable {
    case done
    /// It is final.
    case failed
    /// The request cannot be built yet.
    case held
    case triedAgain
}

/// A number of the SDKs with its meaning.
struct PushNumber: Sendable {
    let numbers: PushEventData.Numbers
    let meaning: String
}
