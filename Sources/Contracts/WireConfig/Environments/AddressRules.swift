import WireBase

/// The rules every URL of an environment obeys, whichever section it stands in.
struct AddressRules {
    let document: Document
    let judged: Judge.Judged
    /// The nodes that stand in the file itself, not in an overlay.
    let baseAddresses: Set<NodeID>

    func problems() -> [Diagnostic] {
        judged.addresses.compactMap { use in
            guard let url = use.address.absolute else { return relative(use) }
            return mixed(use, url) ?? plain(use, url)
        } + base()
    }

    private func relative(_ use: AddressUse) -> Diagnostic? {
        guard judged.facts.backend == .remote, judged.facts.isBackendKnown, judged.facts.baseURL == nil,
            judged.facts.baseURLPlace.state != .uncertain
        else { return nil }
        return problem(.noBaseURL, use, "\(use.path) is relative, and the environment has no base URL")
            .labelled("relative to what?")
            .helped(by: "write 'baseUrl: https://…' in the environment, or the whole URL here")
    }

    /// An embedded environment stays on this machine.
    ///
    /// What the file says for all environments is replaced by the embedded counterparts; what the environment says
    /// itself is a mistake.
    private func mixed(_ use: AddressUse, _ url: WebURL) -> Diagnostic? {
        guard judged.facts.backend == .embedded, !url.isLoopback, !isFromFile(use) else { return nil }
        return problem(.mixedEnvironment, use, "\(use.path) names an outside server in an embedded environment")
            .helped(
                by: use.path.hasSuffix("baseUrl")
                    ? "remove it, or use another backend" : "make it relative, write null here, or use another backend"
            )
    }

    private func plain(_ use: AddressUse, _ url: WebURL) -> Diagnostic? {
        guard url.isReadableOnTheWay, judged.facts.backend == .remote,
            judged.offers[Provision(.plainHost, url.host)] == nil
        else { return nil }
        let secure = url.scheme == "ws" ? "wss" : "https"
        return problem(.plainHTTP, use, "\(use.path) is \(url.scheme)://, which can be read on the way")
            .labelled("write \(secure)://")
            .helped(by: "a host inside a closed network can be listed in network.plainHosts")
    }

    /// A base URL at the top of the file is for the environments that have none.
    private func isFromFile(_ use: AddressUse) -> Bool { baseAddresses.contains(use.node) }

    private func base() -> [Diagnostic] {
        guard let url = judged.facts.baseURL, let node = judged.facts.baseURLPlace.node else { return [] }
        let use = AddressUse(
            address: Address(absolute: url, text: url.description),
            node: node,
            path: judged.facts.name.map { "environments.\($0).baseUrl" } ?? "baseUrl"
        )
        return [mixed(use, url) ?? plain(use, url)].compactMap(\.self)
    }

    private func problem(_ code: Code, _ use: AddressUse, _ message: String) -> Diagnostic {
        var problem = Diagnostic(code, message, at: document.place(use.node)).about(use.path)
        if let name = judged.facts.name { problem.environments = [name] }
        return problem
    }
}
