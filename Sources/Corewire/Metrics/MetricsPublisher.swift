public import FoundationEssentials
import WireConfig
import WireHTTP
import WireMetricsContract
import WireService

/// Takes metrics instead of the server of the file: AeroGear's replaceable publisher.
public protocol MetricsPublisher: Sendable {
    /// Returns when the message is taken; where it throws, the message waits, on the disk, and comes again.
    func publish(_ message: Corewire.MetricsMessage) async throws
}

extension Corewire {
    /// What the metrics service would be told.
    public struct MetricsMessage: Sendable {
        /// What came of a security rule.
        public struct RuleResult: Sendable {
            /// Its name in the services file.
            public let id: String
            /// What it is called.
            public let name: String
            /// Whether it found what it looks for; AeroGear calls that `passed`.
            public let isDetected: Bool
        }

        /// What a message is of.
        public enum Kind: String, Sendable {
            /// The app and the device, at the first start and after it as often as the file says.
            case initial = "init"
            /// The results of security rules.
            case security
        }

        /// What it is of.
        public let type: Kind
        /// The name of this installation: random, made once in an environment.
        public let clientID: String
        /// When it was made.
        public let timestamp: Date
        /// The app's id.
        public let appID: String
        /// The app's version, where the file has one.
        public let appVersion: String?
        /// What security rules came to, in a message of the type `security`.
        public let results: [RuleResult]
        /// The message word for word, as it would be sent.
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

extension BroughtPublisher {
    func bring(_ publisher: any MetricsPublisher) -> Int {
        bring { try await publisher.publish(Corewire.MetricsMessage($0)) }
    }
}
