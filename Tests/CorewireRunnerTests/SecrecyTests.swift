import Foundation
import Support
import Testing

@Suite("Secrets in the runner's commands")
struct RunnerSecrecyTests {
    private static let canaries = ["canary-of-the-variable-4711-0815-9999", "canary-in-clear-1234-5678-0000-abcd"]

    private static func file(retries: Int, key: String = "retries") -> String {
        Services.file(
            retries: retries,
            key: key,
            api:
                "{ socket: auto, apps: { kiosk: { token: \"${env:CANARY}\", namespaces: [kiosk] }, other: { token: \(canaries[1]) } } }"
        )
    }

    @Test("no command of the runner prints a secret, whatever its result")
    func canary() throws {
        let home = try RunnerHome()
        try home.write(Self.file(retries: 2))
        let variables = ["CANARY": Self.canaries[0]]
        let runner = try FoundRunner(in: home, environment: variables)
        let looks = [
            ["status"], ["events"], ["history"], ["diff", "1"], ["diff", "1", "--unified"], ["plan"],
            ["plan", "--env", "prod"], ["doctor"], ["reload"], ["reload", "--force"], ["env", "use", "prod"],
            ["rollback", "1"], ["confirm"], ["console"],
        ]
        var written = ""
        for text in [
            Self.file(retries: 2), Self.file(retries: 3), Self.file(retries: 3, key: "retires"), "app: [",
            Self.file(retries: 4).replacing("token:", with: "tokn:"),
        ] {
            try home.write(text)
            for look in looks {
                for form in [[], ["--format", "json"]] where !(look.contains("--unified") && !form.isEmpty) {
                    let run = try Program.corewire(
                        look + form,
                        in: home.work,
                        environment: home.environment.merging(look == ["doctor"] ? variables : [:]) { $1 }
                    )
                    written += run.everything
                }
            }
        }
        #expect(written.contains("[redacted]"), "something secret was shown, in its place")
        runner.stop()
        written += runner.logged
        for canary in Self.canaries { #expect(!written.contains(canary)) }
    }
}
