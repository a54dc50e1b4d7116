package import WireConfig

/// The catalogue of rules; those that the file names are applied.
package struct SecurityRules: Record {
    @Setting package var debugger: DebuggerRule?
    @Setting package var reverseEngineeringTools: ToolsRule?
    @Setting package var root: RootRule?
    @Setting package var sandbox: SandboxRule?
    @Setting package var suspiciousFiles: FilesRule?
    @Setting package var openPorts: PortsRule?
    @Setting package var libraryInjection: InjectionRule?
    @Setting package var runtimeHooks: HooksRule?
    @Setting package var emulator: EmulatorRule?
    @Setting package var integrity: IntegrityRule?
    @Setting package var writableFiles: WritableRule?
    @Setting package var symbolicLinks: LinksRule?
    @Setting package var proxy: ProxyRule?
    @Setting package var parentProcess: ParentRule?
    @Setting package var lockdown: LockdownRule?
    @Setting package var developerMode: DeveloperRule?
    @Setting package var diskEncryption: EncryptionRule?
    @Setting package var coreDumps: CoreDumpRule?
    @Setting package var platformVersion: PlatformRule?
    @Setting package var screenLock: ScreenLockRule?
    @Setting package var clock: ClockRule?
    @Setting package var clearSecrets: ClearSecretsRule?
    @Setting package var weakSettings: WeakSettingsRule?
    @Setting package var signature: SignatureRule?
    @Setting package var appVersion: AppVersionRule?

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
