import WireHTTP

/// The parts of a callback URL.
struct CallbackURL {
    let path: String
    private let target: Target

    init?(_ url: String) {
        guard url.utf8.count <= 16_384 else { return nil }
        let query = url.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
        guard let target = Target(parsing: "/?\(query)") else { return nil }
        self.target = target
        path = String(url.prefix { $0 != "?" })
    }

    /// The state, if there is exactly one.
    var state: String? {
        let states = target.query.filter { $0.name == "state" }
        return states.count == 1 ? states.first?.value : nil
    }
}
