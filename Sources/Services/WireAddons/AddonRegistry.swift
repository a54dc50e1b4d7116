import Synchronization
import WireAddonContract
import WireBase
import WireConfig
import WireDeviceContract
import WireNotificationContract
import WireService
import WireTelemetry

/// The add-ons in the order in which they are asked: those of the program first, then those of the file.
final class AddonRegistry: AddonDirectory {
    private struct State {
        var connections: [any AddonConnection] = []
        var tickets: [String: Int] = [:]
        var environment: String?
        var isOver = false
    }

    private let state: Mutex<State>
    private let refreshing = Mutex(())
    let hooks: AddonHooks?
    private let devices: DeviceHooks?
    let clock: TimeSource

    init(_ host: ServiceHost) {
        (hooks, devices, clock) = (host.find(.addonHooks), host.find(.deviceHooks), host.clock)
        state = Mutex(State(environment: host.facts.name))
    }

    var isOver: Bool { state.withLock { $0.isOver } }
    var connections: [any AddonConnection] { state.withLock { $0.connections } }
    subscript(name: String) -> (any AddonConnection)? { connections.first { $0.name == name } }
    /// The present environment, or the next one during a switch.
    var environment: String? { state.withLock { $0.environment } }

    /// Replaces the add-ons.
    func update(_ connections: [any AddonConnection]) {
        let gone = state.withLock { state in
            state.connections = connections
            let names = connections.map(\.name)
            let gone = state.tickets.filter { !names.contains($0.key) }
            for name in gone.keys { state.tickets[name] = nil }
            return gone.values
        }
        for ticket in gone { devices?.remove(ticket) }
        for connection in connections {
            guard
                let ticket = devices?.add(
                    "add-on \(connection.name)",
                    AddonDeviceHook(name: connection.name, registry: self)
                )
            else {
                continue
            }
            state.withLock { $0.tickets[connection.name] = ticket }
        }
        refresh()
    }

    /// Updates the hooks in use.
    func refresh() {
        // One update at a time, so that the last one stored is the newest.
        refreshing.withLock { _ in
            let connections = state.withLock { $0.isOver ? nil : $0.connections }
            guard let connections else { return }
            hooks?.setDirectory(connections.reduce(AddonPoints()) { $0.union($1.listens).union($1.decides) }, by: self)
        }
    }

    /// Removes all add-ons.
    func end() {
        let tickets = state.withLock { state in
            defer { state.tickets = [:] }
            state.isOver = true
            return state.tickets.values
        }
        for ticket in tickets { devices?.remove(ticket) }
        refreshing.withLock { _ in hooks?.leave(self) }
    }

    // MARK: Taking part

    func notify(_ moment: AddonMoment) {
        switch moment {
        case .environmentWillChange(_, let to): state.withLock { $0.environment = to }
        case .environmentStayed(let name, _): state.withLock { $0.environment = name }
        default: break
        }
        tell(moment, connections.filter { $0.listens.contains(moment.point) })
    }

    private func tell(_ moment: AddonMoment, _ connections: [any AddonConnection]) {
        var made: [UInt8]?
        for connection in connections {
            connection.notify(moment) {
                let line = made ?? AddonProtocol.notification(moment)
                made = line
                return line
            }
        }
    }

    /// The add-ons that answer a question, in order; those that only listen are informed.
    func answering(
        _ question: AddonQuestion,
        where isMeant: (any AddonConnection) -> Bool = { _ in true }
    ) -> [any AddonConnection] {
        let point = question.point
        let hearing = connections.filter { $0.listens.contains(point) && isMeant($0) }
        let asked = hearing.filter { $0.answers.contains(point) }
        if asked.count < hearing.count {
            tell(.asked(question), hearing.filter { !$0.answers.contains(point) })
        }
        return asked
    }

    /// Asks all add-ons that answer, at once; returns the replies in the order of the add-ons.
    private func ask(_ question: AddonQuestion) async -> [(connection: any AddonConnection, reply: AddonReply)] {
        let asked = answering(question)
        if asked.count < 2 {
            guard let connection = asked.first, let reply = await connection.ask(question) else { return [] }
            return [(connection, reply)]
        }
        let replies = await withTaskGroup(of: (Int, AddonReply?).self) { group in
            for (index, connection) in asked.enumerated() { group.addTask { (index, await connection.ask(question)) } }
            return await group.reduce(into: [Int: AddonReply]()) { replies, next in replies[next.0] = next.1 }
        }
        return asked.enumerated().compactMap { index, connection in replies[index].map { (connection, $0) } }
    }

    func refusal(of request: AddonRequest) async -> AddonRefusal? {
        let replies = await ask(.request(request))
        for case (let connection, .request(let refusal?)) in replies {
            return AddonRefusal(addon: connection.name, reason: refusal.shown(upTo: 200), origin: connection.origin)
        }
        return missing(.requestWillPerform, among: replies).map {
            AddonRefusal(addon: $0.name, reason: Self.silence, origin: $0.origin)
        }
    }

    /// An add-on whose answer is required and missing.
    private func missing(_ point: AddonPoint, among replies: [(connection: any AddonConnection, reply: AddonReply)])
        -> (any AddonConnection)?
    {
        connections.first { connection in
            connection.decides.contains(point) && !replies.contains { $0.connection === connection }
        }
    }

    private static let silence = "the add-on does not respond, and its 'onSilence' is 'refuse'"

    func verdict(on notification: HandedNotification) async -> (verdict: AddonVerdict, by: String?) {
        var (verdict, name) = (AddonVerdict(), String?.none)
        let replies = await ask(.received(notification))
        for case (let connection, .verdict(let given)) in replies {
            // One veto is enough; of presentations, the first counts.
            if let veto = given.veto { return (AddonVerdict(veto: veto.shown(upTo: 200)), connection.name) }
            if verdict.present == nil, given.present != nil { (verdict, name) = (given, connection.name) }
        }
        if let connection = missing(.notificationReceived, among: replies) {
            return (AddonVerdict(veto: Self.silence), connection.name)
        }
        return (verdict, name)
    }

    /// Returns the add-ons that have opened a link.
    func open(_ url: String) async -> [String] {
        var names: [String] = []
        for case (let connection, .link(isOpened: true)) in await ask(.link(url)) { names.append(connection.name) }
        return names
    }

    /// Returns the device as changed by one add-on.
    fileprivate func device(_ device: KnownDevice, _ name: String, _ question: AddonQuestion) async -> KnownDevice {
        guard let connection = self[name], connection.listens.contains(question.point) else { return device }
        guard connection.answers.contains(question.point) else {
            tell(.asked(question), [connection])
            return device
        }
        guard case .device(let changed)? = await connection.ask(question) else { return device }
        return changed
    }

    fileprivate func didRegister(_ device: KnownDevice, _ name: String) {
        guard let connection = self[name], connection.listens.contains(.deviceDidRegister) else { return }
        tell(.deviceDidRegister(device), [connection])
    }
}

/// An add-on as a hook of the device service.
private struct AddonDeviceHook: DeviceHook {
    let name: String
    // The registry removes it from the list at the end, and the list is not the registry's own.
    let registry: AddonRegistry

    func willSetUp(_ device: KnownDevice) async throws -> KnownDevice {
        await registry.device(device, name, .deviceWillSetUp(device))
    }

    func willRegister(_ device: KnownDevice) async throws -> KnownDevice {
        await registry.device(device, name, .deviceWillRegister(device))
    }

    func didRegister(_ device: KnownDevice) async { registry.didRegister(device, name) }
}
