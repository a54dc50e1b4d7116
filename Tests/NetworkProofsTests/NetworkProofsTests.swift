import Foundation
import Support
import Testing

/// Sends requests by way of `/v1/network/` of the built runner, over the ways and to the servers of `Tests/NetworkProofs`.
@Suite("Requests over bad ways, to bad servers and to real ones")
struct NetworkProofsTests {
    private static let folder = Repository.root.appendingPathComponent("Tests/NetworkProofs").path
    /// What a driver says where this machine lacks the servers.
    private static let missing: Int32 = 77

    private func prove(_ driver: String, atLeast count: Int) throws {
        let run = try Program.run("\(Self.folder)/\(driver)", ["--programs", Program.buildFolder.path])
        if run.status == Self.missing { try Test.cancel("\(run.output)") }
        let lines = run.output.split(separator: "\n")
        #expect(run.status == 0, "\(run.everything)")
        #expect(lines.allSatisfy { $0.hasPrefix("pass ") }, "\(run.everything)")
        #expect(lines.count >= count, "\(run.everything)")
    }

    @Test("whatever happens on the way, a true answer comes in time, after as many attempts as are promised")
    func hostile() throws { try prove("hostile", atLeast: 42) }

    @Test("nothing leaves to a server whose certificate or key is not to be trusted")
    func certificates() throws { try prove("certificates", atLeast: 19) }

    @Test("nothing waits for a connection that a change of the machine's links, addresses or routes has cut off")
    func changes() throws { try prove("changes", atLeast: 15) }

    @Test("no download takes the room that is left to others, whether its length is known or not")
    func disk() throws { try prove("disk", atLeast: 3) }

    @Test("servers and proxies that others have written are spoken to as they expect")
    func strangers() throws { try prove("strangers", atLeast: 14) }
}
