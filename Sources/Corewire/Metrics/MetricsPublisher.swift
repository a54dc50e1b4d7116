public import FoundationEssentials
import WireConfig
import WireHTTP
import WireMetricsContract
import WireService

/// Receives metrics instead of the server (AeroGear's replaceable publisher).
public protocol MetricsPublisher: Sendable {
    /// Returns when the message is accepted; where it throws, the message stays on the disk and is passed again.
    func publish(_ message: Corewire.MetricsMessage) async throws
}

extension Corewire {
    /// A message for the metrics service.
    public struct MetricsMessage: Sendable {
        /// The result of a security rule.
        public struct RuleResult: Sendable {
            /// The id in the services file.
            public let id: String
            /// The name.
            public let name: String
            /// Whether the rule has a finding; AeroGear calls this `passed`.
            public let isDetected: Bool
        }

        /// The type of a message.
        public enum Kind: String, Sendable {
            /// The app and the device, at the first start and then with the period of the file.
            case initial = "init"
            /// The results of security rules.
            case security
        }

        /// The type.
        public let type: Kind
        /// The random id of this installation, created once per environment.
        public let clientID: String
        /// The creation time.
        public let timestamp: Date
        /// The app's id.
        public let appID: String
        /// The app's version, where the file has one.
        public let appVersion: String?
        /// The results of security rules, in a message of the type `security`.
        public let results: [RuleResult]
        /// The message as it would be sent.
        public let json: String

        init(_ message: WireMetricsContract.MetricsMessage) {
            (type, clientID) = (message.kind == .initial ? .initial : .security, message.clientID)
            timestamp = Date(milliseconds: message.timestamp)
            (appID, appVersion) = (message.app.id, message.app.version)
            results = message.results.map { RuleResult(id: $0.id, name: $0.name, isDetected: $0.isDetected) }
            json = message.json.text()
        }
    }
}

extension EmbedderMetricsPublisher {
    func bring(_ publisher: any MetricsPublisher) -> Int {
        bring { try await publisher.publish(Corewire.MetricsMessage($0)) }
    }
}
