import WireConfig
package import WireHTTP

extension NetworkSection {
    /// What it says of every connection.
    package var trafficRules: TrafficRules {
        var rules = TrafficRules()
        rules.pins = pins.map { pin in
            TrafficRules.Pin(host: pin.host, sha256: pin.sha256.base64, lastDay: pin.expires?.description)
        }
        rules.proxy = proxy?.url
        rules.plainHosts = plainHosts
        rules.connectTimeout = connectTimeout
        rules.timeout = timeout
        rules.declaredHosts = Set((pins.map(\.host) + plainHosts).filter { !$0.isWildcard }.map(\.name))
        return rules
    }
}
