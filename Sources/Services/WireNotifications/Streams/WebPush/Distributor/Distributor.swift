import WireBase
import WireMessageBus
import WirePushContract

/// A UnifiedPush distributor that is on the bus.
struct Distributor: Sendable, Equatable {
    /// Its name: `org.unifiedpush.Distributor.kde`.
    let name: String
    /// The unique name of its connection: `:1.7`.
    let owner: String

    /// The timeout of a call.
    static let limit = Duration.seconds(5)
    /// The timeout of a registration, which a distributor that is offline keeps.
    static let registrationLimit = Duration.seconds(30 * 86_400)
    /// The timeout of the end of a registration.
    static let endLimit = Duration.seconds(60)

    /// The end of the name, for messages.
    var title: String { String(name.dropFirst(UnifiedPush.distributors.count + 1)).quoted }

    /// The version of its interface.
    func version(on bus: any MessageBus) async throws(BusFailure) -> UnifiedPush.Version {
        let call = BusCall("Introspect", of: UnifiedPush.introspectable, at: UnifiedPush.distributorPath, on: owner)
        do throws(BusFailure) {
            let reply = try await bus.call(call, within: Self.limit)
            return UnifiedPush.Version(describedBy: reply.values.first?.text ?? "")
        } catch {
            guard error.isOfPeer else { throw error }
            return try await takesSecond(on: bus) ? .second : .first
        }
    }

    /// Whether it takes a call of the second version: the end of a registration that it does not have.
    private func takesSecond(on bus: any MessageBus) async throws(BusFailure) -> Bool {
        let call = BusCall(
            "Unregister",
            of: UnifiedPush.Version.second.distributor,
            at: UnifiedPush.distributorPath,
            on: owner,
            [.options([("token", .string(UUIDText.random()))])]
        )
        do throws(BusFailure) {
            _ = try await bus.call(call, within: Self.limit)
            return true
        } catch {
            guard error.isOfPeer else { throw error }
            return !error.isOfMethod
        }
    }
}

extension BusFailure {
    /// Whether the peer has replied with an error, or not at all.
    fileprivate var isOfPeer: Bool { if case .refused = kind { true } else { kind == .timedOut } }

    /// Whether the peer does not have the method, its interface or its object.
    var isOfMethod: Bool { isError("UnknownMethod", "UnknownInterface", "UnknownObject") }

    func isError(_ names: String...) -> Bool {
        names.contains { kind == .refused(name: "\(BusDriver.name).Error.\($0)") }
    }
}

/// The bus itself, as its connections call it.
enum BusDriver {
    static let name = "org.freedesktop.DBus"
    static let path = "/org/freedesktop/DBus"
}

/// Finds the distributor of the app.
struct DistributorFinder: Sendable {
    let bus: any MessageBus
    /// The only name to use; nil for the preferred one of those on the bus.
    let required: String?

    /// The number of distributors that are looked at.
    private static let most = 32
    private static let preferred = "\(UnifiedPush.distributors).kde"

    /// `name` is the end of the name in the file, `variable` the one of the session.
    init(on bus: any MessageBus, name: String?, variable: String?) {
        self.bus = bus
        required = (name ?? variable).flatMap { $0.isEmpty ? nil : "\(UnifiedPush.distributors).\($0)" }
    }

    /// What is missing, for messages.
    var wanted: String {
        required.map { "no program with the name \($0.shown(upTo: 120).quoted) is on the session bus" }
            ?? "no UnifiedPush distributor is on the session bus"
    }

    /// Changes of the owners of distributors' names.
    func changes() async throws(BusFailure) -> AsyncStream<BusSignal> {
        try await bus.signals(
            BusRule(
                interface: BusDriver.name,
                path: BusDriver.path,
                member: "NameOwnerChanged",
                sender: BusDriver.name,
                firstNamespace: UnifiedPush.distributors
            )
        )
    }

    /// The distributor that is on the bus now.
    func find() async throws(BusFailure) -> Distributor? {
        if let required { return BusName.isWellKnown(required) ? try await distributor(required) : nil }
        if let preferred = try await distributor(Self.preferred) { return preferred }
        for name in try await names() { if let distributor = try await distributor(name) { return distributor } }
        return nil
    }

    /// The names of distributors that a program has, in use or not.
    func names(of owner: String) async throws(BusFailure) -> [String] {
        var found: [String] = []
        for name in try await names() where try await self.owner(of: name) == owner { found.append(name) }
        return found
    }

    /// The distributor with a name, where it is on the bus.
    func distributor(_ name: String) async throws(BusFailure) -> Distributor? {
        try await owner(of: name).map { Distributor(name: name, owner: $0) }
    }

    /// The names of distributors on the bus, in order.
    private func names() async throws(BusFailure) -> [String] {
        let all = try await ask("ListNames").first?.strings ?? []
        return Array(all.filter { $0.hasPrefix("\(UnifiedPush.distributors).") }.sorted().prefix(Self.most))
    }

    private func owner(of name: String) async throws(BusFailure) -> String? {
        do throws(BusFailure) { return try await ask("GetNameOwner", [.string(name)]).first?.text } catch {
            guard error.isNameAbsent else { throw error }
            return nil
        }
    }

    private func ask(_ member: String, _ arguments: [BusValue] = []) async throws(BusFailure) -> [BusValue] {
        let call = BusCall(member, of: BusDriver.name, at: BusDriver.path, on: BusDriver.name, arguments)
        return try await bus.call(call, within: Distributor.limit).values
    }
}

extension BusSignal {
    /// Whether a distributor has lost its name; other programs may send such a signal too.
    func ends(_ distributor: Distributor) -> Bool {
        sender == BusDriver.name && values.count == 3 && values[0].text == distributor.name
            && values[1].text == distributor.owner
    }
}
