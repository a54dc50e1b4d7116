import Foundation
import Support
import Testing

/// The files of `Examples/scale-out`, and the pages that show them.
@Suite("Deployments")
struct DeploymentTests {
    private static let checker = Repository.root.appendingPathComponent("Tests/Deployments/files.py").path
    private static let hasModules = ScriptedServer.hasModules("kubernetes_validate, yaml")

    @Test("systemd accepts the unit with the drop-in of the example")
    func dropIn() throws {
        let folder = try TemporaryFolder()
        let unit = try Repository.text(of: "Units/corewire.service")
        try folder.write(unit.replacing("/usr/local/bin/corewire", with: Program.corewire), to: "corewire.service")
        let name = "corewire.service.d/scale-out.conf"
        let dropIn = try Repository.text(of: "Examples/scale-out/systemd/\(name)")
        let words = ["verify", "--man=no", folder.url.appendingPathComponent("corewire.service").path]
        try folder.write(dropIn + "Misspelled=yes\n", to: name)
        let wrong = try Program.run("systemd-analyze", words)
        #expect(wrong.everything.contains("Misspelled"), "the drop-in is not read: \(wrong.everything)")
        try folder.write(dropIn, to: name)
        let verdict = try Program.run("systemd-analyze", words)
        #expect(verdict.status == 0 && verdict.everything.isEmpty, "\(verdict.everything)")
    }

    @Test(
        "what the files name exists: commands, options, paths, secrets, volumes and packages; the pages show them as they are",
        .enabled(if: hasModules)
    )
    func files() throws {
        let run = try Self.check([])
        #expect(run.status == 0, "\(run.everything)")
    }

    @Test(
        "a name that does not exist is reported with its place",
        .enabled(if: hasModules),
        arguments: [
            (
                "Examples/scale-out/compose.yaml", "test: [CMD, corewire, status]", "test: [CMD, corewire, state, of]",
                "compose.yaml: one: health check: there is no command 'corewire state of'"
            ),
            (
                "Examples/scale-out/compose.yaml", "--as corewire_owner", "--for corewire_owner",
                "compose.yaml: migrate: 'corewire store migrate' has no option --for"
            ),
            (
                "Examples/scale-out/compose.yaml", "secrets: [store-key, db-password]", "secrets: [store-key]",
                "compose.yaml: two: nothing is mounted at /run/secrets/db-password"
            ),
            (
                "Examples/scale-out/compose.yaml", "stop_grace_period: 30s", "stop_grace_period: 10s",
                "compose.yaml: three: is stopped after 10 s, within the drain"
            ),
            (
                "Examples/scale-out/database/corewire.conf", "secrets/server.key", "server.key",
                "compose.yaml: db1: nothing is mounted at /etc/postgresql/server.key"
            ),
            (
                "Examples/scale-out/kubernetes/tasks.yaml", "secretName: tasks,", "secretName: others,",
                "tasks.yaml: StatefulSet: docs/scale-out.md makes no secret 'others'"
            ),
            (
                "Examples/scale-out/kubernetes/tasks.yaml", "maxUnavailable: 1", "maximum: 1",
                "tasks.yaml: PodDisruptionBudget: "
            ),
            (
                "Examples/scale-out/mobile-services.yaml", "confirm: replica", "confirm: disk",
                "docs/scale-out.md: the yaml file with 'version: 1' is none of the example"
            ),
            ("Dockerfile", "libpq5", "", "Dockerfile: no package has libpq.so.5: libpq5"),
        ]
    )
    func broken(path: String, word: String, replacement: String, problem: String) throws {
        let folder = try TemporaryFolder()
        for name in ["Dockerfile", "docs", "Examples/scale-out"] {
            let copy = folder.url.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: copy.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try FileManager.default.copyItem(at: Repository.root.appendingPathComponent(name), to: copy)
        }
        let text = try folder.text(of: path)
        #expect(text.contains(word))
        try folder.write(text.replacing(word, with: replacement), to: path)
        let run = try Self.check(["--root", folder.url.path])
        #expect(run.status == 1 && run.output.contains(problem), "\(run.everything)")
    }

    private static func check(_ words: [String]) throws -> Run {
        try Program.run(ScriptedServer.python, ["-B", checker, "--programs", Program.buildFolder.path] + words)
    }
}
