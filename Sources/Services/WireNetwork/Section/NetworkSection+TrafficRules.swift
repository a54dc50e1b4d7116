import WireBase
import WireConfig
package import WireHTTP

extension NetworkSection {
    /// The rules for every connection.
    package var trafficRules: TrafficRules {
        var rules = TrafficRules()
        rules.pins = pins.map { pin in
            TrafficRules.Pin(host: pin.host, sha256: pin.sha256.base64, lastDay: pin.expires?.description)
        }
        rules.proxy = trafficProxy
        rules.plainHosts = plainHosts
        rules.connectTimeout = connectTimeout
        rules.timeout = timeout
        rules.declaredHosts = Set((pins.map(\.host) + plainHosts).filter { !$0.isWildcard }.map(\.name))
        return rules
    }

    private var trafficProxy: TrafficRules.Proxy {
        guard let proxy else { return .environment }
        guard let url = proxy.url else { return .none }
        let login = proxyUser.map { TrafficRules.Login(user: $0, password: proxyPassword ?? Secret("")) }
        return .through(url, login: login)
    }
}
