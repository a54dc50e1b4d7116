import Foundation
import Support
import Testing

/// The shells themselves are asked.
@Suite("Completion")
struct CompletionTests {
    static func script(_ shell: String, in folder: TemporaryFolder) throws -> String {
        try folder.write(try Program.corewire(["completion", shell]).output, to: "completion.\(shell)")
        return folder.url.appendingPathComponent("completion.\(shell)").path
    }

    static func path(with folder: String) -> [String: String] {
        ["PATH": "\(folder):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"]
    }

    @Test(
        "bash completes the names of registrars from a running runner",
        arguments: ["corewire push status c", "corewire push suspend c", "corewire notifications send --via c"]
    )
    func registrars(line: String) throws {
        let folder = try TemporaryFolder()
        let file = try Self.script("bash", in: folder)
        try folder.write("#!/bin/sh\nprintf 'registrar  type\\ncrm  altcraft\\n\\ncups: why\\n'\n", to: "corewire")
        let place = folder.url.appendingPathComponent("corewire").path
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: place)
        let ask = """
            . \(file)
            COMP_WORDS=(\(line)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _corewire; printf '%s\\n' "${COMPREPLY[@]}"
            """
        let run = try Program.run("bash", ["-c", ask], environment: Self.path(with: folder.url.path))
        #expect(run.output.split(separator: "\n") == ["crm"], "\(run.everything)")
    }

    @Test(
        "bash completes commands, options, words and environments",
        arguments: [
            ("corewire val", "validate-config"), ("corewire env s", "show"),
            ("corewire validate-config --for", "--format"), ("corewire validate-config --format s", "sarif"),
            ("corewire env show st", "stage"), ("corewire completion f", "fish"),
            ("corewire explain network.ret", "network.retries"), ("corewire schema pu", "push"),
            ("corewire help ou", "outbox"), ("corewire help --format m", "man"), ("corewire status --format j", "json"),
            ("corewire --help sta", "status"),
        ]
    )
    func bash(line: String, word: String) throws {
        let folder = try TemporaryFolder()
        let file = try Self.script("bash", in: folder)
        let ask = """
            . \(file)
            COMP_WORDS=(\(line)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _corewire; printf '%s\\n' "${COMPREPLY[@]}"
            """
        let run = try Program.run("bash", ["-c", ask], environment: Self.path(with: Program.buildFolder.path))
        let words = run.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(words.contains(word), "\(run.everything)")
        // What does not begin like that is no completion of it.
        let typed = try #require(line.split(separator: " ").last)
        #expect(words.allSatisfy { $0.hasPrefix(typed) }, "\(run.everything)")
    }

    @Test(
        "fish completes commands, options, words and environments",
        .enabled(if: Program.isInstalled("fish")),
        arguments: [
            ("corewire val", "validate-config"), ("corewire env s", "show"),
            ("corewire validate-config --for", "--format"), ("corewire validate-config --format s", "sarif"),
            ("corewire env show st", "stage"),
        ]
    )
    func fish(line: String, word: String) throws {
        let folder = try TemporaryFolder()
        let file = try Self.script("fish", in: folder)
        let run = try Program.run(
            "fish",
            ["-c", "source \(file); complete -C '\(line)'"],
            environment: Self.path(with: Program.buildFolder.path)
        )
        #expect(
            run.output.split(separator: "\n").contains { $0.split(separator: "\t").first.map(String.init) == word },
            "\(run.everything)"
        )
    }

    /// What the functions of zsh's completion are given, which are none outside of it.
    private static let zshGiven = """
        compadd() { shift; print -rl -- "$@" }
        _files() { print -r -- '(files)' }
        _describe() { print -rl -- "${(@P)2}" }
        """

    @Test(
        "zsh completes commands, options, words, files and environments",
        .enabled(if: Program.isInstalled("zsh")),
        arguments: [
            ("corewire val", "validate-config", false, false), ("corewire env s", "show", false, false),
            ("corewire completion f", "fish", false, false),
            ("corewire explain network.ret", "network.retries", false, false),
            ("corewire validate-config --for", "--format", true, false), ("corewire help ou", "outbox", false, false),
            ("corewire validate-config --format s", "sarif", false, false),
            ("corewire help --format m", "man", false, false),
            ("corewire push register --wait x", "--wait", false, false),
            ("corewire run --env s", "stage", false, true), ("corewire status --config x", "(files)", true, false),
            ("corewire env show st", "--format", false, true), ("corewire env diff stage pr", "--help", false, true),
        ]
    )
    func zshOffers(line: String, word: String, hasFiles: Bool, hasEnvironments: Bool) throws {
        let folder = try TemporaryFolder()
        let file = try Self.script("zsh", in: folder)
        let run = try Program.run(
            "zsh",
            ["-fc", "\(Self.zshGiven)\nwords=(\(line)); CURRENT=$#words; . \(file)"],
            environment: Self.path(with: Program.buildFolder.path)
        )
        // Each with its help behind a colon.
        let words = run.output.split(separator: "\n").map { String($0.prefix { $0 != ":" }) }
        #expect(words.contains(word), "\(run.everything)")
        #expect(words.contains("(files)") == hasFiles, "\(run.everything)")
        #expect(words.contains("stage") == hasEnvironments, "\(run.everything)")
    }

    @Test("the zsh script is valid", .enabled(if: Program.isInstalled("zsh")))
    func zsh() throws {
        let folder = try TemporaryFolder()
        let run = try Program.run("zsh", ["-n", try Self.script("zsh", in: folder)])
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    }
}
