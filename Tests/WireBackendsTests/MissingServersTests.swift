import Testing
import WireBackends
import WireEmbedded
import WireHTTP
import WireService

@Suite("Placeholders for missing embedded servers")
struct MissingServersTests {
    @Test("the placeholders offer the same operations")
    func operations() {
        let (missing, whole) = (MissingServers.operations, BackendsService.operations)
        #expect(missing.map { "\($0.method) \($0.pattern)" } == whole.map { "\($0.method) \($0.pattern)" })
        #expect(MissingServers.traits.followsEnvironment == BackendsService.traits.followsEnvironment)
    }
}
