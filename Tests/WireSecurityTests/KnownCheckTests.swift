import Support
import Testing
import WireBase
import WireConfig
import WireSecurityContract
import WireService
import WireStore
import Workbench

@testable import WireSecurity

@Suite("Evaluation of security rules")
struct KnownCheckTests {
    /// One look of a rule, as a file has it.
    private func check(_ rule: String, _ probes: KnownProbes) async throws -> (
        outcome: SecurityOutcome, findings: RuleFindings
    ) {
        let section = try SectionInFile<SecuritySection>("rules: { \(rule) }")
        let read = try #require(section.settings.rules.all.first?.rule)
        return await RuleCheck.check(read, try Stage.context(probes))
    }

    private static let day: Int64 = 86_400_000

    static let ages: [(Int64, [String])] = [
        (0, []), (60 * day, []), (60 * day + 1, ["packages were last updated 60 days ago"]),
        (62 * day - 1, ["packages were last updated 61 days ago"]), (-61 * day, []),
    ]

    @Test("a package update older than the limit is a finding", arguments: ages)
    func updates(age: Int64, evidence: [String]) async throws {
        let probes = KnownProbes(release: "6.1", updated: HandClock().clockwork.wall() - age)
        let found = try await check(#"platformVersion: { kernel: "6.1", updatedWithin: 60d }"#, probes)
        #expect(found.findings.evidence == evidence)
        #expect(found.outcome == (evidence.isEmpty ? .clear : .detected))
        // Where the rule says nothing of packages, they are not looked at.
        let hidden = KnownProbes(release: "6.1")
        #expect(try await check(#"platformVersion: { kernel: "6.1" }"#, hidden).outcome == .clear)
        let unseen = try await check(#"platformVersion: { kernel: "6.1", updatedWithin: 60d }"#, hidden)
        #expect(unseen.outcome == .inconclusive)
    }

    @Test(
        "a kernel is compared by version numbers, and is inconclusive without them",
        arguments: [
            ("6.1", .clear), ("6.1.0-38-amd64", .clear), ("6.10.2", .clear), ("7", .clear),
            ("6.0.9-1-amd64", .detected), ("5.15", .detected), ("6", .detected), ("linux", .inconclusive),
        ] as [(String, SecurityOutcome)]
    )
    func kernels(release: String, outcome: SecurityOutcome) async throws {
        let found = try await check(#"platformVersion: { kernel: "6.1" }"#, KnownProbes(release: release))
        #expect(found.outcome == outcome)
        #expect(found.findings.evidence == (outcome == .detected ? ["the kernel is \(release), older than 6.1"] : []))
    }

    /// A library, or what is mapped as one.
    private static func code(
        _ path: String,
        isWritable: Bool = false,
        isExecutable: Bool = true,
        isDeleted: Bool = false
    ) -> SeenMapping {
        SeenMapping(path: path, isWritable: isWritable, isExecutable: isExecutable, isDeleted: isDeleted)
    }

    static let mappings: [(SeenMapping, String?)] = [
        (code("/lib/libc.so.6"), nil), (code("/usr/lib/x86_64/libcurl.so.4"), nil), (code("/usr/bin/app"), nil),
        (code("/usr/bin/own.so"), nil), (code("[vdso]"), nil), (code("/opt/data", isExecutable: false), nil),
        (code("/usr/lib/new.so", isDeleted: true), nil),
        (code("/opt/lib/other.so"), "/opt/lib/other.so is loaded from another folder"),
        (code("/library/other.so"), "/library/other.so is loaded from another folder"),
        (code("/usr/bin2/other.so"), "/usr/bin2/other.so is loaded from another folder"),
        (code("/lib/libc.so.6", isWritable: true), "/lib/libc.so.6 can be written and run"),
        (code("", isWritable: true), "memory of no file can be written and run"),
        (code(""), "memory of no file can be run"),
        (code("/tmp/a.so", isDeleted: true), "/tmp/a.so can be run, and its file is gone"),
        (code("/usr/lib/Frida-agent.so"), "Frida-agent.so is loaded (frida)"),
    ]

    @Test(
        "code must come from an allowed or own folder, from a file, and not be writable",
        arguments: mappings
    )
    func injection(mapping: SeenMapping, evidence: String?) async throws {
        let probes = KnownProbes(mapped: [mapping], texts: [:])
        let found = try await check("libraryInjection: { folders: [/lib, /usr/lib] }", probes)
        #expect(found.findings.evidence == (evidence.map { [$0] } ?? []))
        #expect(found.findings.doubts.isEmpty)
    }

    @Test(
        "without folders in the rule, code may come from anywhere",
        arguments: ["/opt/lib/other.so", "/lib/libc.so.6"]
    )
    func anyFolder(path: String) async throws {
        let probes = KnownProbes(mapped: [Self.code(path)], texts: [:])
        #expect(try await check("libraryInjection: {}", probes).outcome == .clear)
    }

    @Test(
        "entries of ld.so.preload are findings, except blank lines and comments",
        arguments: [
            ("", .clear), (" \n\t\n", .clear), ("# nothing\n  # at all\n", .clear), ("/usr/lib/agent.so\n", .detected),
            ("# one\n/usr/lib/agent.so # two", .detected),
        ] as [(String, SecurityOutcome)]
    )
    func preload(text: String, outcome: SecurityOutcome) async throws {
        let probes = KnownProbes(mapped: [], texts: ["/etc/ld.so.preload": text])
        let found = try await check("libraryInjection: {}", probes)
        #expect(found.outcome == outcome)
        let evidence = ["/etc/ld.so.preload loads code into every program"]
        #expect(found.findings.evidence == (outcome == .detected ? evidence : []))
    }

    @Test(
        "ld.so.preload is read up to 64 KiB",
        arguments: [(65_536, .clear), (65_537, .inconclusive)] as [(Int, SecurityOutcome)]
    )
    func longPreload(count: Int, outcome: SecurityOutcome) async throws {
        let probes = KnownProbes(mapped: [], texts: ["/etc/ld.so.preload": String(repeating: "#", count: count)])
        #expect(try await check("libraryInjection: {}", probes).outcome == outcome)
    }

    @Test(
        "if the server is unreachable, its last response for this version applies, if the rule allows it",
        arguments: [
            ("1.0.0", true, "lastAnswer", .detected), ("1.0.0", false, "lastAnswer", .clear),
            ("0.9.0", true, "lastAnswer", .clear), ("1.0.0", true, "inconclusive", .inconclusive),
        ] as [(String, Bool, String, SecurityOutcome)]
    )
    func offline(version: String, isDisabled: Bool, offline: String, outcome: SecurityOutcome) async throws {
        let bench = try Workbench()
        let section = try SectionInFile<SecuritySection>(
            file: """
                version: 1
                app: { id: com.example.tasks, version: 1.0.0 }
                security:
                  rules:
                    appVersion: { url: "https://security.example.com", offline: \(offline) }

                """
        )
        let host: ServiceHost = bench.host(for: section)
        let answer = JSONValue.members([
            "version": .string(version), "disabled": .boolean(isDisabled), "disabledMessage": .string("update"),
        ])
        let value = NewValue(answer.bytes(), type: "application/json")
        let space = "corewire/security/\(host.environmentScope)"
        _ = try await host.stores.device.values.put(value, under: "version", in: space, if: .always)
        let rule = try #require(section.settings.rules.all.first?.rule)
        let (found, findings) = await RuleCheck.check(rule, Stage.context(KnownProbes(), host))
        #expect(found == outcome)
        let evidence = ["the server has disabled version 1.0.0, with the message 'update'"]
        #expect(findings.evidence == (outcome == .detected ? evidence : []))
        // The store reads from the folder of the bench, which goes away with it.
        withExtendedLifetime(bench) {}
    }

    @Test("if the server is unreachable, and its last response cannot be read, the check is inconclusive")
    func unreadable() async throws {
        let bench = try Workbench()
        let section = try SectionInFile<SecuritySection>(
            file: """
                version: 1
                app: { id: com.example.tasks, version: 1.0.0 }
                security:
                  rules:
                    appVersion: { url: "https://security.example.com", offline: lastAnswer }

                """
        )
        let values = FailingReads(bench.store)
        values.fail("version")
        let host: ServiceHost = bench.host(for: section, values: values)
        let rule = try #require(section.settings.rules.all.first?.rule)
        #expect(await RuleCheck.check(rule, Stage.context(KnownProbes(), host)).0 == .inconclusive)
        withExtendedLifetime(bench) {}
    }

    @Test(
        "a capability has the kernel's name; an unknown one gets a suggestion, with or without CAP_",
        arguments: [
            ("bpf", "did you mean 'CAP_BPF'?", "CAP_BPF"), ("cap_bpf", "did you mean 'CAP_BPF'?", "CAP_BPF"),
            ("CAP_KIL", "did you mean 'CAP_KILL'?", "CAP_KILL"), ("kill", "did you mean 'CAP_KILL'?", "CAP_KILL"),
            ("CAP_SETXID", "did you mean 'CAP_SETGID' or 'CAP_SETUID'?", nil), ("CAP_NONSENSE", nil, nil),
        ] as [(String, String?, String?)]
    )
    func capabilities(text: String, help: String?, fix: String?) throws {
        let misread = try #require(throws: Misread.self) { try Capability(parsing: text) }
        #expect(misread.help == help)
        #expect(misread.fix == fix)
        #expect(try Capability(parsing: "CAP_BPF").text == "CAP_BPF")
    }
}
