import WireBase

/// The rules for every URL of an environment, in any section.
package struct AddressRules {
    private let document: Document
    private let facts: EnvironmentFacts
    private let offers: [Provision: [String]]

    package init(document: Document, facts: EnvironmentFacts, offers: [Provision: [String]]) {
        (self.document, self.facts, self.offers) = (document, facts, offers)
    }

    package func problems(of uses: some Sequence<AddressUse>) -> [Diagnostic] {
        uses.compactMap { use in
            guard let url = use.address.absolute else { return relative(use) }
            guard facts.backend == .remote else { return use.isMeant(in: facts, document) ? nil : embedded(use, url) }
            return plain(use, url)
        }
    }

    private func relative(_ use: AddressUse) -> Diagnostic? {
        guard facts.backend == .remote, facts.isBackendKnown, facts.baseURL == nil,
            facts.baseURLPlace.state != .uncertain
        else { return nil }
        return problem(.noBaseURL, use, "\(use.path) is relative, and the environment has no base URL")
            .labelled("no base URL")
            .helped(by: "write \(setting: "baseUrl: https://…") in the environment, or an absolute URL here")
    }

    /// Reports a server that the file names for all environments, where the environment is embedded.
    ///
    /// In an embedded environment a built-in server replaces the URL, or the URL is an error. URLs of the environment
    /// itself must be on this machine.
    private func embedded(_ use: AddressUse, _ url: WebURL) -> Diagnostic? {
        if !url.isLoopback, use.isOwn(of: facts, document) {
            return mixed(use, help: "make it relative, write null here, or use another backend")
        }
        guard !use.hasStandIn else { return nil }
        return problem(
            .noStandIn,
            use,
            "\(use.path) has no embedded server, and the environment has 'backend: embedded'"
        )
        .helped(
            by: facts.name.map {
                "set environments.\($0).\(use.path) to a URL of this machine, a path of an embedded server, or null"
            } ?? "write a URL of this machine or a path of an embedded server"
        )
    }

    private func plain(_ use: AddressUse, _ url: WebURL) -> Diagnostic? {
        guard !use.isProxy, url.isReadableOnTheWay, offers[Provision(.plainHost, url.host)] == nil else { return nil }
        let secure = "\(url.scheme)s"
        return problem(.plainHTTP, use, "\(use.path) is \(url.scheme)://, which is not encrypted")
            .labelled("write \(secure)://")
            .helped(by: "a host of a closed network can be added to network.plainHosts")
    }

    /// Reports a base URL of an embedded environment; the one at the top of the file applies to other environments
    /// only.
    package func baseProblems() -> [Diagnostic] {
        guard let url = facts.baseURL, let node = facts.baseURLPlace.node else { return [] }
        func use(_ steps: [String]) -> AddressUse {
            let address = Address(absolute: url, text: url.description)
            return AddressUse(address: address, node: document.target(node), steps: steps, isProxy: false)
        }
        let shown = use(facts.name.map { ["environments", $0, "baseUrl"] } ?? ["baseUrl"])
        guard facts.backend == .embedded else { return [plain(shown, url)].compactMap(\.self) }
        guard !url.isLoopback, use(["baseUrl"]).isOwn(of: facts, document) else { return [] }
        return [mixed(shown, help: "remove it, or use another backend")]
    }

    private func mixed(_ use: AddressUse, help: String) -> Diagnostic {
        problem(
            .mixedEnvironment,
            use,
            "\(use.path) is a URL of another server, and the environment has 'backend: embedded'"
        ).helped(
            by: help
        )
    }

    private func problem(_ code: Code, _ use: AddressUse, _ message: String) -> Diagnostic {
        var problem = Diagnostic(code, message, at: document.place(use.node)).about(use.path)
        if let name = facts.name { problem.environments = [name] }
        return problem
    }
}
