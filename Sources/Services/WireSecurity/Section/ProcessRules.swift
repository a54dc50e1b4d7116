public import WireConfig
import WireService

/// Another process traces this one: `TracerPid` in `/proc/self/status`.
public struct DebuggerRule: SecurityRule {
    /// What happens.
    public let reaction: Reaction
    /// Whether tracing is made impossible besides.
    @Setting public var deny: Bool
    /// Tracers that are welcome.
    @Setting public var allow: [Allowed<ProcessName>]

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .critical, "MASVS-RESILIENCE-4")
        _deny = keys.value(
            "deny",
            "Whether the process makes itself untraceable for all but root; one that speaks to remote servers always does.",
            or: false
        )
        _allow = keys.value("allow", "Processes that may trace this one.", or: [], .example("[crash-reporter]"))
    }

    var search: SecuritySearch { SecuritySearch(items: ["TracerPid"]) }
}

/// Tools for taking programs apart.
public struct ToolsRule: SecurityRule {
    /// What happens.
    public let reaction: Reaction
    /// Processes that must not run.
    @Setting public var processes: [ProcessName]
    /// Programs that must not be installed.
    @Setting public var programs: [ProcessName]
    /// Threads that tools start inside this process.
    @Setting public var threads: [ProcessName]
    /// What tools are stamped with that go by other names.
    @Setting public var builds: [BuildStamp]
    /// Those that are welcome.
    @Setting public var allow: [Allowed<ProcessName>]

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .high, "MASVS-RESILIENCE-4")
        _processes = keys.value(
            "processes",
            "Processes that must not run.",
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
            "Programs that must not be installed, looked for on PATH and in /opt.",
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
        _allow = keys.value("allow", "Those that are welcome on this machine.", or: [], .example("[tcpdump]"))
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
public struct ParentRule: SecurityRule {
    /// What happens.
    public let reaction: Reaction
    /// The only parents expected.
    @Setting public var expected: [ProcessName]
    /// Parents that must not be.
    @Setting public var forbidden: [ProcessName]

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .high, "MASVS-RESILIENCE-4")
        _expected = keys.value(
            "expected",
            "The only processes that may start this one; empty for any that is not forbidden.",
            or: [],
            .example("[systemd, containerd-shim]")
        )
        _forbidden = keys.value(
            "forbidden",
            "Processes that must not start this one.",
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
public struct InjectionRule: SecurityRule {
    /// What happens.
    public let reaction: Reaction
    /// Environment variables that load code.
    @Setting public var variables: [VariableName]
    /// Parts of the names of libraries that must not be loaded.
    @Setting public var libraries: [String]
    /// The only folders libraries may come from.
    @Setting public var folders: [AbsolutePath]
    /// Libraries that are welcome wherever they come from.
    @Setting public var allow: [Allowed<String>]

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .critical, "MASVS-RESILIENCE-2", "MASVS-RESILIENCE-4")
        _variables = keys.value(
            "variables",
            "Environment variables that make the loader load code; none may be set.",
            or: ["LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "LD_DEBUG", "GCONV_PATH"].map(VariableName.init(known:))
        )
        _libraries = keys.value(
            "libraries",
            "Parts of names; no library whose name holds one may be loaded.",
            or: ["frida", "gadget", "linjector", "substrate"]
        )
        _folders = keys.value(
            "folders",
            "The only folders libraries may come from, besides the program's own; empty for any.",
            or: [],
            .example("[/lib, /usr/lib]")
        )
        _allow = keys.value(
            "allow",
            "Libraries that are welcome wherever they come from, by name.",
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

/// Functions led elsewhere.
public struct HooksRule: SecurityRule {
    /// What happens.
    public let reaction: Reaction
    /// Functions that must be where their library is, untouched.
    @Setting public var functions: [String]
    /// Libraries that may take their place.
    @Setting public var allow: [Allowed<String>]

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .critical, "MASVS-RESILIENCE-4")
        _functions = keys.value(
            "functions",
            "Functions that must lie in their own library and begin as it has them.",
            or: ["open", "read", "write", "connect", "getaddrinfo", "SSL_read", "SSL_write", "SSL_get_verify_result"]
        )
        _allow = keys.value(
            "allow",
            "Libraries that may take their place, by name.",
            or: [],
            .example("[libasan.so.8]")
        )
    }

    var search: SecuritySearch {
        SecuritySearch(items: functions, places: [$functions], allowedPlace: $allow)
    }
}
