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

/// Every service sees the contracts and nothing else.
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

let package = Package(
    name: "corewire",
    products: [
        .executable(name: "corewire", targets: ["CorewireCLI"]),
        .library(name: "Corewire", targets: ["Corewire"]),
    ],
    targets: [
        .systemLibrary(
            name: "CYAML",
            path: "Sources/System/CYAML",
            pkgConfig: "yaml-0.1",
            providers: [.apt(["libyaml-dev"])]
        ),
        .systemLibrary(
            name: "CSQLite",
            path: "Sources/System/CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]
        ),
        .systemLibrary(
            name: "COpenSSL",
            path: "Sources/System/COpenSSL",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]
        ),
        room("Base", "WireBase"),
        room("Contracts", "WireConfig", sees: ["WireBase"]),
        room("Contracts", "WireHTTP", sees: ["WireBase", "WireConfig"]),
        room("Contracts", "WireSecrets"),
        room("Contracts", "WireStore", sees: ["WireBase"]),
        room("Contracts", "WireTelemetry", sees: ["WireBase", "WireConfig"]),
        room("Dialects", "WireDialects", sees: ["WireBase", "WireConfig"]),
        room("Edges", "WireYAML", sees: ["WireBase", "WireConfig", "CYAML"]),
        room("Edges", "WireCrypto", sees: ["WireBase", "WireSecrets", "WireStore", "COpenSSL"]),
        room("Edges", "WireSQLite", sees: ["WireBase", "WireStore", "CSQLite"]),
        .target(
            name: "Corewire",
            dependencies: ["WireBase", "WireConfig", "WireYAML", "WireBackends", "WireDialects"]
                + services.map { .byName(name: $0) }
        ),
        .executableTarget(name: "CorewireCLI", dependencies: ["Corewire", "WireBase", "WireConfig"]),
        .target(name: "Support", path: "Tests/Support"),
        .target(
            name: "FuzzProperties",
            dependencies: ["Corewire", "WireBase", "WireConfig"],
            path: "Fuzz/Properties"
        ),
        .testTarget(name: "CorewireTests", dependencies: ["Corewire", "Support"]),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzProperties", "Support"]),
        .testTarget(name: "HouseTests", dependencies: ["Support", "CorewireCLI"], exclude: ["record-broken"]),
        .testTarget(name: "WireConfigTests", dependencies: ["WireBase", "WireConfig"]),
        .testTarget(name: "WireYAMLTests", dependencies: ["WireBase", "WireConfig", "WireYAML"]),
        .target(
            name: "StoreConformance",
            dependencies: ["WireBase", "WireStore"],
            path: "Tests/Conformance/StoreConformance"
        ),
        .executableTarget(
            name: "StoreProcess",
            dependencies: ["WireBase", "WireCrypto", "WireSQLite", "WireStore"],
            path: "Tests/StoreProcess"
        ),
        .testTarget(
            name: "WireSQLiteTests",
            dependencies: [
                "WireBase", "WireCrypto", "WireStore", "WireSQLite", "StoreConformance", "StoreProcess", "Support",
            ],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "WireCryptoTests",
            dependencies: ["WireBase", "WireCrypto", "WireSecrets", "WireStore", "Support"]
        ),
        .testTarget(
            name: "WireDialectsTests",
            dependencies: [
                "WireBase", "WireConfig", "WireDialects", "WireYAML", "WireAuth", "WireDevice", "WireMetrics",
                "WireNetwork",
                "WirePush", "WireSecurity", "WireSync",
            ],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "CorewireCLITests",
            dependencies: ["Support", "CorewireCLI"],
            exclude: ["Golden", "record-help"]
        ),
    ] + services.map { room("Services", $0, sees: ["WireBase", "WireConfig"]) }
        + [room("Backends", "WireBackends", sees: ["WireBase", "WireConfig"])]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = house
}
