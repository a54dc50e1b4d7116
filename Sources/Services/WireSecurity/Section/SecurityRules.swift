public import WireConfig

/// The catalogue of rules; those that the file names are applied.
public struct SecurityRules: Record {
    /// Another process traces this one.
    @Setting public var debugger: DebuggerRule?
    /// Tools for taking programs apart.
    @Setting public var reverseEngineeringTools: ToolsRule?
    /// More rights than the app needs.
    @Setting public var root: RootRule?
    /// Fewer walls around the process than it should have.
    @Setting public var sandbox: SandboxRule?
    /// Files that only tools leave behind.
    @Setting public var suspiciousFiles: FilesRule?
    /// Ports that tools listen on.
    @Setting public var openPorts: PortsRule?
    /// Foreign code loaded into the process.
    @Setting public var libraryInjection: InjectionRule?
    /// Functions led elsewhere.
    @Setting public var runtimeHooks: HooksRule?
    /// A machine that is none.
    @Setting public var emulator: EmulatorRule?
    /// Files that are not what they were.
    @Setting public var integrity: IntegrityRule?
    /// Files others may change.
    @Setting public var writableFiles: WritableRule?
    /// Paths that lead elsewhere.
    @Setting public var symbolicLinks: LinksRule?
    /// Somebody between the app and its servers.
    @Setting public var proxy: ProxyRule?
    /// An unexpected parent process.
    @Setting public var parentProcess: ParentRule?
    /// Protections of the system that are off.
    @Setting public var lockdown: LockdownRule?
    /// A system set up for development.
    @Setting public var developerMode: DeveloperRule?
    /// Data on a disk that is not encrypted.
    @Setting public var diskEncryption: EncryptionRule?
    /// Memory that may end up in a file.
    @Setting public var coreDumps: CoreDumpRule?
    /// A system that is too old.
    @Setting public var platformVersion: PlatformRule?
    /// A screen that stays open.
    @Setting public var screenLock: ScreenLockRule?
    /// A clock that is far off.
    @Setting public var clock: ClockRule?
    /// Secrets in the services file.
    @Setting public var clearSecrets: ClearSecretsRule?
    /// Settings that are weaker than they need be.
    @Setting public var weakSettings: WeakSettingsRule?
    /// A services file that nobody has signed.
    @Setting public var signature: SignatureRule?
    /// A version of the app that was switched off.
    @Setting public var appVersion: AppVersionRule?

    package init(_ keys: inout Keys) {
        _debugger = keys.optional(
            "debugger",
            "Another process traces this one (MASVS-RESILIENCE-4).",
            .example("{ action: stop }")
        )
        _reverseEngineeringTools = keys.optional(
            "reverseEngineeringTools",
            "Tools for taking programs apart run or are installed (MASVS-RESILIENCE-4)."
        )
        _root = keys.optional("root", "The process has more rights than the app needs (MASVS-RESILIENCE-1).")
        _sandbox = keys.optional(
            "sandbox",
            "The process lacks walls the deployment should give it (MASVS-RESILIENCE-1)."
        )
        _suspiciousFiles = keys.optional(
            "suspiciousFiles",
            "Files are there that only tools leave behind (MASVS-RESILIENCE-1)."
        )
        _openPorts = keys.optional("openPorts", "Something listens on a port that tools use (MASVS-RESILIENCE-4).")
        _libraryInjection = keys.optional(
            "libraryInjection",
            "Foreign code is loaded into the process (MASVS-RESILIENCE-2, -4)."
        )
        _runtimeHooks = keys.optional(
            "runtimeHooks",
            "Functions lead somewhere else than they should (MASVS-RESILIENCE-4)."
        )
        _emulator = keys.optional("emulator", "The machine is virtual, or a container (MASVS-RESILIENCE-1).")
        _integrity = keys.optional(
            "integrity",
            "Files are not what they were when the app was built (MASVS-RESILIENCE-2)."
        )
        _writableFiles = keys.optional(
            "writableFiles",
            "Files of the app may be changed by others (MASVS-STORAGE-1, MASVS-RESILIENCE-2)."
        )
        _symbolicLinks = keys.optional(
            "symbolicLinks",
            "Paths of the app lead elsewhere through links (MASVS-RESILIENCE-2)."
        )
        _proxy = keys.optional("proxy", "Somebody may stand between the app and its servers (MASVS-NETWORK-1).")
        _parentProcess = keys.optional(
            "parentProcess",
            "The process was started by something unexpected (MASVS-RESILIENCE-4)."
        )
        _lockdown = keys.optional("lockdown", "Protections of the system are off (MASVS-RESILIENCE-1).")
        _developerMode = keys.optional("developerMode", "The system is set up for development (MASVS-RESILIENCE-4).")
        _diskEncryption = keys.optional("diskEncryption", "Data lie on a disk that is not encrypted (MASVS-STORAGE-1).")
        _coreDumps = keys.optional("coreDumps", "A crash would write memory, tokens too, to a file (MASVS-STORAGE-2).")
        _platformVersion = keys.optional("platformVersion", "The system is older than the app asks for (MASVS-CODE-1).")
        _screenLock = keys.optional("screenLock", "The screen of the user stays open (MASVS-AUTH-2).")
        _clock = keys.optional("clock", "The clock is far off (MASVS-RESILIENCE-1).")
        _clearSecrets = keys.optional(
            "clearSecrets",
            "Secrets stand in the services file as they are (MASVS-STORAGE-1)."
        )
        _weakSettings = keys.optional(
            "weakSettings",
            "The services file allows what is weaker than it need be (MASVS-NETWORK-1, MASVS-CRYPTO-1)."
        )
        _signature = keys.optional(
            "signature",
            "The services file is not signed by whom it must be (MASVS-RESILIENCE-2)."
        )
        _appVersion = keys.optional("appVersion", "The server has switched this version of the app off (MASVS-CODE-2).")
    }

    /// The rules that are applied, by name.
    var all: [(name: String, rule: any SecurityRule, place: Place)] {
        catalogue.compactMap { name, rule, place in rule.map { (name, $0, place) } }
    }

    /// The rules as they would be if the file named them with nothing behind; those that cannot be are not among them.
    static let usual: [(name: String, rule: any SecurityRule)] = [
        ("debugger", DebuggerRule.placeholder),
        ("reverseEngineeringTools", ToolsRule.placeholder),
        ("root", RootRule.placeholder),
        ("sandbox", SandboxRule.placeholder),
        ("suspiciousFiles", FilesRule.placeholder),
        ("openPorts", PortsRule.placeholder),
        ("libraryInjection", InjectionRule.placeholder),
        ("runtimeHooks", HooksRule.placeholder),
        ("emulator", EmulatorRule.placeholder),
        ("integrity", IntegrityRule.placeholder),
        ("writableFiles", WritableRule.placeholder),
        ("symbolicLinks", LinksRule.placeholder),
        ("proxy", ProxyRule.placeholder),
        ("parentProcess", ParentRule.placeholder),
        ("lockdown", LockdownRule.placeholder),
        ("developerMode", DeveloperRule.placeholder),
        ("diskEncryption", EncryptionRule.placeholder),
        ("coreDumps", CoreDumpRule.placeholder),
        ("screenLock", ScreenLockRule.placeholder),
        ("clock", ClockRule.placeholder),
        ("clearSecrets", ClearSecretsRule.placeholder),
        ("weakSettings", WeakSettingsRule.placeholder),
    ]

    /// The rules that need to be told something, as they would be with an example.
    static let demanding: [(name: String, rule: any SecurityRule)] = [
        ("platformVersion", PlatformRule.placeholder),
        ("signature", SignatureRule.placeholder),
        ("appVersion", AppVersionRule.placeholder),
    ]

    /// Where each rule is written, or could be.
    var places: [(name: String, place: Place)] { catalogue.map { ($0.name, $0.place) } }

    private var catalogue: [(name: String, rule: (any SecurityRule)?, place: Place)] {
        [
            ("debugger", debugger, $debugger),
            ("reverseEngineeringTools", reverseEngineeringTools, $reverseEngineeringTools),
            ("root", root, $root),
            ("sandbox", sandbox, $sandbox),
            ("suspiciousFiles", suspiciousFiles, $suspiciousFiles),
            ("openPorts", openPorts, $openPorts),
            ("libraryInjection", libraryInjection, $libraryInjection),
            ("runtimeHooks", runtimeHooks, $runtimeHooks),
            ("emulator", emulator, $emulator),
            ("integrity", integrity, $integrity),
            ("writableFiles", writableFiles, $writableFiles),
            ("symbolicLinks", symbolicLinks, $symbolicLinks),
            ("proxy", proxy, $proxy),
            ("parentProcess", parentProcess, $parentProcess),
            ("lockdown", lockdown, $lockdown),
            ("developerMode", developerMode, $developerMode),
            ("diskEncryption", diskEncryption, $diskEncryption),
            ("coreDumps", coreDumps, $coreDumps),
            ("platformVersion", platformVersion, $platformVersion),
            ("screenLock", screenLock, $screenLock),
            ("clock", clock, $clock),
            ("clearSecrets", clearSecrets, $clearSecrets),
            ("weakSettings", weakSettings, $weakSettings),
            ("signature", signature, $signature),
            ("appVersion", appVersion, $appVersion),
        ]
    }
}
