package import WireConfig

/// The catalogue of rules, of which the file's are applied.
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
            "A reverse-engineering tool is running or installed (MASVS-RESILIENCE-4)."
        )
        _root = keys.optional("root", "The process has more rights than the app needs (MASVS-RESILIENCE-1).")
        _sandbox = keys.optional(
            "sandbox",
            "The process is not sandboxed (MASVS-RESILIENCE-1)."
        )
        _suspiciousFiles = keys.optional(
            "suspiciousFiles",
            "Files of analysis tools exist (MASVS-RESILIENCE-1)."
        )
        _openPorts = keys.optional("openPorts", "A port of an analysis tool is open (MASVS-RESILIENCE-4).")
        _libraryInjection = keys.optional(
            "libraryInjection",
            "Foreign code is loaded into the process (MASVS-RESILIENCE-2, -4)."
        )
        _runtimeHooks = keys.optional(
            "runtimeHooks",
            "Functions are hooked (MASVS-RESILIENCE-4)."
        )
        _emulator = keys.optional("emulator", "The machine is virtual, or a container (MASVS-RESILIENCE-1).")
        _integrity = keys.optional(
            "integrity",
            "Files have changed since the app was built (MASVS-RESILIENCE-2)."
        )
        _writableFiles = keys.optional(
            "writableFiles",
            "Other users may change files of the app (MASVS-STORAGE-1, MASVS-RESILIENCE-2)."
        )
        _symbolicLinks = keys.optional(
            "symbolicLinks",
            "Paths of the app contain symbolic links (MASVS-RESILIENCE-2)."
        )
        _proxy = keys.optional("proxy", "Traffic between the app and its servers may be intercepted (MASVS-NETWORK-1).")
        _parentProcess = keys.optional(
            "parentProcess",
            "The process has an unexpected parent (MASVS-RESILIENCE-4)."
        )
        _lockdown = keys.optional("lockdown", "Protections of the operating system are off (MASVS-RESILIENCE-1).")
        _developerMode = keys.optional(
            "developerMode",
            "The system is configured for development (MASVS-RESILIENCE-4)."
        )
        _diskEncryption = keys.optional("diskEncryption", "Data is on a disk that is not encrypted (MASVS-STORAGE-1).")
        _coreDumps = keys.optional("coreDumps", "A crash would write memory with tokens to a file (MASVS-STORAGE-2).")
        _platformVersion = keys.optional("platformVersion", "The system is older than the app requires (MASVS-CODE-1).")
        _screenLock = keys.optional("screenLock", "The user's screen is not locked (MASVS-AUTH-2).")
        _clock = keys.optional("clock", "The clock is wrong (MASVS-RESILIENCE-1).")
        _clearSecrets = keys.optional(
            "clearSecrets",
            "The services file contains secrets in clear (MASVS-STORAGE-1)."
        )
        _weakSettings = keys.optional(
            "weakSettings",
            "The services file has settings that are weaker than necessary (MASVS-NETWORK-1, MASVS-CRYPTO-1)."
        )
        _signature = keys.optional(
            "signature",
            "The services file is not signed with the required key (MASVS-RESILIENCE-2)."
        )
        _appVersion = keys.optional("appVersion", "The server has disabled this version of the app (MASVS-CODE-2).")
    }

    /// A rule of the catalogue with its settings in this file.
    struct Entry {
        let name: String
        let type: any SecurityRule.Type
        /// Nil where the file does not have it.
        let rule: (any SecurityRule)?
        /// Its place, or possible place, in the file.
        let place: Place

        fileprivate init(_ name: String, _ type: any SecurityRule.Type, _ rule: (any SecurityRule)?, _ place: Place) {
            (self.name, self.type, self.rule, self.place) = (name, type, rule, place)
        }
    }

    /// The rules of the file.
    var all: [(name: String, rule: any SecurityRule, place: Place)] {
        catalogue.compactMap { entry in entry.rule.map { (entry.name, $0, entry.place) } }
    }

    /// Every rule with default settings, or with example values where settings are required.
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
