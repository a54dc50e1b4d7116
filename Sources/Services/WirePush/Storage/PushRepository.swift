import WireBase
import WireConfig
import WireService
import WireStore

/// Stores tokens and registrations for all processes of a group, separately for each environment.
struct PushRepository: Sendable {
    private let tokenRecords: Repository<StoredTokens>
    private let registrationRecords: Repository<Registration>
    private let accountRecords: Repository<WebPushRecord>

    init(_ host: PushHost) {
        tokenRecords = Self.records(host, of: "push record")
        registrationRecords = Self.records(host, "registrations/", of: "push registration")
        accountRecords = Self.records(host, "web-push/", of: "Web Push account")
    }

    /// Device tokens are secrets.
    private static func records<Record>(_ host: PushHost, _ prefix: String = "", of subject: String) -> Repository<
        Record
    > {
        Repository(
            in: host.stores.values,
            namespace: namespace,
            prefix: "\(host.environmentScope)/\(prefix)",
            of: subject,
            removal: "run 'corewire push clear' to remove it",
            isSealed: true
        )
    }

    /// Apps cannot use a namespace with this prefix.
    static let namespace = "corewire/push"

    // MARK: Tokens

    private static let tokens = "tokens"

    func tokens() throws(Fault) -> StoredTokens {
        try Fault.wrapping { () throws(StoreFailure) in try tokenRecords.read(Self.tokens)?.record ?? StoredTokens() }
    }

    /// Changes a registration and returns it once it is on the disk; the change may run several times.
    @discardableResult
    func editTokens(_ change: @Sendable (inout StoredTokens) -> Void) async throws(Fault) -> StoredTokens {
        try await edit(tokenRecords, Self.tokens, StoredTokens(), change)
    }

    // MARK: Registrations

    func registration(_ registrar: String, _ tag: String) throws(Fault) -> Registration {
        try Fault.wrapping { () throws(StoreFailure) in
            try registrationRecords.read("\(registrar)/\(tag)")?.record ?? Registration()
        }
    }

    @discardableResult
    func edit(_ registrar: String, _ tag: String, _ change: @Sendable (inout Registration) -> Void)
        async throws(Fault) -> Registration
    {
        try await edit(registrationRecords, "\(registrar)/\(tag)", Registration(), change)
    }

    /// All registrations of all users.
    func registrations() throws(Fault) -> [(registrar: String, tag: String)] {
        let names = try Fault.wrapping { () throws(StoreFailure) in try registrationRecords.names() }
        return names.compactMap { name in
            let parts = name.split(separator: "/")
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
    }

    /// Removes a registration; returns whether there was one.
    func remove(_ registrar: String, _ tag: String, with eraser: Eraser) async throws(Fault) -> Bool {
        try await Fault.wrapping { () async throws(StoreFailure) in
            try await eraser.remove("\(registrationRecords.prefix)\(registrar)/\(tag)", in: Self.namespace)
        }
    }

    // MARK: Web Push

    /// The account of an owner at the Web Push service.
    func account(of tag: String) throws(Fault) -> WebPushRecord? {
        try Fault.wrapping { () throws(StoreFailure) in try accountRecords.read(tag)?.record }
    }

    /// The owners that have accounts.
    func accountTags() throws(Fault) -> [String] {
        try Fault.wrapping { () throws(StoreFailure) in try accountRecords.names() }
    }

    /// Changes an account and returns it once it is on the disk; the change may run several times.
    func editAccount(of tag: String, _ change: @Sendable (inout WebPushRecord?) -> Void) async throws(Fault)
        -> WebPushRecord?
    {
        try await Fault.wrapping { () async throws(StoreFailure) in
            try await accountRecords.edit(tag) { change(&$0) }.stored?.record
        }
    }

    // MARK: All

    /// Changes a record, or an empty one where there is none; an empty record is not stored.
    private func edit<Record: Equatable>(
        _ records: Repository<Record>,
        _ name: String,
        _ empty: Record,
        _ change: @Sendable (inout Record) -> Void
    ) async throws(Fault) -> Record {
        try await Fault.wrapping { () async throws(StoreFailure) in
            try await records.edit(name) { record in
                var changed = record ?? empty
                change(&changed)
                if changed != record ?? empty { record = changed }
                return changed
            }.answer
        }
    }

    /// Removes the records of other environments and returns their number.
    func forgetOthers(with eraser: Eraser) async throws(Fault) -> Int {
        try await Fault.wrapping { () async throws(StoreFailure) in
            var count = 0
            let all = Repository<StoredTokens>(in: tokenRecords.store, namespace: Self.namespace, of: "push record")
            for name in try all.names() where !name.hasPrefix(tokenRecords.prefix) {
                if try await eraser.remove(name, in: Self.namespace) { count += 1 }
            }
            return count
        }
    }

    /// Calls the closure when another process has changed a record; returns when the task is cancelled.
    func follow(_ clock: TimeSource, _ tell: @Sendable () -> Void) async {
        await tokenRecords.follow(clock) { _ in tell() }
    }
}
