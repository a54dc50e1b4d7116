import Synchronization
import WireConfig
import WireHTTP
import WireNetwork
import WireRuntime

/// What the file of a generation says of connections, with the hosts it names anywhere.
final class NamedHosts: Sendable {
    /// The latest looked at: the file is gone through once for each content, not for each request.
    private let known = Mutex<[(hash: String, environment: String?, hosts: Set<String>)]>([])

    func rules(of candidate: Candidate) -> TrafficRules {
        var rules = candidate.configuration[NetworkSection.self]?.trafficRules ?? TrafficRules()
        rules.declaredHosts.formUnion(hosts(of: candidate))
        return rules
    }

    private func hosts(of candidate: Candidate) -> Set<String> {
        let (hash, environment) = (candidate.hash, candidate.facts.name)
        if let hosts = known.withLock({ known in
            known.first { $0.hash == hash && $0.environment == environment }?.hosts
        }) {
            return hosts
        }
        var hosts = Set(candidate.settings.compactMap { (try? WebURL(parsing: $0.text))?.host })
        if let base = candidate.facts.baseURL { hosts.insert(base.host) }
        known.withLock { known in
            // Two generations run at once for a while, seldom more.
            known = [(hash, environment, hosts)] + known.prefix(3)
        }
        return hosts
    }
}
