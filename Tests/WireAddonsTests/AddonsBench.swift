import Foundation
import Support
import Synchronization
import WireAddonContract
import WireAddons
import WireConfig
import WireDeviceContract
import WireHost
import WireHTTP
import WireNotificationContract
import WireService
import Workbench

/// The service of add-ons with real programs, a clock moved by hand, and the hooks of the services around it.
final class AddonsBench: Sendable {
    let bench: Workbench
    let service: AddonsService
    let hooks: AddonHooks
    let devices = DeviceHooks()
    private let brought: EmbedderAddons
    private let life = Mutex<Task<Void, any Error>?>(nil)

    var clock: HandClock { bench.clock }

    /// The lines under `addons:`; scripts are written beside the file, in Python behind a few words they all need.
    init(
        _ section: String,
        _ scripts: [String: String] = [:],
        codes: [any AddonCode] = [],
        hooks: AddonHooks = AddonHooks(),
        in folder: TemporaryFolder? = nil
    ) async throws {
        self.hooks = hooks
        bench = try Workbench(in: folder)
        for (name, body) in scripts { try bench.folder.write(Self.python + body, to: "\(name).py") }
        brought = EmbedderAddons(codes)
        let file = try Self.file(section)
        let host = Self.host(file, bench, hooks, devices, brought)
        service = try await AddonsService.prepare(file.settings, in: host)
    }

    private static func host(
        _ file: SectionInFile<AddonsSection>,
        _ bench: Workbench,
        _ hooks: AddonHooks,
        _ devices: DeviceHooks,
        _ brought: EmbedderAddons
    ) -> ServiceHost {
        let variables = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": "/nonexistent",
            "USER": "ada", "XDG_DATA_HOME": "/nonexistent",
            "SECRET_OF_THE_RUNNER": "canary-of-the-runner",
        ]
        return bench.host(
            for: file,
            offering: [
                Ability.programs.offered(by: ProgramRunner(Environment(variables), folder: bench.folder.url.path)),
                Ability.addonHooks.offered(by: hooks), Ability.deviceHooks.offered(by: devices),
                Ability.broughtAddons.offered(by: brought),
            ]
        )
    }

    /// One that has started and runs.
    static func started(
        _ section: String,
        _ scripts: [String: String] = [:],
        codes: [any AddonCode] = [],
        hooks: AddonHooks = AddonHooks()
    ) async throws -> AddonsBench {
        let bench = try await AddonsBench(section, scripts, codes: codes, hooks: hooks)
        try await bench.start()
        return bench
    }

    func start() async throws {
        try await service.start()
        run()
    }

    func run() { life.withLock { life in life = Task { try await self.service.run() } } }

    func end() async {
        life.withLock { $0 }?.cancel()
        _ = try? await life.withLock { $0 }?.value
        await service.stop()
    }

    /// Goes on by another section, as after a reload; or as in one that has not come about.
    func rebind(_ section: String, settles: Bool = true) async throws {
        let file = try Self.file(section)
        try await service.rebind(to: file.settings, in: Self.host(file, bench, hooks, devices, brought))
        if settles { await service.didActivate() }
    }

    private static func file(_ section: String) throws -> SectionInFile<AddonsSection> {
        section.isEmpty
            ? try SectionInFile(file: "version: 1\napp: { id: com.example.tasks }\naddons: {}\n")
            : try SectionInFile(section)
    }

    static let python = """
        import json, os, signal, sys, time
        def say(**members):
            print(json.dumps(members), flush=True)
        def hear():
            line = sys.stdin.readline()
            return json.loads(line) if line else {"type": "end"}
        def ready(*answers, **more):
            hear()
            say(type="ready", protocol=1, answers=list(answers), **more)

        """

    // MARK: Looking

    func addon(_ name: String) async throws -> JSONValue {
        try await service.routes.answer(.get, "/v1/addons/\(name)").json
    }

    func state(_ name: String) async throws -> String? { try await addon(name)["state"]?.string }

    func lines(_ name: String) async throws -> [String] {
        let answer = try await service.routes.answer(.get, "/v1/addons/\(name)/log").json
        return (answer["lines"]?.array ?? []).compactMap { $0["text"]?.string }
    }

    func becomes(_ state: String, _ name: String) async throws -> Bool {
        try await eventually { try await self.state(name) == state }
    }

    /// Lets time pass as soon as somebody waits for that time or less.
    func pass(_ duration: Duration) async {
        _ = await eventually { clock.wakes(in: duration) }
        clock.pass(duration)
    }

    func wrote(_ name: String) -> String { (try? bench.folder.text(of: name)) ?? "" }
}

extension KnownDevice {
    static let cart = KnownDevice(
        id: "d1",
        alias: "cart",
        email: nil,
        tags: [DeviceTag("os", "debian", kind: .system), DeviceTag("old", "1")],
        tokens: []
    )
}

extension HandedNotification {
    static func titled(_ title: String) -> HandedNotification {
        var push = ReceivedPush(.object([]), fields: .object([]), isSilent: false)
        push.title = title
        return HandedNotification(id: "n1", received: 1, attempts: 0, push: push, button: nil)
    }
}

extension AddonRequest {
    static let orders = AddonRequest(method: "GET", url: "https://api.example.com/orders", service: "app")
}
