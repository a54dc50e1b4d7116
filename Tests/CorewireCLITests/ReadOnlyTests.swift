import Foundation
import Support
import Testing

@Suite("validate-config is read-only")
struct ReadOnlyTests {
    @Test("the command writes nothing, opens no socket, and opens only the named files")
    func traced() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "include: [part.yaml]\napp: { id: com.example.one }\nnetwork: { retires: 1 }\nsync: { url: https://h.example.com/g, operations: '*.graphql', authenticated: false }\nauth: { url: https://h, clientId: a, clientSecret: '${file:secret}' }\n",
            to: "a.yaml"
        )
        try folder.write("device: { alias: one }\n", to: "part.yaml")
        try folder.write("hunter2", to: "secret")
        let trace = folder.url.appendingPathComponent("trace").path
        let run = try Program.run(
            "strace",
            ["-f", "-o", trace, Program.corewire, "validate-config", "a.yaml"],
            in: folder.url
        )
        #expect(run.output.contains("unknown key 'retires'"))
        let calls = try folder.text(of: "trace").split(separator: "\n").map { $0.drop { $0.isNumber || $0 == " " } }
        // From the moment it asks for its file: before, the system loads the program.
        let begin = try #require(calls.firstIndex { $0.contains("\"a.yaml\"") && $0.hasPrefix("open") })
        let after = calls[begin...]
        let opened = after.filter { $0.hasPrefix("open") }
        #expect(
            opened.count == 2 && opened.allSatisfy { $0.contains("\"a.yaml\"") || $0.contains("\"part.yaml\"") },
            "\(opened)"
        )
        #expect(
            calls.filter { $0.hasPrefix("open") }.allSatisfy {
                !$0.contains("O_WRONLY") && !$0.contains("O_RDWR") && !$0.contains("O_CREAT")
            }
        )
        let writes = calls.filter { $0.hasPrefix("write") || $0.hasPrefix("pwrite") }
        #expect(writes.allSatisfy { $0.hasPrefix("write(1,") || $0.hasPrefix("write(2,") })
        let forbidden = [
            "socket", "connect", "bind", "unlink", "rename", "mkdir", "chmod", "fchmod", "truncate", "ftruncate",
            "link", "symlink", "utime", "execve", "fork", "clone", "creat",
        ]
        for call in after {
            let name = call.prefix { $0 != "(" }
            #expect(!forbidden.contains { name.hasPrefix($0) }, "\(call)")
        }
    }
}
