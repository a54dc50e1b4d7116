import WireHTTP

/// What a caller may do.
struct Rights: Sendable, Equatable {
    /// The most a route may ask for; nil for nothing but health.
    let access: Route.Access?
    /// The namespaces it may use; all where nil.
    var namespaces: [String]?
    /// Under which name its requests and connections are counted.
    let account: String

    static func everything(_ account: String) -> Rights { Rights(access: .admin, account: account) }

    /// Whether they suffice for a route.
    func allow(_ wanted: Route.Access) -> Bool {
        wanted == .anyone || access.map { $0.rank >= wanted.rank } ?? false
    }
}

extension Route.Access {
    fileprivate var rank: Int {
        switch self {
        case .anyone: 0
        case .read: 1
        case .write: 2
        case .admin: 3
        }
    }
}
