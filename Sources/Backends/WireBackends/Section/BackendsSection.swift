public import WireConfig

/// The servers built into corewire, for environments with `backend: embedded` and for tests.
public struct BackendsSection: Section {
    package static let name = "backends"
    package static let summary =
        "The servers built into corewire, for environments with 'backend: embedded' and for tests."
    package static let codes = Code.backendsCodes

    package static func isImplied(by backend: EnvironmentFacts.Backend) -> Bool { backend == .embedded }

    /// Where they listen, each below a path of its own.
    @Setting public var listen: ListenAddress
    /// The identity server.
    @Setting public var issuer: EmbeddedIssuer
    /// The push servers.
    @Setting public var push: EmbeddedPush
    /// The GraphQL server.
    @Setting public var graphql: EmbeddedGraphQL
    /// The content server.
    @Setting public var content: EmbeddedContent
    /// The file server.
    @Setting public var files: EmbeddedFiles
    /// The server of metrics and of switched-off versions.
    @Setting public var security: EmbeddedSecurity
    /// How long each answer takes.
    @Setting public var latency: Duration
    /// Which part of all requests fails.
    @Setting public var failureRate: Double
    /// What chance begins with.
    @Setting public var seed: Int

    package init(_ keys: inout Keys) {
        _listen = keys.value(
            "listen",
            "Where they listen, each below a path of its own; port 0 lets the system choose.",
            or: ListenAddress(known: "127.0.0.1:0"),
            .example("127.0.0.1:7430")
        )
        _issuer = keys.value("issuer", "The identity server.", or: EmbeddedIssuer.placeholder)
        _push = keys.value("push", "The push servers.", or: EmbeddedPush.placeholder)
        _graphql = keys.value("graphql", "The GraphQL server.", or: EmbeddedGraphQL.placeholder)
        _content = keys.value("content", "The content server.", or: EmbeddedContent.placeholder)
        _files = keys.value("files", "The file server.", or: EmbeddedFiles.placeholder)
        _security = keys.value(
            "security",
            "The server of metrics and of switched-off versions.",
            or: EmbeddedSecurity.placeholder
        )
        _latency = keys.value("latency", "How long each answer takes.", or: .zero, .in(.zero ... .seconds(60)))
        _failureRate = keys.value("failureRate", "Which part of all requests fails with status 503.", or: 0, .in(0...1))
        _seed = keys.value("seed", "What chance begins with; the same number fails the same requests.", or: 1)
    }
}
