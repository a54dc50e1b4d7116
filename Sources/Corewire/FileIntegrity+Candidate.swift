import CorewireCatalogue
import WireBase
import WireConfig
import WireNetwork
import WireRuntime
import WireSecurityContract
import WireService

extension FileIntegrity {
    /// Collects the facts about the file of a generation.
    init(of candidate: Candidate, state: String) {
        let remarks = candidate.remarks
        var weak = remarks.filter { ["CW2205", "CW2206"].contains($0.code) }.map(\.setting)
        if let network = candidate.configuration[NetworkSection.self], !network.plainHosts.isEmpty {
            let origin = Places(candidate.document).origin(of: network.$plainHosts, "network.plainHosts")
            weak.append(Setting("connections without TLS are allowed", origin: origin))
        }
        self.init(
            files: candidate.sources.reveal().files.map(\.name).filter { $0 != "-" },
            state: state,
            secretsInClear: remarks.filter { $0.code == Code.secretInClear.id }.map(\.setting),
            weakSettings: weak
        )
    }
}

extension Candidate.Remark {
    fileprivate var setting: FileIntegrity.Setting {
        FileIntegrity.Setting(text, origin: place.map { ValueOrigin(path: "", place: $0) })
    }
}
