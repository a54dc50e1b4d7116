import WireBase
import WireConfig
import WireService
import WireStore

/// Stores tokens and registrations for all processes of a group, separately for each environment.
struct PushRepository: Sendable {
    private let tokenRecords: Repository<StoredTokens>
    private let registrationRecords: Repository<Registration>
    private let accountRecords: Repository<WebPushRecord>
    private let accountPrefix: String

    init(_ host: PushHost) {
        tokenRecords = Self.records(host, of: "push record")
        registrationRecords = Self.records(host, "registrations/", of: "push registration")
        accountRecords = Self.records(host, prefix: "", of: "Web Push account")
        accountPrefix = "\(host.environmentScope)/\(Self.accountFolder)"
    }

    /// Device tokens are secrets.
    private static func records<Record>(_ host: PushHost, _ folder: String = "", of subject: String) -> Repository<
        Record
    > {
        records(host, prefix: "\(host.environmentScope)/\(folder)", of: subject)
    }

    private static func records<Record>(_ host: PushHost, prefix: String, of subject: String) -> Repository<Record> {
        Repository(
            in: host.stores.device.values,
            namespace: namespace,
            prefix: prefix,
            of: subject,
            removal: "run 'corewire push clear' to remove it",
            isSealed: true
        )
    }

    /// Apps cannot use a namespace with this prefix.
    static let namespace = "corewire/push"

    // MARK: Tokens

    private static let tokens = "tokens"

    func tokens() async throws(Fault) -> StoredTokens {
        try await Fault.wrapping { () async throws(StoreFailure) in
            try await tokenRecords.read(Self.tokens)?.record ?? StoredTokens()
        }
    }

    /// The tokens to be removed; damaged ones are replaced by none, and requests from before are not sent any more.
    func clearableTokens(with eraser: Eraser, at now: Int64) async throws(Fault) -> StoredTokens {
        try await Fault.wrapping { () async throws(StoreFailure) in
            let version = try await tokenRecords.version(of: Self.tokens)
            var failure: StoreFailure?
            let stored = try await tokenRecords.readable(Self.tokens) { failure = $0 }
            // Those of a later version of the program are kept.
            if let failure, failure.kind == .newer { throw failure }
            if failure != nil, !eraser.isDryRun {
                var none = StoredTokens()
                // How often data was removed is lost: a time is greater than any number of removals.
                none.cleared[StoredTokens.everybody] = Int(now)
                _ = try await tokenRecords.put(none, of: Self.tokens, after: version)
            }
            return stored?.record ?? StoredTokens()
        }
    }

    /// Changes a registration and returns it once it is on the disk; the change may run several times.
    @discardableResult
    func editTokens(_ change: @Sendable (inout StoredTokens) -> Void) async throws(Fault) -> StoredTokens {
        try await edit(tokenRecords, Self.tokens, StoredTokens(), change)
    }

    // MARK: Registrations

    func registration(_ registrar: String, _ tag: String) async throws(Fault) -> Registration {
        try await Fault.wrapping { () async throws(StoreFailure) in
            try await registrationRecords.read("\(registrar)/\(tag)")?.record ?? Registration()
        }
    }

    @discardableResult
    func edit(_ registrar: String, _ tag: String, _ change: @Sendable (inout Registration) -> Void)
        async throws(Fault) -> Registration
    {
        try await edit(registrationRecords, "\(registrar)/\(tag)", Registration(), change)
    }

    /// A registration of a user at a server; a failure where the record cannot be read.
    struct Listed: Sendable {
        let registrar, tag: String
        let registration: Result<Registration, Fault>
    }

    /// All registrations of all users.
    func registrations() async throws(Fault) -> [Listed] {
        let records = try await Fault.wrapping { () async throws(StoreFailure) in try await registrationRecords.list() }
        return records.compactMap { listed in
            let parts = listed.name.split(separator: "/")
            guard parts.count == 2 else { return nil }
            return Listed(
                registrar: String(parts[0]),
                tag: String(parts[1]),
                registration: listed.stored.map(\.record).mapError { Fault($0) }
            )
        }
    }

    /// Removes a registration; returns whether there was one.
    func remove(_ registrar: String, _ tag: String, with eraser: Eraser) async throws(Fault) -> Bool {
        try await Fault.wrapping { () async throws(StoreFailure) in
            try await eraser.remove("\(registrationRecords.prefix)\(registrar)/\(tag)", in: Self.namespace)
        }
    }

    // MARK: Web Push

    private static let accountFolder = "web-push/"

    /// The name of an account at a Web Push service, among those of all environments.
    struct AccountName: Sendable, Hashable {
        fileprivate let text: String
        var id: String { text }
        /// The owner.
        let tag: String
        /// Whether it is of another environment.
        let isForeign: Bool
    }

    func accountName(of tag: String) -> AccountName {
        AccountName(text: accountPrefix + tag, tag: tag, isForeign: false)
    }

    func account(_ name: AccountName) async throws(Fault) -> WebPushRecord? {
        try await Fault.wrapping { () async throws(StoreFailure) in try await accountRecords.read(name.text)?.record }
    }

    /// The names of all accounts, also of other environments.
    func accountNames() async throws(Fault) -> [AccountName] {
        let names = try await Fault.wrapping { () async throws(StoreFailure) in try await accountRecords.names() }
        return names.compactMap { name in
            let parts = name.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 3, "\(parts[1])/" == Self.accountFolder else { return nil }
            return AccountName(text: name, tag: String(parts[2]), isForeign: !name.hasPrefix(accountPrefix))
        }
    }

    /// An account; nil also where it is damaged, sealed with a lost key, or of a newer version.
    func readableAccount(_ name: AccountName) async throws(Fault) -> WebPushRecord? {
        try await Fault.wrapping { () async throws(StoreFailure) in try await accountRecords.readable(name.text)?.record
        }
    }

    /// Whether an account can be read; one that is damaged, or sealed with a lost key, is removed.
    func isReadable(_ name: AccountName) async throws(Fault) -> Bool {
        try await Fault.wrapping { () async throws(StoreFailure) in
            var failure: StoreFailure?
            _ = try await accountRecords.readable(name.text) { failure = $0 }
            guard let failure else { return true }
            if failure.kind != .newer { try await accountRecords.remove(name.text) }
            return false
        }
    }

    /// Changes an account and returns it once it is on the disk; the change may run several times.
    func editAccount(_ name: AccountName, _ change: @Sendable (inout WebPushRecord?) -> Void) async throws(Fault)
        -> WebPushRecord?
    {
        try await Fault.wrapping { () async throws(StoreFailure) in
            try await accountRecords.edit(name.text) { change(&$0) }.stored?.record
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
            for name in try await all.names() where !name.hasPrefix(tokenRecords.prefix) {
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
