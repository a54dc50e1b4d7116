import Foundation
import Support
import Testing
import WireBase
import WireConfig
import WireCrypto
import WireSecrets
import WireSecurityContract

@testable import WireProbes
@testable import WireSecurity

@Suite("Probes of security rules")
struct RuleCheckTests {
    @Test(
        "an unreadable source is inconclusive, never clear",
        arguments: SecurityRules.examples.map(\.name).filter {
            !["proxy", "clearSecrets", "weakSettings", "signature", "appVersion"].contains($0)
        }
    )
    func blind(_ name: String) async throws {
        let rule = try #require(SecurityRules.examples.first { $0.name == name }?.rule)
        let (outcome, findings) = await RuleCheck.check(rule, try Stage.context(KnownProbes()))
        #expect(outcome == .inconclusive, "\(findings)")
        #expect(Set(findings.doubts) == ["it is hidden"])
    }

    @Test("this process is probed: its program, memory, functions and parent")
    func itself() throws {
        let probes = HostProbes(environment: ["LD_PRELOAD": "x"], digests: OpenSSLSecrecy())
        #expect(probes.variables() == ["LD_PRELOAD": "x"])
        let program = try probes.program()
        #expect(program.path.hasSuffix("xctest") || program.path.contains("swift"))
        #expect(!program.isReplaced)
        let mappings = try probes.mappings()
        #expect(mappings.contains { $0.path == program.path && $0.isExecutable && !$0.isWritable })
        let functions = try probes.functions(["getaddrinfo", "no_such_function_at_all"])
        #expect(functions.count == 1)
        #expect(functions["getaddrinfo"]?.library.contains("libc.so") == true)
        #expect(functions["getaddrinfo"]?.isUntouched == true)
        #expect(try probes.tracer() == nil)
        #expect(!(try probes.parent().name.isEmpty))
        #expect(try probes.processes().processes.contains { $0.program == program.path })
        #expect(!probes.build(of: "/bin/ls").isEmpty)
        #expect(abs(try probes.clock().library - (try probes.clock().kernel)) < 60_000)
        #expect(try probes.disk(of: "/proc").name == "proc")
    }

    @Test("files match by pattern, links are reported as links, and digests equal those of tools")
    func files() throws {
        let probes = HostProbes(environment: [:], digests: OpenSSLSecrecy())
        let folder = try TemporaryFolder()
        try folder.write("hello", to: "frida-1/agent")
        try folder.write("hello", to: "frida-2/agent")
        let path = folder.url.path
        #expect(
            try probes.paths(matching: "\(path)/frida-*/a*t").map { $0.dropFirst(path.count) } == [
                "/frida-1/agent", "/frida-2/agent",
            ]
        )
        #expect(try probes.paths(matching: "\(path)/none-*").isEmpty)
        let run = try Program.run("sha256sum", ["\(path)/frida-1/agent"])
        #expect(run.output.hasPrefix(try probes.digest(of: "\(path)/frida-1/agent").hexadecimal))
        #expect(throws: Fault.self) { try probes.digest(of: path) }
        #expect(try probes.file("\(path)/frida-1")?.kind == .folder)
        #expect(try probes.file("\(path)/none") == nil)
    }

    @Test("a listening port is open, another one is not")
    func ports() throws {
        let probes = HostProbes(environment: [:], digests: OpenSSLSecrecy())
        let listener = try Listening()
        #expect(try probes.listeningPorts().contains(listener.port))
        #expect(try ListeningPorts.read().contains(listener.port), "as kernels tell that cannot be asked")
        let port = listener.port
        listener.end()
        #expect(!(try probes.listeningPorts().contains(port)))
        #expect(!(try ListeningPorts.read().contains(port)))
    }
}
