// swift-tools-version: 6.3
import PackageDescription

/// The house rules, the same for every Swift target.
let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .treatWarning("ExplicitSendable", as: .error),
    .treatWarning("StrictLanguageFeatures", as: .error),
]

/// A room of the house: a target in the folder of its layer, with what it may look at.
func room(_ layer: String, _ name: String, sees dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(layer)/\(name)")
}

/// A library of Debian's: a module map, and how pkg-config calls it.
func library(_ name: String, _ pkgConfig: String, _ package: String) -> Target {
    .systemLibrary(name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig, providers: [.apt([package])])
}

/// The rules every implementation of a contract keeps, for its tests to run.
func conformance(_ name: String, sees dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/Conformance/\(name)", exclude: exclude)
}

/// The programs that are installed have Swift's libraries inside, and look up all of C's before they begin (full RELRO).
///
/// They show libraries one function, in place of libmicrohttpd's: with all others as well, a program is larger by a tenth
/// and looks up each name in a table of megabytes. The linker is that of Swift, which writes relocations in a short form.
let inside = [
    "-z", "now", "-z", "pack-relative-relocs", "--no-export-dynamic", "--export-dynamic-symbol=MHD_queue_response",
]
/// The libraries that are named are what Foundation's need, and say so only when they are compiled as static ones.
let swiftInside: [LinkerSetting] =
    [
        .unsafeFlags(
            ["-static-stdlib", "-use-ld=lld"] + inside.flatMap { ["-Xlinker", $0] },
            .when(configuration: .release)
        )
    ]
    + ["_FoundationCShims", "_FoundationCollections", "_FoundationICU"].map {
        .linkedLibrary($0, .when(configuration: .release))
    }

/// A program that is installed.
func program(_ name: String, sees dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name,
        dependencies: dependencies,
        path: "Sources/Programs/\(name)",
        linkerSettings: swiftInside
    )
}

/// Every service has a room, and sees the contracts and nothing else.
let services = [
    "WireAuth",
    "WirePush",
    "WireNotifications",
    "WireSync",
    "WireBackground",
    "WireDevice",
    "WireContent",
    "WireNetwork",
    "WirePersistence",
    "WireSecurity",
    "WireAddons",
    "WireFormatting",
    "WireMetrics",
    "WireLocalAPI",
]

let contracts: [Target.Dependency] = [
    "WireBase", "WireConfig", "WireGraphQL", "WireHTTP", "WireJOSE", "WireMQTT", "WireSecrets", "WireService",
    "WireStore", "WireTelemetry",
]

/// The areas: each has its contract in a room of its own, and sees what all areas share.
let areas = [
    "WireAddonContract",
    "WireAuthContract",
    "WireBackendContract",
    "WireContentContract",
    "WireDeviceContract",
    "WireDownloadContract",
    "WireFormattingContract",
    "WireMessageBus",
    "WireMetricsContract",
    "WireNetworkContract",
    "WireNotificationContract",
    "WirePushContract",
    "WireRunnerContract",
    "WireSecurityContract",
    "WireStateContract",
    "WireSyncContract",
    "WireWorkContract",
]

/// The areas whose contracts a target sees, besides what all areas share.
let areasSeen: [String: [String]] = [
    "Corewire": [
        "WireAddonContract", "WireAuthContract", "WireBackendContract", "WireContentContract", "WireDeviceContract",
        "WireDownloadContract", "WireFormattingContract", "WireMessageBus", "WireMetricsContract",
        "WireNetworkContract", "WireNotificationContract", "WirePushContract", "WireRunnerContract",
        "WireSecurityContract", "WireStateContract", "WireSyncContract", "WireWorkContract",
    ],
    "CorewireCLI": [
        "WireAddonContract", "WireAuthContract", "WireBackendContract", "WireContentContract", "WireDeviceContract",
        "WireDownloadContract", "WireFormattingContract", "WireMetricsContract", "WireNetworkContract",
        "WireNotificationContract", "WirePushContract", "WireRunnerContract", "WireSecurityContract",
        "WireStateContract", "WireSyncContract", "WireWorkContract",
    ],
    "CorewireCatalogue": ["WireAuthContract", "WireMessageBus", "WireRunnerContract", "WireSyncContract"],
    "CorewireCatalogueTests": ["WireMessageBus"],
    "CorewireRunner": [
        "WireAuthContract", "WireMessageBus", "WireNetworkContract", "WireNotificationContract", "WirePushContract",
        "WireRunnerContract",
    ],
    "FuzzProperties": ["WireMessageBus"],
    "WireAddonContract": ["WireDeviceContract", "WireNotificationContract"],
    "WireAddons": ["WireAddonContract", "WireDeviceContract", "WireNotificationContract"],
    "WireAddonsTests": ["WireAddonContract", "WireDeviceContract", "WireNotificationContract"],
    "WireAuth": [
        "WireAddonContract", "WireAuthContract", "WireBackendContract", "WireDeviceContract", "WireNetworkContract",
    ],
    "WireAuthTests": ["WireAddonContract", "WireAuthContract", "WireNotificationContract"],
    "WireBackends": ["WireBackendContract"],
    "WireBackendsTests": ["WireBackendContract"],
    "WireBackground": ["WireDownloadContract", "WireNetworkContract", "WireNotificationContract", "WireWorkContract"],
    "WireBackgroundTests": ["WireDownloadContract", "WireNetworkContract", "WireWorkContract"],
    "WireContent": [
        "WireContentContract", "WireDeviceContract", "WireNetworkContract", "WireNotificationContract",
        "WireWorkContract",
    ],
    "WireContentContract": ["WireNetworkContract"],
    "WireContentTests": ["WireContentContract", "WireDeviceContract", "WireNetworkContract", "WireWorkContract"],
    "WireDBus": ["WireMessageBus"],
    "WireDBusTests": ["WireMessageBus"],
    "WireDevice": ["WireDeviceContract", "WireNetworkContract", "WireWorkContract"],
    "WireDeviceTests": ["WireDeviceContract", "WireNetworkContract", "WireWorkContract"],
    "WireDialectsTests": ["WireSecurityContract"],
    "WireDownloadContract": ["WireNetworkContract"],
    "WireEmbedded": [
        "WireAuthContract", "WireBackendContract", "WireMetricsContract", "WirePushContract", "WireSyncContract",
    ],
    "WireFormatting": ["WireFormattingContract"],
    "WireFramingTests": ["WireSyncContract"],
    "WireHost": ["WireDeviceContract", "WireNetworkContract", "WireWorkContract"],
    "WireHostTests": ["WireDeviceContract"],
    "WireLocalAPI": ["WireRunnerContract"],
    "WireLocale": ["WireFormattingContract"],
    "WireLocaleTests": ["WireFormattingContract"],
    "WireMetrics": [
        "WireBackendContract", "WireDeviceContract", "WireMetricsContract", "WireNetworkContract", "WireWorkContract",
    ],
    "WireMetricsTests": [
        "WireBackendContract", "WireDeviceContract", "WireMetricsContract", "WireNetworkContract", "WireWorkContract",
    ],
    "WireNetwork": ["WireAddonContract", "WireBackendContract", "WireNetworkContract", "WireSyncContract"],
    "WireNetworkTests": ["WireNetworkContract"],
    "WireNotifications": [
        "WireAddonContract", "WireBackendContract", "WireDeviceContract", "WireDownloadContract",
        "WireFormattingContract", "WireMessageBus", "WireNetworkContract", "WireNotificationContract",
        "WirePushContract", "WireStateContract",
    ],
    "WireNotificationsTests": [
        "WireBackendContract", "WireDownloadContract", "WireMessageBus", "WireNetworkContract",
        "WireNotificationContract", "WirePushContract",
    ],
    "WirePersistence": ["WireStateContract"],
    "WirePersistenceTests": ["WireStateContract"],
    "WireProbes": ["WireSecurityContract"],
    "WirePush": [
        "WireAddonContract", "WireBackendContract", "WireDeviceContract", "WireMessageBus", "WireNetworkContract",
        "WireNotificationContract", "WirePushContract", "WireWorkContract",
    ],
    "WirePushContract": ["WireNotificationContract"],
    "WirePushTests": [
        "WireBackendContract", "WireDeviceContract", "WireNetworkContract", "WireNotificationContract",
        "WirePushContract", "WireWorkContract",
    ],
    "WireRunnerContract": [
        "WireAddonContract", "WireAuthContract", "WireBackendContract", "WireContentContract", "WireDeviceContract",
        "WireDownloadContract", "WireMetricsContract", "WireNetworkContract", "WireNotificationContract",
        "WirePushContract", "WireSecurityContract", "WireStateContract", "WireSyncContract", "WireWorkContract",
    ],
    "WireRuntime": ["WireAddonContract", "WireRunnerContract"],
    "WireRuntimeTests": ["WireRunnerContract"],
    "WireSecurity": ["WireBackendContract", "WireDeviceContract", "WireRunnerContract", "WireSecurityContract"],
    "WireSecurityTests": ["WireSecurityContract"],
    "WireSync": ["WireNetworkContract", "WireNotificationContract", "WireSyncContract", "WireWorkContract"],
    "WireSyncTests": ["WireNetworkContract", "WireNotificationContract"],
    "WireTransfer": ["WireNetworkContract"],
    "WireWorkContract": ["WireNetworkContract"],
]

let package = Package(
    name: "corewire",
    products: [
        .executable(name: "corewire", targets: ["CorewireProgram"]),
        .executable(name: "corewire-runner", targets: ["CorewireRunnerProgram"]),
        .executable(name: "corewire-dev-runner", targets: ["CorewireDevRunnerProgram"]),
        .library(name: "Corewire", targets: ["Corewire"]),
        .library(name: "CorewireEmbedded", targets: ["CorewireEmbedded"]),
    ],
    targets: [
        .systemLibrary(name: "CLinux", path: "Sources/System/CLinux"),
        // Loaded when a request is sent, and not linked.
        .target(name: "CCurl", path: "Sources/System/CCurl"),
        library("CMicroHTTPD", "libmicrohttpd", "libmicrohttpd-dev"),
        library("COpenSSL", "libcrypto", "libssl-dev"),
        library("CPAM", "pam", "libpam0g-dev"),
        library("CQREncode", "libqrencode", "libqrencode-dev"),
        .systemLibrary(name: "CProbes", path: "Sources/System/CProbes"),
        .systemLibrary(name: "CProcess", path: "Sources/System/CProcess"),
        // Loaded when it is needed, and not linked: pkg-config would have it linked.
        .systemLibrary(name: "CSDBus", path: "Sources/System/CSDBus", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CWslay", path: "Sources/System/CWslay", providers: [.apt(["libwslay-dev"])]),
        .systemLibrary(name: "CPQ", path: "Sources/System/CPQ", providers: [.apt(["libpq-dev"])]),
        library("CSQLite", "sqlite3", "libsqlite3-dev"),
        library("CYAML", "yaml-0.1", "libyaml-dev"),

        room("Base", "WireBase"),

        // The commit and the compiler: compiled again for each commit, so that only programs may depend on it.
        .target(name: "BuildFacts", path: "Sources/BuildFacts"),

        // The compiler puts the page's files into it.
        .target(name: "ConsoleFiles", path: "Sources/ConsoleFiles", exclude: ["page", "script", "style"]),

        // So is the schema of a shared store.
        .target(name: "StoreSchema", path: "Sources/StoreSchema", exclude: ["sql"]),

        room("Contracts", "WireConfig", sees: ["WireBase"]),
        room("Contracts", "WireGraphQL", sees: ["WireBase", "WireConfig"]),
        room("Contracts", "WireHTTP", sees: ["WireBase", "WireConfig"]),
        room("Contracts", "WireJOSE", sees: ["WireBase", "WireConfig", "WireSecrets"]),
        room("Contracts", "WireMQTT", sees: ["WireBase"]),
        room("Contracts", "WireSecrets", sees: ["WireBase"]),
        room(
            "Contracts",
            "WireService",
            sees: ["WireBase", "WireConfig", "WireGraphQL", "WireHTTP", "WireSecrets", "WireStore", "WireTelemetry"]
        ),
        room("Contracts", "WireStore", sees: ["WireBase"]),
        room("Contracts", "WireTelemetry", sees: ["WireBase", "WireConfig", "WireHTTP"]),

        room("Dialects", "WireDialects", sees: ["WireBase", "WireConfig"]),

        room("Edges", "WireCrypto", sees: ["WireBase", "WireSecrets", "WireStore", "COpenSSL"]),
        room("Edges", "WireDBus", sees: ["WireBase", "WireConfig", "WireService", "CSDBus"]),
        room("Edges", "WireFraming", sees: ["WireBase", "WireHTTP", "CWslay"]),
        room("Edges", "WireHost", sees: ["WireBase", "WireService", "WireTelemetry", "CProcess"]),
        room("Edges", "WireListener", sees: ["WireBase", "WireHTTP", "CLinux", "CMicroHTTPD"]),
        // The rules of plurals, units and patterns are in the library that Swift's own styles are made of.
        .target(
            name: "WireLocale",
            dependencies: ["WireConfig", "WireService"],
            path: "Sources/Edges/WireLocale",
            linkerSettings: [.linkedLibrary("_FoundationICU")]
        ),
        room("Edges", "WirePAM", sees: ["WireBase", "WireService", "CPAM"]),
        room("Edges", "WirePostgres", sees: ["WireBase", "WireConfig", "WireStore", "CPQ", "StoreSchema"]),
        room(
            "Edges",
            "WireProbes",
            sees: ["WireBase", "WireConfig", "WireSecrets", "WireService", "CProbes"]
        ),
        room("Edges", "WireQR", sees: ["CQREncode"]),
        room("Edges", "WireSQLite", sees: ["WireBase", "WireStore", "CSQLite"]),
        room("Edges", "WireTransfer", sees: ["WireBase", "WireConfig", "WireHTTP", "WireService", "CCurl"]),
        room("Edges", "WireYAML", sees: ["WireBase", "WireConfig", "CYAML"]),

        room("Runtime", "WireRuntime", sees: contracts),

        room("Backends", "WireBackends", sees: contracts),
        room("Embedded", "WireEmbedded", sees: contracts + ["WireBackends"]),

        .target(
            name: "CorewireCatalogue",
            dependencies: contracts + ["WireRuntime", "WireYAML", "WireBackends", "WireDialects"]
                + services.map { .byName(name: $0) }
        ),
        .target(
            name: "Corewire",
            dependencies: contracts + [
                "CorewireCatalogue", "WireBackends", "WireRuntime", "WireCrypto", "WireDBus", "WireFraming", "WireHost",
                "WireListener", "WireLocale", "WirePAM", "WirePostgres", "WireProbes", "WireSQLite", "WireTransfer",
                "WireYAML",
            ] + services.map { .byName(name: $0) }
        ),
        .target(name: "CorewireEmbedded", dependencies: ["Corewire", "WireEmbedded"]),
        .target(
            name: "CorewireCLI",
            dependencies: [
                "CorewireCatalogue", "WireBase", "WireConfig", "WireGraphQL", "WireHost", "WireHTTP", "WireRuntime",
                "WireService", "WireTelemetry",
            ]
        ),
        .target(
            name: "CorewireRunner",
            dependencies: contracts + [
                "Corewire", "CorewireCLI", "CorewireCatalogue", "WireCrypto", "WireFraming", "WireHost", "WirePAM",
                "WireQR", "WireRuntime", "WireSQLite", "WireTransfer",
            ]
        ),
        program("CorewireProgram", sees: ["BuildFacts", "CorewireCLI", "WireBase"]),
        program("CorewireRunnerProgram", sees: ["BuildFacts", "CorewireRunner", "WireBackends", "WireBase"]),
        program("CorewireDevRunnerProgram", sees: ["BuildFacts", "CorewireRunner", "WireBase", "WireEmbedded"]),

        .executableTarget(
            name: "ConnectExample",
            dependencies: ["Corewire", "CorewireEmbedded"],
            path: "Examples/Connect/swift"
        ),
        .executableTarget(
            name: "EmbeddingExample",
            dependencies: ["Corewire", "CorewireEmbedded"],
            path: "Examples/Embedding"
        ),
        .target(
            name: "FuzzProperties",
            dependencies: [
                "CorewireCatalogue", "WireBase", "WireConfig", "WireCrypto", "WireEmbedded", "WireGraphQL", "WireJOSE",
                "WireMQTT", "WireNotifications", "WireSecrets",
            ],
            path: "Fuzz/Properties"
        ),

        .target(name: "Support", dependencies: ["WireBase"], path: "Tests/Support"),
        .executableTarget(name: "GrowthProcess", dependencies: ["CorewireCLI"], path: "Tests/GrowthProcess"),
        .executableTarget(
            name: "HostProbe",
            dependencies: ["WireBase", "WireTelemetry", "WireHost"],
            path: "Tests/HostProbe"
        ),
        .executableTarget(
            name: "SignatureProcess",
            dependencies: ["WireBase", "WireConfig", "WireCrypto", "WireJOSE", "WireSecrets"],
            path: "Tests/SignatureProcess"
        ),
        .executableTarget(
            name: "StoreProcess",
            dependencies: [
                "WireBase", "WireCrypto", "WireHost", "WirePostgres", "WireSQLite", "WireService", "WireStore",
            ],
            path: "Tests/StoreProcess"
        ),
        .executableTarget(
            name: "SyncProcess",
            dependencies: [
                "WireBase", "WireConfig", "WireCrypto", "WireGraphQL", "WireSQLite", "WireStore", "WireSync",
            ],
            path: "Tests/SyncProcess"
        ),
        .executableTarget(
            name: "SessionProcess",
            dependencies: contracts + ["CorewireCatalogue", "WireAuth", "WireCrypto", "WireSQLite", "WireTransfer"],
            path: "Tests/SessionProcess"
        ),
        .target(
            name: "Workbench",
            dependencies: contracts + ["CorewireCatalogue", "Support", "WireCrypto", "WireSQLite"],
            path: "Tests/Workbench"
        ),
        conformance("ClientConformance", sees: ["Support", "WireBase", "WireHTTP"], exclude: ["hostile.py"]),
        conformance("FramingConformance", sees: ["WireBase", "WireHTTP"]),
        conformance("ListenerConformance", sees: ["Support", "WireBase", "WireHTTP"]),
        conformance("StoreConformance", sees: ["WireBase", "WireStore"]),

        .testTarget(
            name: "CorewireCLITests",
            dependencies: ["CorewireCLI", "GrowthProcess", "Support", "WireBase", "WireHTTP"],
            exclude: ["Golden", "record-help"]
        ),
        .testTarget(
            name: "CorewireCatalogueTests",
            dependencies: ["CorewireCatalogue", "Support", "WireBase", "WireConfig", "WireHTTP", "WireService"]
        ),
        .testTarget(
            name: "CorewireRunnerTests",
            dependencies: ["Support", "ConnectExample", "EmbeddingExample", "WireBase", "WireConfig"],
            exclude: [
                "Activation", "Console", "Conformance", "Online/Golden", "Online/server.py", "Online/tasks.json",
                "Requests/answers.py", "Content/server.py", "Sync/socket_client.py",
                "Sync/graphql_page_test.py", "Sync/sync_console_test.py",
                "Push/push_pages_test.py",
            ]
        ),
        .testTarget(
            name: "CorewireTests",
            dependencies: [
                "Support", "Corewire", "CorewireEmbedded", "CorewireCatalogue", "WireBase", "WireConfig",
                "WireEmbedded",
                "WireHTTP", "WireHost", "WireRuntime", "WireService", "WireTransfer",
            ],
            exclude: ["Sync/Fixtures", "Sync/Oracle"]
        ),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzProperties", "Support"]),
        .testTarget(name: "HouseTests", dependencies: ["Support"], exclude: ["Site", "record-broken"]),
        .testTarget(name: "NetworkProofsTests", dependencies: ["Support"]),
        .testTarget(name: "RelyingPartyTests", dependencies: ["Support"]),
        .testTarget(name: "SoakTests", dependencies: ["Support"]),
        .testTarget(
            name: "WireAddonsTests",
            dependencies: contracts + ["Support", "WireAddons", "WireHost", "Workbench"]
        ),
        .testTarget(
            name: "WireBackendsTests",
            dependencies: contracts + [
                "CorewireCatalogue", "Support", "WireBackends", "WireCrypto", "WireEmbedded", "WireFraming",
                "WireListener",
                "WireRuntime", "WireSQLite", "Workbench",
            ],
            exclude: ["Clients"]
        ),
        .testTarget(name: "WireBaseTests", dependencies: ["Support", "WireBase"]),
        .testTarget(name: "WireConfigTests", dependencies: ["Support", "WireBase", "WireConfig"]),
        .testTarget(
            name: "WireAuthTests",
            dependencies: contracts + [
                "CorewireCatalogue", "SessionProcess", "Support", "WireAuth", "WireCrypto", "WireListener",
                "WireSQLite",
                "WireTransfer", "Workbench",
            ]
        ),
        .testTarget(
            name: "WireBackgroundTests",
            dependencies: contracts + [
                "CorewireCatalogue", "Support", "WireBackground", "WireCrypto", "WireHost", "WireListener",
                "WireSQLite",
                "WireTransfer", "Workbench",
            ],
            exclude: ["Downloads/ranges.py"]
        ),
        .testTarget(
            name: "WireContentTests",
            dependencies: contracts + [
                "CorewireCatalogue", "Support", "WireContent", "WireCrypto", "WireListener", "WireSQLite",
                "WireTransfer",
                "Workbench",
            ]
        ),
        .testTarget(
            name: "WireCryptoTests",
            dependencies: ["WireBase", "WireCrypto", "WireSecrets", "WireStore", "Support"],
            exclude: ["Peers"]
        ),
        .testTarget(name: "WireDBusTests", dependencies: ["Support", "WireBase", "WireDBus", "WireService"]),
        .testTarget(
            name: "WireDeviceTests",
            dependencies: contracts + ["Support", "WireCrypto", "WireDevice", "WireSQLite", "Workbench"]
        ),
        .testTarget(
            name: "WireDialectsTests",
            dependencies: [
                "WireBase", "WireConfig", "WireDialects", "WireYAML", "WireAuth", "WireDevice", "WireMetrics",
                "WireNetwork", "WirePush", "WireSecurity", "WireService", "WireSync",
            ],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "WireFramingTests",
            dependencies: [
                "FramingConformance", "Support", "WireBase", "WireConfig", "WireFraming", "WireGraphQL", "WireHTTP",
                "WireListener", "WireService",
            ],
            exclude: ["Clients"]
        ),
        .testTarget(
            name: "WireHostTests",
            dependencies: ["Support", "HostProbe", "WireBase", "WireService", "WireTelemetry", "WireHost"],
            exclude: ["Peers"]
        ),
        .testTarget(
            name: "WireGraphQLTests",
            dependencies: ["Support", "WireBase", "WireConfig", "WireGraphQL"],
            exclude: ["Fixtures", "Oracle"]
        ),
        .testTarget(name: "WireHTTPTests", dependencies: ["WireBase", "WireConfig", "WireHTTP"]),
        .testTarget(
            name: "WireListenerTests",
            dependencies: ["ListenerConformance", "Support", "WireBase", "WireHTTP", "WireListener"]
        ),
        .testTarget(
            name: "WireJOSETests",
            dependencies: ["Support", "WireBase", "WireConfig", "WireCrypto", "WireJOSE", "WireSecrets"],
            exclude: ["Peers"]
        ),
        .testTarget(name: "WireLocalAPITests", dependencies: ["Support", "WireLocalAPI"], exclude: ["Console"]),
        .testTarget(
            name: "WireNetworkTests",
            dependencies: contracts + [
                "ClientConformance", "CorewireCatalogue", "Support", "WireCrypto", "WireListener", "WireNetwork",
                "WireSQLite", "WireTransfer",
            ]
        ),
        .testTarget(
            name: "WireNotificationsTests",
            dependencies: contracts + [
                "Corewire", "CorewireCatalogue", "Support", "WireCrypto", "WireDBus", "WireFraming", "WireHost",
                "WireNetwork", "WireNotifications", "WireSQLite", "WireTransfer", "Workbench",
            ],
            exclude: ["desktop.py", "Streams/sockets.py"]
        ),
        .testTarget(
            name: "WireMetricsTests",
            dependencies: contracts + ["Support", "WireCrypto", "WireMetrics", "WireSQLite", "Workbench"],
            exclude: ["Fixtures"]
        ),
        .testTarget(name: "WireMQTTTests", dependencies: ["WireBase", "WireMQTT"]),
        .testTarget(
            name: "WirePersistenceTests",
            dependencies: contracts + ["Support", "WirePersistence", "WireSQLite", "Workbench"]
        ),
        .testTarget(name: "WireLocaleTests", dependencies: ["WireConfig", "WireLocale", "WireService"]),
        conformance("PushConformance", sees: ["Support"], exclude: ["pushserver.py"]),
        .testTarget(
            name: "WirePushTests",
            dependencies: contracts + [
                "PushConformance", "Support", "WireCrypto", "WirePush", "WireSQLite", "Workbench",
            ]
        ),
        .testTarget(name: "WirePAMTests", dependencies: ["Support", "WireBase", "WirePAM", "WireService"]),
        .testTarget(
            name: "WirePostgresTests",
            dependencies: [
                "StoreConformance", "Support", "WireBase", "WireCrypto", "WireHost", "WirePostgres", "WireStore",
            ]
        ),
        .testTarget(name: "WireQRTests", dependencies: ["Support", "WireQR"]),
        .testTarget(
            name: "WireRuntimeTests",
            dependencies: contracts + ["Support", "WireCrypto", "WireHost", "WireRuntime", "WireSQLite", "Workbench"]
        ),
        .testTarget(
            name: "WireSecurityTests",
            dependencies: contracts + ["Support", "WireCrypto", "WireProbes", "WireSecurity", "Workbench"]
        ),
        .testTarget(
            name: "WireSQLiteTests",
            dependencies: [
                "WireBase", "WireCrypto", "WireStore", "WireSQLite", "StoreConformance", "StoreProcess", "Support",
            ],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "WireSyncTests",
            dependencies: contracts + [
                "Support", "WireBackground", "WireCrypto", "WireFraming", "WireSQLite", "WireSync", "WireTransfer",
                "Workbench",
            ],
            exclude: ["Asking/upload_server.py", "Subscriptions/servers.py"]
        ),
        .testTarget(
            name: "WireTelemetryTests",
            dependencies: ["Support", "WireBase", "WireConfig", "WireHTTP", "WireTelemetry"],
            exclude: ["Canaries", "read-metrics"]
        ),
        .testTarget(
            name: "WireTransferTests",
            dependencies: ["ClientConformance", "Support", "WireBase", "WireConfig", "WireHTTP", "WireTransfer"]
        ),
        .testTarget(
            name: "WireYAMLTests",
            dependencies: ["Support", "WireBase", "WireConfig", "WireYAML"],
            exclude: ["Cases"]
        ),
    ] + areas.map { room("Contracts", $0, sees: contracts) }
        + services.map { room("Services", $0, sees: contracts + ($0 == "WireLocalAPI" ? ["ConsoleFiles"] : [])) }
)

for target in package.targets where target.type != .system {
    target.dependencies += (areasSeen[target.name] ?? []).map { .byName(name: $0) }
    // What is tested is optimised; the tests themselves gain nothing from it, nor from a module before they are compiled.
    let isOfTests = target.isTest || target.path?.hasPrefix("Tests/") == true
    let quick = ["-Onone", "-no-emit-module-separately-wmo"]
    target.swiftSettings = isOfTests ? house + [.unsafeFlags(quick, .when(configuration: .release))] : house
}
