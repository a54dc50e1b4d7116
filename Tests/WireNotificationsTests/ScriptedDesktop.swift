import Support
import Testing
import WireBase
import WireConfig
import WireDBus
import WireMessageBus
import WireNotificationContract
import WireService
import WireSQLite
import Workbench

@testable import WireNotifications

/// A notification server on a bus, which answers `Notify` and `CloseNotification` when a test has it answer.
final class ScriptedDesktop: Sendable {
    let bus: any MessageBus
    let capabilities: [String]
    private let calls: AsyncStream<BusIncomingCall>

    init(on daemon: BusDaemon, can capabilities: [String] = ["body", "actions"]) async throws {
        self.capabilities = capabilities
        bus = try await Self.buses(daemon).openSession(within: .seconds(30))
        calls = bus.calls(to: DesktopNotice.path, interface: DesktopNotice.server)
        // The bus may not have seen yet that a former one has ended.
        let bus = bus
        #expect(await eventually { (try? await bus.requestName(DesktopNotice.server)) != nil })
    }

    static func buses(_ daemon: BusDaemon) -> HostBuses {
        let address = daemon.address
        return HostBuses { $0 == "DBUS_SESSION_BUS_ADDRESS" ? address : nil }
    }

    /// The next call that is not a question for what it can do; nil where none comes.
    func next() async -> BusIncomingCall? {
        for await call in calls {
            guard call.member == "GetCapabilities" else { return call }
            call.answer(.values([.strings(capabilities)]))
        }
        return nil
    }

    /// Leaves the bus, as a server that ends.
    func end() async {
        bus.close()
        await bus.ended()
    }
}

/// Buses whose connections tell nothing of the owners of names, as if the message had not arrived yet.
struct UninformedBuses: MessageBuses {
    let real: HostBuses

    func variable(_ name: String) -> String? { real.variable(name) }

    func openSession(within limit: Duration) async throws(BusFailure) -> any MessageBus {
        UninformedBus(real: try await real.openSession(within: limit))
    }
}

private struct UninformedBus: MessageBus {
    let real: any MessageBus

    var name: String { real.name }
    func call(_ call: BusCall, within limit: Duration) async throws(BusFailure) -> BusReply {
        try await real.call(call, within: limit)
    }
    func signals(_ rule: BusRule) async throws(BusFailure) -> AsyncStream<BusSignal> {
        guard rule.member == "NameOwnerChanged" else { return try await real.signals(rule) }
        return AsyncStream { _ in }
    }
    func emit(_ signal: BusSignal) throws(BusFailure) { try real.emit(signal) }
    func calls(to path: String, interface: String) -> AsyncStream<BusIncomingCall> {
        real.calls(to: path, interface: interface)
    }
    func requestName(_ name: String) async throws(BusFailure) { try await real.requestName(name) }
    func ended() async { await real.ended() }
    func close() { real.close() }
}

/// The sink as a service has it, with the clock of the workbench unless it is given another.
final class DesktopBench: Sendable {
    let bench: Workbench
    let sink: DesktopSink
    private let life: Task<Void, Never>

    init(_ buses: any MessageBuses, clock: TimeSource? = nil) throws {
        let bench = try Workbench()
        self.bench = bench
        let file = try SectionInFile<NotificationsSection>(
            file: "version: 1\napp: { id: com.example.tasks }\nnotifications: { permission: granted }\n"
        )
        let host: NotificationsHost = bench.host(
            for: file,
            offering: [Ability.messageBuses.offered(by: buses)],
            clock: clock
        )
        let sink = DesktopSink(host, at: nil) { _ in }
        self.sink = sink
        life = Task { await sink.run() }
    }

    func end() async {
        life.cancel()
        await life.value
        await bench.store.close()
    }

    func show(_ id: String, key: String? = nil) async { await sink.show(Self.view(id, key: key), [.banner]) }

    static func view(_ id: String, key: String? = nil, expires: Int64? = nil) -> NotificationView {
        var push = ReceivedPush(.object([]), fields: .object([]), isSilent: false)
        (push.title, push.collapseKey) = (id, key)
        var envelope = NotificationEnvelope(id: id, received: 1, way: "api", content: .local(.object([])))
        envelope.expires = expires
        let entry = InboxEntry(envelope: envelope, options: [.banner], buttons: [("default", "Mine")], shown: 1)
        return NotificationView(entry: entry, push: push)
    }
}

extension BusIncomingCall {
    var title: String? { arguments.count > 3 ? arguments[3].text : nil }
    var replaces: UInt32? { arguments.count > 1 ? arguments[1].number : nil }
    func answer(_ number: UInt32) { answer(.values([.uint32(number)])) }
}
