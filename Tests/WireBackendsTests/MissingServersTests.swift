import Testing
import WireBackends
import WireEmbedded
import WireHTTP
import WireService

@Suite("What stands for the embedded servers where they are missing")
struct MissingServersTests {
    @Test("can be asked for the same as they can")
    func operations() {
        let (missing, whole) = (MissingServers.operations, BackendsService.operations)
        #expect(missing.map { "\($0.method) \($0.pattern)" } == whole.map { "\($0.method) \($0.pattern)" })
        #expect(MissingServers.traits.followsEnvironment == BackendsService.traits.followsEnvironment)
    }
}
