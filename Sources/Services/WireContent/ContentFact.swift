import WireConfig
import WireService

/// Where an answer came from, as the field `Corewire-Cache` tells it; spelt as for all requests.
package enum ContentFact: Sendable, Equatable {
    /// The server's own, and nothing is stored of it.
    case bypass
    /// The server's own.
    case miss
    /// Stored, and no older than answers of the server's cache may be.
    case hit(age: Duration)
    /// Stored, and given because of what is said here.
    case stale(age: Duration, because: String)
    /// As the way of all requests has told it.
    case told(String)

    package var text: String {
        switch self {
        case .bypass: "bypass"
        case .miss: "miss"
        case .hit(let age): "hit; age=\(age.components.seconds)"
        case .stale(let age, let because): "stale; age=\(age.components.seconds); because=\(because)"
        case .told(let text): text
        }
    }

    /// Whether it is the server's own.
    package var isServers: Bool {
        switch self {
        case .bypass, .miss: true
        case .hit, .stale: false
        case .told(let text): text.hasPrefix("miss") || text.hasPrefix("bypass")
        }
    }

    /// How old it is; nil for what is the server's own.
    package var age: Duration? {
        switch self {
        case .hit(let age), .stale(let age, _): age
        case .bypass, .miss, .told: nil
        }
    }
}

/// An answer, and where it came from.
package struct ContentAnswer: Sendable {
    package var bytes: [UInt8]
    package var fact: ContentFact
    /// References to instances that are not stored, and so stayed references.
    package var unresolved = 0

    package init(_ bytes: [UInt8], _ fact: ContentFact) {
        (self.bytes, self.fact) = (bytes, fact)
    }
}
