package import WireConfig

/// The section of the embedded servers, for environments with `backend: embedded` and for tests.
package struct BackendsSection: Section {
    package static let name = "backends"
    package static let summary =
        "Embedded servers for environments with 'backend: embedded' and for tests."
    package static let codes = Code.backendsCodes

    package static func isImplied(by backend: EnvironmentFacts.Backend) -> Bool { backend == .embedded }

    @Setting package var listen: ListenAddress
    @Setting package var issuer: EmbeddedIssuer
    @Setting package var push: EmbeddedPush
    @Setting package var graphql: EmbeddedGraphQL
    @Setting package var content: EmbeddedContent
    @Setting package var files: EmbeddedFiles
    @Setting package var mqtt: EmbeddedMQTT
    @Setting package var security: EmbeddedSecurity
    @Setting package var latency: Duration
    @Setting package var failureRate: Double
    @Setting package var seed: Int

    package init(_ keys: inout Keys) {
        _listen = keys.value(
            "listen",
            "Shared address of the servers, each below its own path. Port 0: chosen by the system.",
            or: ListenAddress(known: "127.0.0.1:0"),
            .example("127.0.0.1:7430")
        )
        _issuer = keys.value("issuer", "Identity server.", or: EmbeddedIssuer.placeholder)
        _push = keys.value("push", "Push servers.", or: EmbeddedPush.placeholder)
        _graphql = keys.value("graphql", "GraphQL server.", or: EmbeddedGraphQL.placeholder)
        _content = keys.value("content", "Content server.", or: EmbeddedContent.placeholder)
        _files = keys.value("files", "File server.", or: EmbeddedFiles.placeholder)
        _mqtt = keys.value("mqtt", "MQTT broker.", or: EmbeddedMQTT.placeholder)
        _security = keys.value(
            "security",
            "Server for metrics and disabled app versions.",
            or: EmbeddedSecurity.placeholder
        )
        _latency = keys.value("latency", "Delay of each response.", or: .zero, .in(.zero ... .seconds(60)))
        _failureRate = keys.value("failureRate", "Share of requests that fail with status 503.", or: 0, .in(0...1))
        _seed = keys.value("seed", "Seed of random failures; the same seed fails the same requests.", or: 1)
    }
}
