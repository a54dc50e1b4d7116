import WireBase
import WireConfig
package import WireHTTP

extension NetworkSection {
    /// The rules for every connection; paths are relative to a folder.
    package func trafficRules(in folder: String) -> TrafficRules {
        var rules = TrafficRules()
        rules.pins = pins.map { pin in
            TrafficRules.Pin(host: pin.host, sha256: pin.sha256.base64, lastDay: pin.expires?.description)
        }
        rules.certificates = certificates.map { certificate in
            let path = Files.path(certificate.file.path, below: folder)
            return (certificate.host, ClientCertificate(path: path, key: certificate.key))
        }
        rules.proxy = trafficProxy
        rules.plainHosts = plainHosts
        rules.connectTimeout = connectTimeout
        rules.timeout = timeout
        rules.declaredHosts = Set(
            (pins.map(\.host) + certificates.map(\.host) + plainHosts).filter { !$0.isWildcard }.map(\.name)
        )
        return rules
    }

    private var trafficProxy: TrafficRules.Proxy {
        guard let proxy else { return .environment }
        guard let url = proxy.url else { return .none }
        let login = proxyUser.map { TrafficRules.Login(user: $0, password: proxyPassword ?? Secret("")) }
        return .through(url, login: login)
    }
}
