import WireBase
import WireConfig
import WireHTTP
import WireWorkContract

/// The meaning of a server's answer for a queued mutation.
enum MutationAnswer {
    /// Nil where the answer was too long to be read.
    case confirmed(ServerResponse?)
    case failed(reason: String, ServerResponse?)
    case conflict(ConflictInfo, ServerResponse?)
    case again(String)

    /// The codes of errors that a later attempt may not meet.
    static let transientCodes: Set<String> = [
        "THROTTLED", "RATE_LIMITED", "UNAVAILABLE", "SERVICE_UNAVAILABLE", "UNAUTHENTICATED",
    ]
    /// The maximum body that the outbox provides.
    private static let longest = 1 << 20

    init(_ answer: OutboxAnswer, _ rules: ConflictRules) {
        let isDeclared = rules.statuses.contains(answer.status.code)
        let json = try? JSONValue(parsing: answer.body, named: "answer", limits: .graphQLAnswer, exactNumbers: true)
        guard let response = json.flatMap(ServerResponse.init) else {
            if isDeclared {
                self = .conflict(ConflictInfo(), nil)
            } else if answer.body.count >= Self.longest, !answer.isPage {
                self = .confirmed(nil)
            } else {
                self = .again("the server responded with status \(answer.status.code) without a GraphQL response")
            }
            return
        }
        guard !response.errors.isEmpty, response.isVoid else {
            self = isDeclared ? .conflict(ConflictInfo(), response) : .confirmed(response)
            return
        }
        let codes = response.errors.compactMap { $0["extensions"]?["code"]?.string }
        if let info = response.errors.lazy.compactMap(ConflictInfo.init).first {
            self = .conflict(info, response)
        } else if isDeclared || codes.contains(where: rules.codes.contains) {
            self = .conflict(ConflictInfo(), response)
        } else if let code = codes.first(where: Self.transientCodes.contains) {
            self = .again("the server responded with the error \(code)")
        } else {
            self = .failed(reason: response.complaint?.shown(upTo: 300) ?? "the server refused it", response)
        }
    }
}

extension ServerResponse {
    /// Whether nothing was done: there are no data, or all requested fields are null.
    fileprivate var isVoid: Bool {
        guard let members = data?.members else { return true }
        return members.allSatisfy { if case .null = $0.value { true } else { false } }
    }
}
