import WireConfig
import WireHTTP
import WireService

/// How metrics are, as it is told.
struct MetricsReport: JSONObject {
    /// What became of the last message of a kind, as it is told.
    struct Last: JSONObject {
        let kind: MetricsMessage.Kind
        let outcome: MetricsDesk.Outcome

        static let shape = JSONShape<Self>(
            "MetricsOutcome",
            "What became of the last message of a type.",
            [
                .member("type", "The type.", as: .words(MetricsMessage.Kind.allCases.map(\.rawValue))) {
                    $0.kind.rawValue
                },
                .member("outcome", "In a word.", as: .words(MetricsDesk.Outcome.Word.allCases.map(\.rawValue))) {
                    $0.outcome.word.rawValue
                },
                .member("at", "When, in milliseconds since 1970.", as: .moment) { $0.outcome.at },
                .member("reason", "Why it was not sent.") { $0.outcome.reason },
            ]
        )
    }

    let url: String
    let clientID: String
    let isPublishedByProgram: Bool
    let types: [String]
    let atStart: Bool
    let every: Int?
    let last: [Last]

    static let shape = JSONShape<Self>(
        "Metrics",
        "What is told to the metrics service, and what became of it.",
        [
            .member("url", "Where messages are sent; what stands for it in an embedded environment.") { $0.url },
            .member("clientId", "The name this installation has there.") { $0.clientID },
            .member("publisher", "Who takes messages.", as: .words(["server", "program"])) {
                $0.isPublishedByProgram ? "program" : "server"
            },
            .member("types", "What is sent.") { $0.types },
            .member("atStart", "Whether 'init' is sent at a start.") { $0.atStart },
            .member("every", "How many seconds lie between two messages of the type 'init'.") { $0.every },
            .member("last", "What became of the last message of each type.") { $0.last },
        ]
    )
}
