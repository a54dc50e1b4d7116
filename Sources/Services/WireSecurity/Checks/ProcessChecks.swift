import WireBase
import WireConfig
import WireSecurityContract
import WireService

// The checks of rules about processes.

extension DebuggerRule {
    static let card = RuleCard(
        title: "Debugger Check",
        condition: "another process traces this one",
        reads: "TracerPid in /proc/self/status",
        advice: """
            A tracer sees every token in clear and can change the program. gdb, strace, ltrace and rr trace; so do \
            some crash reporters, which 'allow' can name. 'deny: true' prevents tracing by all users but root. Root \
            can trace and hide it: the rule detects, and does not protect.
            """,
        usual: .seconds(2),
        isBaseline: true
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        if deny { try context.probes.denyTracing() }
        guard let tracer = try context.probes.tracer() else { return .clear }
        var findings = RuleFindings()
        let name = tracer.name.isEmpty ? "an invisible process" : tracer.name
        findings.add([(tracer.name, "\(name) (process \(tracer.id)) traces this process")], allowing: allow)
        return findings
    }
}

extension ToolsRule {
    static let card = RuleCard(
        title: "Reverse Engineering Tools Check",
        condition: "a reverse-engineering tool is running or installed",
        reads: "names, programs and build-ids in /proc, the threads of this process, PATH and /opt",
        advice: """
            A tool is recognized by its name or its program's, and under another name by its build-id, if the tool \
            is installed as well or 'builds' has the id. A running tool is not necessarily used against this app: on \
            a developer's machine list it under 'allow', with the reason. Where /proc hides the processes of others \
            (hidepid) the rule is inconclusive.
            """,
        isBaseline: true
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        var findings = RuleFindings()
        var found: [(name: String, evidence: String)] = []
        var builds = Dictionary(
            self.builds.map { ($0.hexadecimal, "a program of build \($0)") },
            uniquingKeysWith: { first, _ in first }
        )
        for name in processes.map(\.text) {
            for path in try context.probes.installations(of: name) {
                let build = context.probes.build(of: path)
                if !build.isEmpty { builds[build] = name }
            }
        }
        let names = ProcessNames(processes.map(\.text))
        let seen = try context.probes.processes()
        for process in seen.processes {
            if let name = names.name(of: process) {
                found.append((name, "\(name) runs (process \(process.id))"))
            } else if let name = builds[process.build] {
                found.append((name, "\(name) runs as \(process.name.quoted) (process \(process.id))"))
            }
        }
        if let hidden = seen.hidden { findings.doubts.append(hidden) }
        let threads = try context.probes.threads()
        for name in self.threads.map(\.text) where threads.contains(where: { $0 == String(name.prefix(15)) }) {
            found.append((name, "this process has a thread \(name.quoted)"))
        }
        for name in programs.map(\.text) {
            for path in try context.probes.installations(of: name) { found.append((name, "\(path) is installed")) }
        }
        findings.add(found, allowing: allow)
        return findings
    }
}

/// The names of processes.
private struct ProcessNames {
    private var whole: Set<String>
    /// The kernel truncates process names.
    private var cut: [String: String] = [:]

    init(_ names: [String]) {
        whole = Set(names)
        for name in names { cut[String(decoding: name.utf8.prefix(15), as: UTF8.self)] = name }
    }

    /// The listed name of a process: its own, or that of its program or first argument.
    func name(of process: SeenProcess) -> String? {
        if let name = cut[process.name] { return name }
        for path in [process.program, process.command] {
            var last =
                path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
            if last.hasSuffix(" (deleted)") { last.removeLast(" (deleted)".count) }
            if whole.contains(String(last)) { return String(last) }
        }
        return nil
    }
}

extension ParentRule {
    static let card = RuleCard(
        title: "Parent Process Check",
        condition: "the process has an unexpected parent",
        reads: "the name of the parent process",
        advice: """
            Debuggers start the program they debug. With 'expected' only the listed parents are allowed. Under \
            systemd the parent is 'systemd'; after the parent's end, the process gets another one, often with the \
            number 1.
            """,
        isBaseline: true
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        let parent = try context.probes.parent()
        if let name = ProcessNames(forbidden.map(\.text)).name(of: parent) {
            return RuleFindings(evidence: ["\(name) started this process"])
        }
        guard !expected.isEmpty, ProcessNames(expected.map(\.text)).name(of: parent) == nil else { return .clear }
        return RuleFindings(evidence: ["\(parent.name) started this process"])
    }
}

extension DeveloperRule {
    static let card = RuleCard(
        title: "Developer Mode Check",
        condition: "users may trace each other's programs, or load programs into the kernel",
        reads: "kernel.yama.ptrace_scope, kernel.unprivileged_bpf_disabled",
        advice: """
            With a scope of 0 every program may trace all others of the same user. This is the default of Debian's \
            kernel; 'sysctl kernel.yama.ptrace_scope=1' changes it.
            """
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        var findings = RuleFindings()
        findings.gather { () throws(Fault) in
            let scope = try context.probes.tracingScope()
            return scope < minPtraceScope ? ["kernel.yama.ptrace_scope is \(scope)"] : []
        }
        findings.gather { () throws(Fault) in
            if allowsUnprivilegedBPF { return [] }
            return try context.probes.allowsUnprivilegedBPF() ? ["kernel.unprivileged_bpf_disabled is 0"] : []
        }
        return findings
    }
}

extension CoreDumpRule {
    static let card = RuleCard(
        title: "Core Dump Check",
        condition: "a crash would write the memory of the process to a file",
        reads: "RLIMIT_CORE and PR_GET_DUMPABLE",
        advice: """
            Memory contains tokens in clear. With 'deny: true', the default, the process first forbids its own core \
            dumps, and the rule finds nothing.
            """,
        isBaseline: true
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        if deny { try context.probes.denyCoreDumps() }
        let dumps = try context.probes.coreDumps()
        guard dumps.limit > 0, dumps.isDumpable else { return .clear }
        let amount = dumps.limit == .max ? "all of it" : "\(dumps.limit) bytes"
        return RuleFindings(evidence: ["a core dump may contain \(amount)"])
    }
}

extension InjectionRule {
    static let card = RuleCard(
        title: "Library Injection Check",
        condition: "foreign code is loaded into the process",
        reads: "LD_* variables at the start of the process, /etc/ld.so.preload, /proc/self/maps",
        advice: """
            The rule finds variables that make the loader load code, libraries by parts of their names, executable \
            memory that is writable or belongs to a file that never was on a disk, and, with 'folders', libraries \
            from elsewhere. LD_LIBRARY_PATH is legitimate on some machines: remove it from 'variables' there. A \
            library updated while the process runs is not taken for an injected one.
            """,
        isBaseline: true
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        var findings = RuleFindings()
        var found: [(name: String, evidence: String)] = []
        let present = context.probes.variables()
        for name in variables.map(\.text) where !(present[name] ?? "").isEmpty {
            found.append((name, "the variable \(name) is set"))
        }
        if try context.probes.file("/etc/ld.so.preload") != nil {
            let text = String(
                decoding: try context.probes.bytes(of: "/etc/ld.so.preload", upTo: .kibibytes(64)),
                as: UTF8.self
            )
            let isEmpty = text.split(separator: "\n").allSatisfy {
                $0.allSatisfy(\.isWhitespace) || $0.drop(while: \.isWhitespace).hasPrefix("#")
            }
            if !isEmpty { found.append(("/etc/ld.so.preload", "/etc/ld.so.preload loads code into every program")) }
        }
        let parts = libraries.filter { !$0.isEmpty }.map { $0.lowercased() }
        // A library is mapped in several pieces with the same name.
        for (path, mappings) in Dictionary(grouping: try context.probes.mappings(), by: \.path) {
            let name = Self.fileName(path)
            let small = name.lowercased()
            if let part = parts.first(where: small.hasBytes(of:)) {
                found.append((name, "\(name.shown(upTo: 200)) is loaded (\(part))"))
                continue
            }
            for mapping in mappings {
                if let words = objection(to: mapping, context) { found.append((name, words)) }
            }
        }
        var told: Set<String> = []
        found.sort { $0.evidence < $1.evidence }
        findings.add(found.filter { told.insert($0.evidence).inserted }, allowing: allow)
        return findings
    }

    private func objection(to mapping: SeenMapping, _ context: RuleContext) -> String? {
        guard mapping.isExecutable, !mapping.path.hasPrefix("[") else { return nil }
        let shown = mapping.path.isEmpty ? "memory of no file" : mapping.path.shown(upTo: 200)
        if mapping.isWritable { return "\(shown) can be written and run" }
        if mapping.path.isEmpty { return "\(shown) can be run" }
        let passing = ["/memfd:", "/dev/shm/", "/tmp/", "/var/tmp/", "/run/", "/SYSV", "/dev/zero"]
        if mapping.isDeleted, passing.contains(where: mapping.path.hasPrefix) {
            return "\(shown) can be run, and its file is gone"
        }
        let home = context.ownFiles.program.lastIndex(of: "/").map { context.ownFiles.program[..<$0] } ?? ""
        guard !folders.isEmpty, mapping.path != context.ownFiles.program, !mapping.path.hasPrefix("\(home)/") else {
            return nil
        }
        let isInPlace = folders.contains { mapping.path.hasPrefix($0.text.hasSuffix("/") ? $0.text : "\($0.text)/") }
        return isInPlace ? nil : "\(shown) is loaded from another folder"
    }

    private static func fileName(_ path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
    }
}

extension HooksRule {
    static let card = RuleCard(
        title: "Runtime Hook Check",
        condition: "functions are hooked",
        reads: "the addresses of the functions, and their first bytes compared with the file",
        advice: """
            To read TLS traffic, an attacker redirects SSL_write: by a library with a function of the same name, or \
            by overwriting its first bytes. Sanitizers and some tracing agents do so legitimately; name their \
            libraries under 'allow'.
            """,
        isBaseline: true
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        var findings = RuleFindings()
        var found: [(name: String, evidence: String)] = []
        let seen = try context.probes.functions(functions)
        for name in functions {
            guard let function = seen[name] else { continue }
            let library = function.library.split(separator: "/").last.map(String.init) ?? function.library
            if !library.hasPrefix(Self.home(of: name)) {
                let place = library.isEmpty ? "memory of no library" : library
                found.append((library, "\(name) is in \(place)"))
            } else if !function.isUntouched {
                found.append((name, "\(name) differs from its beginning in \(library)"))
            }
        }
        findings.add(found, allowing: allow)
        return findings
    }

    /// The prefix of the name of a function's library.
    private static func home(of function: String) -> String {
        let homes = [
            ("SSL_", "libssl"), ("EVP_", "libcrypto"), ("X509_", "libcrypto"), ("curl_", "libcurl"),
            ("sqlite3_", "libsqlite3"), ("MHD_", "libmicrohttpd"), ("gnutls_", "libgnutls"),
        ]
        return homes.first { function.hasPrefix($0.0) }?.1 ?? "libc"
    }
}
