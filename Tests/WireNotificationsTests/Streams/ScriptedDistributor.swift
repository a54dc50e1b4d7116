import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireDBus
import WireHTTP
import WireMessageBus
import WireNotificationContract
import WirePushContract
import WireService

@testable import WireNotifications

/// A UnifiedPush distributor on a bus, which replies when a test has it reply.
final class ScriptedDistributor: Sendable {
    let bus: any MessageBus
    private let version: UnifiedPush.Version
    private let describes: Bool
    private let questions: AsyncStream<BusIncomingCall>
    private let calls: AsyncStream<BusIncomingCall>

    init(
        on daemon: BusDaemon,
        as name: String = "kde",
        _ version: UnifiedPush.Version = .second,
        describes: Bool = true
    )
        async throws
    {
        (self.version, self.describes) = (version, describes)
        bus = try await ScriptedDesktop.buses(daemon).openSession(within: .seconds(30))
        questions = bus.calls(to: UnifiedPush.distributorPath, interface: UnifiedPush.introspectable)
        calls = bus.calls(to: UnifiedPush.distributorPath, interface: version.distributor)
        // The bus may not have seen yet that a former one has ended.
        let bus = bus
        let full = "\(UnifiedPush.distributors).\(name)"
        #expect(await eventually { (try? await bus.requestName(full)) != nil })
    }

    /// Answers the question for its interfaces.
    func describe() async {
        for await question in questions {
            let text = "<node><interface name='\(version.distributor)'/></node>"
            let unknown = BusIncomingCall.Answer.error(name: "\(BusDriver.name).Error.UnknownMethod", text: "no")
            question.answer(describes ? .values([.string(text)]) : unknown)
            return
        }
    }

    /// The next call, its member and its token.
    func next() async -> (call: BusIncomingCall, what: String)? {
        for await call in calls {
            let values = call.arguments.compactMap(\.text)
            let token = version == .second ? call.token : values.dropFirst(values.count > 1 ? 1 : 0).first
            return (call, "\(call.member) \(token ?? "-")")
        }
        return nil
    }

    /// Answers a registration, or the end of one.
    func answer(_ call: BusIncomingCall, _ success: String? = nil, _ reason: String? = nil) {
        guard version == .second else {
            return call.answer(.values([success, reason].compactMap { $0.map(BusValue.string) }))
        }
        let fields = [("success", success), ("reason", reason)]
        call.answer(.values([.options(fields.compactMap { name, value in value.map { (name, .string($0)) } })]))
    }

    /// Calls the connector; returns the end of the name of the error, or nothing.
    @discardableResult
    func call(_ member: String, _ token: String, _ more: [(name: String, value: BusValue)] = []) async -> String {
        let fields = [(name: "token", value: BusValue.string(token))] + more
        let call = BusCall(
            member,
            of: version.connector,
            at: UnifiedPush.connectorPath,
            on: "com.example.tasks",
            version == .second ? [.options(fields)] : fields.map(\.value)
        )
        do throws(BusFailure) {
            _ = try await bus.call(call, within: .seconds(60))
            return ""
        } catch {
            guard case .refused(let name) = error.kind else { return "\(error.kind)" }
            return name.split(separator: ".").last.map(String.init) ?? ""
        }
    }

    func open(_ token: String, at path: String = "1") async -> String {
        await call("NewEndpoint", token, [("endpoint", .string("https://push.example.com/\(path)"))])
    }

    func send(_ token: String, _ text: String, id: String? = nil) async -> String {
        let more = id.map { [(name: "id", value: BusValue.string($0))] } ?? []
        return await call("Message", token, [("message", .bytes(Array(text.utf8)))] + more)
    }

    func end() async {
        bus.close()
        await bus.ended()
    }
}

extension BusIncomingCall {
    fileprivate var token: String? { arguments.first?.options?["token"]?.text }
}

/// Accounts whose channels a test opens and ends, and whose messages are not encrypted.
final class HandAccounts: WebPushAccounts, WebPushAccount {
    private struct State {
        var channels: [WebPushState.Channel] = []
        var reasons: [String] = []
        var isBroken = false
        var listeners: [AsyncStream<Void>.Continuation] = []
    }

    private let held = Mutex(State())
    let (name, id, generation) = ("push.webPush", "1", "1")
    let service = WebPushServer(.distributor(nil), from: nil)

    init(_ channels: String...) { for channel in channels { add(channel) } }

    func add(_ channel: String) { edit { $0.append(Self.channel(channel)) } }

    private static func channel(
        _ id: String,
        endpoint: String? = nil,
        of distributor: String? = nil,
        isEnding: Bool = false
    ) -> WebPushState.Channel {
        .init(
            id: id,
            of: "mine",
            sender: nil,
            endpoint: endpoint,
            distributor: distributor,
            isEnding: isEnding,
            isRead: !isEnding
        )
    }

    /// Ends a channel.
    func end(_ channel: String) {
        edit { channels in
            for index in channels.indices where channels[index].id == channel {
                channels[index] = Self.channel(channel, of: channels[index].distributor, isEnding: true)
            }
        }
    }

    private func edit(_ change: (inout [WebPushState.Channel]) -> Void) {
        let listeners = held.withLock { held in
            change(&held.channels)
            return held.listeners
        }
        for listener in listeners { listener.yield() }
    }

    /// Whether nothing can be read or stored now.
    func breaks(_ isBroken: Bool) { held.withLock { $0.isBroken = isBroken } }

    /// Why channels have no endpoint.
    var reasons: [String] { held.withLock(\.reasons) }
    var channels: [WebPushState.Channel] { held.withLock(\.channels) }

    var accounts: [any WebPushAccount] { [self] }
    var state: WebPushState {
        get throws(Fault) {
            let (channels, isBroken) = held.withLock { ($0.channels, $0.isBroken) }
            if isBroken { throw Fault("the disk is broken") }
            return WebPushState(name: nil, channels: channels)
        }
    }

    func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        continuation.yield()
        held.withLock { $0.listeners.append(continuation) }
        return stream
    }

    func opened(_ channel: String, at endpoint: String, as name: String?) async throws(Fault) {
        edit { channels in
            for index in channels.indices where channels[index].id == channel {
                channels[index] = Self.channel(channel, endpoint: endpoint, of: name)
            }
        }
    }

    func rejected(_ channel: String, because reason: String) { held.withLock { $0.reasons.append(reason) } }
    func delayed(_ channel: String, because reason: String) { held.withLock { $0.reasons.append(reason) } }
    func closed(_ channel: String) async throws(Fault) { edit { $0.removeAll { $0.id == channel } } }
    func forgotten() async throws(Fault) -> Bool { false }
    func decrypt(_ body: [UInt8], of channel: String) throws(Fault) -> DecryptedPush { .message(body) }
}
