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

    /// A rule of the catalogue, as this file has it.
    struct Entry {
        let name: String
        let type: any SecurityRule.Type
        /// Nil where the file does not name it.
        let rule: (any SecurityRule)?
        /// Where it is written, or could be.
        let place: Place

        fileprivate init(_ name: String, _ type: any SecurityRule.Type, _ rule: (any SecurityRule)?, _ place: Place) {
            (self.name, self.type, self.rule, self.place) = (name, type, rule, place)
        }
    }

    /// The rules that the file names.
    var all: [(name: String, rule: any SecurityRule, place: Place)] {
        catalogue.compactMap { entry in entry.rule.map { (entry.name, $0, entry.place) } }
    }

    /// Every rule as it would be with nothing behind its name, or with an example where it must be told something.
    static let examples: [(name: String, rule: any SecurityRule)] =
        SecurityRules.placeholder.catalogue.map { ($0.name, $0.type.placeholder) }

    var catalogue: [Entry] {
        [
            Entry("debugger", DebuggerRule.self, debugger, $debugger),
            Entry("reverseEngineeringTools", ToolsRule.self, reverseEngineeringTools, $reverseEngineeringTools),
            Entry("root", RootRule.self, root, $root),
            Entry("sandbox", SandboxRule.self, sandbox, $sandbox),
            Entry("suspiciousFiles", FilesRule.self, suspiciousFiles, $suspiciousFiles),
            Entry("openPorts", PortsRule.self, openPorts, $openPorts),
            Entry("libraryInjection", InjectionRule.self, libraryInjection, $libraryInjection),
            Entry("runtimeHooks", HooksRule.self, runtimeHooks, $runtimeHooks),
            Entry("emulator", EmulatorRule.self, emulator, $emulator),
            Entry("integrity", IntegrityRule.self, integrity, $integrity),
            Entry("writableFiles", WritableRule.self, writableFiles, $writableFiles),
            Entry("symbolicLinks", LinksRule.self, symbolicLinks, $symbolicLinks),
            Entry("proxy", ProxyRule.self, proxy, $proxy),
            Entry("parentProcess", ParentRule.self, parentProcess, $parentProcess),
            Entry("lockdown", LockdownRule.self, lockdown, $lockdown),
            Entry("developerMode", DeveloperRule.self, developerMode, $developerMode),
            Entry("diskEncryption", EncryptionRule.self, diskEncryption, $diskEncryption),
            Entry("coreDumps", CoreDumpRule.self, coreDumps, $coreDumps),
            Entry("platformVersion", PlatformRule.self, platformVersion, $platformVersion),
            Entry("screenLock", ScreenLockRule.self, screenLock, $screenLock),
            Entry("clock", ClockRule.self, clock, $clock),
            Entry("clearSecrets", ClearSecretsRule.self, clearSecrets, $clearSecrets),
            Entry("weakSettings", WeakSettingsRule.self, weakSettings, $weakSettings),
            Entry("signature", SignatureRule.self, signature, $signature),
            Entry("appVersion", AppVersionRule.self, appVersion, $appVersion),
        ]
    }
}
