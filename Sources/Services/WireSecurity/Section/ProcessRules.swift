package import WireConfig
import WireSecurityContract
import WireService

/// Another process traces this one: `TracerPid` in `/proc/self/status`.
package struct DebuggerRule: SecurityRule {
    package let reaction: Reaction
    @Setting package var deny: Bool
    @Setting package var allow: [Allowed<ProcessName>]

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .critical, "MASVS-RESILIENCE-4")
        _deny = keys.value(
            "deny",
            "Whether the process prevents tracing by all users but root; always on with remote servers.",
            or: false
        )
        _allow = keys.value("allow", "Processes that may trace this one.", or: [], .example("[crash-reporter]"))
    }

    var search: SecuritySearch { SecuritySearch(items: ["TracerPid"]) }
}

/// Reverse-engineering tools.
package struct ToolsRule: SecurityRule {
    package let reaction: Reaction
    @Setting package var processes: [ProcessName]
    @Setting package var programs: [ProcessName]
    @Setting package var threads: [ProcessName]
    @Setting package var builds: [BuildStamp]
    @Setting package var allow: [Allowed<ProcessName>]

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .high, "MASVS-RESILIENCE-4")
        _processes = keys.value(
            "processes",
            "Names of processes that must not run.",
            or: [
                "frida-server", "frida-helper", "re.frida.server", "gdb", "gdbserver", "lldb-server", "strace",
                "ltrace",
                "bpftrace", "perf", "radare2", "r2", "rizin", "ida", "ida64", "ghidra", "hopper", "mitmproxy",
                "mitmdump",
                "burpsuite", "charles", "tcpdump", "wireshark", "dumpcap", "rr", "valgrind", "objection",
            ].map(ProcessName.init(known:))
        )
        _programs = keys.value(
            "programs",
            "Programs that must not be installed, on PATH and in /opt.",
            or: [],
            .example("[frida, gdb]")
        )
        _builds = keys.value(
            "builds",
            "Build-ids of programs that must not run under any name, as 'file' prints them.",
            or: [],
            .example("[\(BuildStamp.textForm.example)]")
        )
        _threads = keys.value(
            "threads",
            "Threads that tools start inside this process.",
            or: ["gum-js-loop", "pool-frida", "linjector"].map(ProcessName.init(known:))
        )
        _allow = keys.value("allow", "Allowed tools.", or: [], .example("[tcpdump]"))
    }

    var search: SecuritySearch {
        SecuritySearch(
            items: (processes + programs + threads).map(\.text),
            allowed: allow.map(\.item.text),
            places: [$processes, $programs, $threads],
            allowedPlace: $allow
        )
    }
}

/// An unexpected parent process.
package struct ParentRule: SecurityRule {
    package let reaction: Reaction
    @Setting package var expected: [ProcessName]
    @Setting package var forbidden: [ProcessName]

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .high, "MASVS-RESILIENCE-4")
        _expected = keys.value(
            "expected",
            "Allowed parents. An empty list allows all that are not forbidden.",
            or: [],
            .example("[systemd, containerd-shim]")
        )
        _forbidden = keys.value(
            "forbidden",
            "Forbidden parents.",
            or: ["gdb", "lldb", "strace", "ltrace", "frida", "rr", "valgrind", "perf"].map(ProcessName.init(known:))
        )
    }

    var search: SecuritySearch {
        SecuritySearch(
            items: (expected + forbidden).map(\.text),
            places: [$forbidden, $expected]
        )
    }
}

/// Foreign code loaded into the process.
package struct InjectionRule: SecurityRule {
    package let reaction: Reaction
    @Setting package var variables: [VariableName]
    @Setting package var libraries: [String]
    @Setting package var folders: [AbsolutePath]
    @Setting package var allow: [Allowed<String>]

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .critical, "MASVS-RESILIENCE-2", "MASVS-RESILIENCE-4")
        _variables = keys.value(
            "variables",
            "Forbidden environment variables, which make the loader load code.",
            or: ["LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "LD_DEBUG", "GCONV_PATH"].map(VariableName.init(known:))
        )
        _libraries = keys.value(
            "libraries",
            "Forbidden parts of library names.",
            or: ["frida", "gadget", "linjector", "substrate"]
        )
        _folders = keys.value(
            "folders",
            "Allowed folders of libraries, besides the program's own. An empty list allows all folders.",
            or: [],
            .example("[/lib, /usr/lib]")
        )
        _allow = keys.value(
            "allow",
            "Libraries allowed from any folder, by name.",
            or: [],
            .example("[libjemalloc.so.2]")
        )
    }

    var search: SecuritySearch {
        SecuritySearch(
            items: variables.map(\.text) + libraries + folders.map(\.text),
            places: [$libraries, $variables, $folders],
            allowedPlace: $allow
        )
    }
}

/// Hooked functions.
package struct HooksRule: SecurityRule {
    package let reaction: Reaction
    @Setting package var functions: [String]
    @Setting package var allow: [Allowed<String>]

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .critical, "MASVS-RESILIENCE-4")
        _functions = keys.value(
            "functions",
            "Functions whose code must match the file of their library.",
            or: ["open", "read", "write", "connect", "getaddrinfo", "SSL_read", "SSL_write", "SSL_get_verify_result"]
        )
        _allow = keys.value(
            "allow",
            "Libraries that may replace the functions, by name.",
            or: [],
            .example("[libasan.so.8]")
        )
    }

    var search: SecuritySearch {
        SecuritySearch(items: functions, places: [$functions], allowedPlace: $allow)
    }
}
