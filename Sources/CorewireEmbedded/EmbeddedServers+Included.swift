public import Corewire
import WireEmbedded

extension Corewire.EmbeddedServers {
    /// The servers that come with corewire: identity, push, content, GraphQL, files, metrics and versions.
    ///
    /// They are for development and tests; a program that is deployed does not import them.
    public static var included: Self { Self(BackendsService.self) }
}
