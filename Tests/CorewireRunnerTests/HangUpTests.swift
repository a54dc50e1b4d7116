import Foundation
import Support
import Testing

@Suite("SIGHUP")
struct HangUpTests {
    @Test(
        "SIGHUP reloads the file; a rejection is reported with code, line and message in the log and to the service manager"
    )
    func told() async throws {
        let home = try RunnerHome()
        try home.write(Services.file())
        let manager = try NotifySocket(at: home.folder.url.appendingPathComponent("m").path)
        let log = home.folder.url.appendingPathComponent("log").path
        let program = try StartedProgram(
            Program.corewire,
            ["run", "--config", home.work.appendingPathComponent("mobile-services.yaml").path],
            environment: home.environment.merging(["PATH": "/usr/bin:/bin", "NOTIFY_SOCKET": manager.path]) { $1 },
            output: log,
            errors: log
        )
        /// What the manager is told next of how it is, once it is ready again.
        func next() async -> String {
            var found = ""
            let isTold = await eventually {
                let lines = manager.next()?.split(separator: "\n").map(String.init) ?? []
                guard lines.contains("READY=1") else { return false }
                found = lines.first { $0.hasPrefix("STATUS=") } ?? ""
                return true
            }
            return isTold ? found : "nothing"
        }
        #expect(await next() == "STATUS=dev, generation 1")
        try home.write(Services.file(retries: 3))
        program.signal(SIGHUP)
        #expect(await next() == "STATUS=dev, generation 2")
        try home.write(Services.file(retries: 3, key: "retires"))
        program.signal(SIGHUP)
        let problem = "mobile-services.yaml:7:12: CW0203: "
        let status = await next()
        #expect(status.hasPrefix("STATUS=rejected: ") && status.contains(problem), "\(status)")
        #expect(status.contains("retires") && status.hasSuffix("; still running generation 2"), "\(status)")
        // What becomes of it afterwards is told as well, whichever way it is asked for.
        try home.write(Services.file(retries: 3))
        #expect(try home.corewire("reload").status == 0)
        let isTold = await eventually { manager.next()?.contains("STATUS=dev, generation 2") ?? false }
        #expect(isTold)
        // The log is written by a thread of its own.
        let isLogged = try await eventually { try home.folder.text(of: "log").contains(problem) }
        #expect(isLogged)
        program.signal(SIGTERM)
        #expect(try await program.end() == 0)
    }
}
