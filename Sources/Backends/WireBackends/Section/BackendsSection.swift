package import WireConfig

/// The servers built into corewire, for environments with `backend: embedded` and for tests.
package struct BackendsSection: Section {
    package static let name = "backends"
    package static let summary =
        "The servers built into corewire, for environments with 'backend: embedded' and for tests."
    package static let codes = Code.backendsCodes

    package static func isImplied(by backend: EnvironmentFacts.Backend) -> Bool { backend == .embedded }

    @Setting package var listen: ListenAddress
    @Setting package var issuer: EmbeddedIssuer
    @Setting package var push: EmbeddedPush
    @Setting package var graphql: EmbeddedGraphQL
    @Setting package var content: EmbeddedContent
    @Setting package var files: EmbeddedFiles
    @Setting package var security: EmbeddedSecurity
    @Setting package var latency: Duration
    @Setting package var failureRate: Double
    @Setting package var seed: Int

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
