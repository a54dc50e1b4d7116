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
    /// The timeout of a registration, for which the distributor may need its server.
    static let registrationLimit = Duration.seconds(600)

    /// The end of the name, for messages.
    var title: String { String(name.dropFirst(UnifiedPush.distributors.count + 1)).quoted }

    /// The version of its interface.
    func version(on bus: any MessageBus) async throws(BusFailure) -> UnifiedPush.Version {
        let (path, interface) = (UnifiedPush.distributorPath, UnifiedPush.introspectable)
        do throws(BusFailure) {
            let reply = try await bus.call(
                BusCall("Introspect", of: interface, at: path, on: owner),
                within: Self.limit
            )
            return UnifiedPush.Version(describedBy: reply.values.first?.text ?? "")
        } catch  where error.isRefusal {
            return .second
        }
    }
}

extension BusFailure {
    /// Whether the peer replied with an error.
    var isRefusal: Bool { if case .refused = kind { true } else { false } }
}

/// Finds the distributor of the app.
struct DistributorFinder: Sendable {
    let bus: any MessageBus
    /// The only name to use; nil for the preferred one of those on the bus.
    let required: String?

    private static let driver = "org.freedesktop.DBus"
    private static let driverPath = "/org/freedesktop/DBus"
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
                interface: Self.driver,
                path: Self.driverPath,
                member: "NameOwnerChanged",
                sender: Self.driver,
                firstNamespace: UnifiedPush.distributors
            )
        )
    }

    /// The distributor that is on the bus now.
    func find() async throws(BusFailure) -> Distributor? {
        for name in try await names() {
            if let owner = try await owner(of: name) { return Distributor(name: name, owner: owner) }
        }
        return nil
    }

    /// The names to try, in order.
    private func names() async throws(BusFailure) -> [String] {
        if let required { return BusName.isWellKnown(required) ? [required] : [] }
        let all = try await ask("ListNames").first?.strings ?? []
        let names = all.filter { $0.hasPrefix("\(UnifiedPush.distributors).") }.sorted()
        return names.filter { $0 == Self.preferred } + names.filter { $0 != Self.preferred }
    }

    private func owner(of name: String) async throws(BusFailure) -> String? {
        do throws(BusFailure) { return try await ask("GetNameOwner", [.string(name)]).first?.text } catch {
            guard error.isNameAbsent else { throw error }
            return nil
        }
    }

    private func ask(_ member: String, _ arguments: [BusValue] = []) async throws(BusFailure) -> [BusValue] {
        let call = BusCall(member, of: Self.driver, at: Self.driverPath, on: Self.driver, arguments)
        return try await bus.call(call, within: Distributor.limit).values
    }
}

extension BusSignal {
    /// Whether a distributor has lost its name; other programs may send such a signal too.
    func ends(_ distributor: Distributor) -> Bool {
        sender == "org.freedesktop.DBus" && values.count == 3 && values[0].text == distributor.name
            && values[1].text == distributor.owner
    }
}
