package import WireConfig
package import WireService

extension SyncSection: OnlineChecked {
    /// The check of the server's schema, where there are files to compare with it.
    package func onlineChecks(in environment: EnvironmentFacts, of _: Configuration) -> [OnlineCheck] {
        guard operations != nil || schema != nil else { return [] }
        guard $url.state != .uncertain, let address = url.resolved(against: environment.baseURL) else { return [] }
        let question = SchemaQuestion(section: self, address: address)
        return [OnlineCheck(at: $url, about: "sync.url") { await question.ask($0) }]
    }
}
