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
        .executable(name: "corewire", targets: ["CorewireProgram"]),
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
        room("Base", "WireBase"),
        room("Contracts", "WireConfig", sees: ["WireBase"]),
        room("Contracts", "WireHTTP", sees: ["WireBase", "WireConfig"]),
        room("Contracts", "WireStore", sees: ["WireBase"]),
        room("Contracts", "WireTelemetry", sees: ["WireBase", "WireConfig", "WireHTTP"]),
        room("Contracts", "WireService", sees: ["WireBase", "WireConfig", "WireHTTP", "WireStore", "WireTelemetry"]),
        room(
            "Runtime",
            "WireRuntime",
            sees: ["WireBase", "WireConfig", "WireHTTP", "WireService", "WireStore", "WireTelemetry"]
        ),
        room("Dialects", "WireDialects", sees: ["WireBase", "WireConfig"]),
        room("Edges", "WireYAML", sees: ["WireBase", "WireConfig", "CYAML"]),
        room("Edges", "WireSQLite", sees: ["WireBase", "WireStore", "CSQLite"]),
        .target(
            name: "CorewireFile",
            dependencies: [
                "WireBase", "WireConfig", "WireService", "WireRuntime", "WireYAML", "WireBackends", "WireDialects",
            ] + services.map { .byName(name: $0) }
        ),
        .target(name: "Corewire", dependencies: ["CorewireFile", "WireBase", "WireConfig", "WireRuntime"]),
        .target(name: "CorewireCLI", dependencies: ["CorewireFile", "WireBase", "WireConfig"]),
        .executableTarget(name: "CorewireProgram", dependencies: ["CorewireCLI", "WireBase"]),
        .target(name: "Support", dependencies: ["WireBase"], path: "Tests/Support"),
        .target(
            name: "FuzzProperties",
            dependencies: ["CorewireFile", "WireBase", "WireConfig"],
            path: "Fuzz/Properties"
        ),
        .testTarget(name: "CorewireFileTests", dependencies: ["CorewireFile", "Support"]),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzProperties", "Support"]),
        .testTarget(name: "HouseTests", dependencies: ["Support", "CorewireProgram"], exclude: ["record-broken"]),
        .testTarget(name: "WireConfigTests", dependencies: ["WireBase", "WireConfig"]),
        .testTarget(
            name: "WireTelemetryTests",
            dependencies: ["Support", "WireBase", "WireConfig", "WireTelemetry"],
            exclude: ["Canaries", "read-metrics"]
        ),
        .testTarget(
            name: "WireLocalAPITests",
            dependencies: ["Support", "WireLocalAPI"],
            exclude: ["Console"]
        ),
        .testTarget(name: "WireYAMLTests", dependencies: ["WireBase", "WireConfig", "WireYAML"]),
        .testTarget(name: "WireSQLiteTests", dependencies: ["WireBase", "WireStore", "WireSQLite", "Support"]),
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
            dependencies: ["Support", "CorewireProgram"],
            exclude: ["Golden", "record-help"]
        ),
    ] + services.map { room("Services", $0, sees: ["WireBase", "WireConfig"]) }
        + [room("Backends", "WireBackends", sees: ["WireBase", "WireConfig"])]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = house
}
