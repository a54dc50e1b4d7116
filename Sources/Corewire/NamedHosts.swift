import WireBase
import Synchronization
import WireConfig
import WireHTTP
import WireNetwork
import WireRuntime

/// Caches the traffic rules of a candidate, with all hosts that its file names.
final class NamedHosts: Sendable {
    /// The latest results: computed once per content, not per request.
    private let known = Mutex<[(hash: String, environment: String?, content: String?, rules: TrafficRules)]>([])

    /// The folder of the services file, to which its paths are relative.
    private let folder: String

    init(folder: String) { self.folder = folder }

    func rules(of candidate: Candidate) -> TrafficRules {
        let (hash, environment) = (candidate.hash, candidate.facts.name)
        // A secret can change without a change of the file.
        let content = candidate.contents[NetworkSection.name]?.reveal()
        if let rules = known.withLock({ known in
            known.first { $0.hash == hash && $0.environment == environment && $0.content == content }?.rules
        }) {
            return rules
        }
        var rules = candidate.configuration[NetworkSection.self]?.trafficRules(in: folder) ?? TrafficRules()
        rules.declaredHosts.formUnion(candidate.settings.compactMap { (try? WebURL(parsing: $0.text))?.host })
        if let base = candidate.facts.baseURL { rules.declaredHosts.insert(base.host) }
        let made = rules
        known.withLock { known in
            // Rarely more than two generations run at once.
            known = [(hash, environment, content, made)] + known.prefix(3)
        }
        return rules
    }
}
