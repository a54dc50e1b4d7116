package import WireConfig
package import WireService

extension AuthSection: OnlineChecked {
    /// One exchange with the identity server; HALO's server offers nothing without credentials.
    package func onlineChecks(in environment: EnvironmentFacts, of _: Configuration) -> [OnlineCheck] {
        let places = [$provider, $url, $realm, $mode, $flow]
        guard provider != .halo, url != nil, places.allSatisfy({ $0.state != .uncertain }) else { return [] }
        let issuer: String
        do throws(SignInFailure) {
            issuer = try ServerSettings.issuer(self, environment.baseURL, nil)
        } catch {
            // A path without a base URL and a missing realm are reported by the rules of the section.
            guard url?.resolved(against: environment.baseURL) != nil, provider != .keycloak || realm != nil else {
                return []
            }
            let finding = OnlineFinding(.noDiscovery, at: $url, about: "auth.url", "auth.url: \(error.detail)")
            return [OnlineCheck(at: $url, about: "auth.url") { _ in [finding] }]
        }
        let settings = try? ServerSettings(self, environment: environment.name, baseURL: environment.baseURL)
        let questions = IssuerQuestions(
            section: self,
            issuer: issuer,
            environment: environment.name,
            settings: settings
        )
        return [OnlineCheck(at: $url, about: "auth.url") { await questions.ask($0) }]
    }
}
