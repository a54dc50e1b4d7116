import WireBase
import WireConfig
import WireService
import WireStore

/// Keeps tokens and registrations in the store, for all processes of a group; each environment has its own.
struct PushKeeper: Sendable {
    private let store: any KeyValueStore
    private let scope: String

    init(_ host: ServiceHost) { (store, scope) = (host.stores.values, host.environmentScope) }

    /// No name that apps can reach begins so.
    static let namespace = "corewire/push"

    private var tokensKey: String { "\(scope)/tokens" }
    private var registrationsKey: String { "\(scope)/registrations/" }

    private func key(_ registrar: String, _ tag: String) -> String { "\(registrationsKey)\(registrar)/\(tag)" }

    // MARK: Tokens

    func tokens() throws(Fault) -> KeptTokens { try read(tokensKey, KeptTokens.init)?.value ?? KeptTokens() }

    /// Returns it when it is on the disk; the change may be asked for several times.
    @discardableResult
    func editTokens(_ change: @Sendable (inout KeptTokens) -> Void) async throws(Fault) -> KeptTokens {
        try await edit(tokensKey, KeptTokens(), KeptTokens.init, { $0.bytes }, change)
    }

    // MARK: Registrations

    func registration(_ registrar: String, _ tag: String) throws(Fault) -> Registration {
        try read(key(registrar, tag), Registration.init)?.value ?? Registration()
    }

    @discardableResult
    func edit(_ registrar: String, _ tag: String, _ change: @Sendable (inout Registration) -> Void)
        async throws(Fault) -> Registration
    {
        try await edit(key(registrar, tag), Registration(), Registration.init, { $0.bytes }, change)
    }

    /// Every registration there is, of all users.
    func registrations() throws(Fault) -> [(registrar: String, tag: String)] {
        var (found, last): ([(registrar: String, tag: String)], String?) = ([], nil)
        do throws(StoreFailure) {
            while true {
                let page = try store.list(Self.namespace, prefix: registrationsKey, after: last, limit: 100)
                guard let end = page.last else { return found }
                last = end.key
                for entry in page {
                    let parts = entry.key.dropFirst(registrationsKey.count).split(separator: "/")
                    if parts.count == 2 { found.append((String(parts[0]), String(parts[1]))) }
                }
            }
        } catch {
            throw Fault(error.reason, help: error.help)
        }
    }

    // MARK: Removing

    /// Removes a registration; returns whether there was one.
    func remove(_ registrar: String, _ tag: String) async throws(Fault) -> Bool {
        try await remove(key(registrar, tag))
    }

    func removeTokens() async throws(Fault) -> Bool { try await remove(tokensKey) }

    private func remove(_ key: String) async throws(Fault) -> Bool {
        do throws(StoreFailure) {
            return try await store.remove(key, in: Self.namespace, if: .always)
        } catch {
            throw Fault(error.reason, help: error.help)
        }
    }

    /// Removes what is kept for other environments; tells how much it was.
    func forgetOthers() async throws(Fault) -> Int {
        do throws(StoreFailure) {
            var (others, last): ([String], String?) = ([], nil)
            while true {
                let page = try store.list(Self.namespace, prefix: "", after: last, limit: 100)
                guard let end = page.last else { break }
                others += page.map(\.key).filter { !$0.hasPrefix("\(scope)/") }
                last = end.key
            }
            var count = 0
            for key in others where try await store.remove(key, in: Self.namespace, if: .always) { count += 1 }
            return count
        } catch {
            throw Fault(error.reason, help: error.help)
        }
    }

    // MARK: The store

    private func read<Value>(_ key: String, _ parse: ([UInt8]) -> Value?) throws(Fault) -> (value: Value, Int64)? {
        do throws(StoreFailure) {
            guard let entry = try store.entry(key, in: Self.namespace) else { return nil }
            guard let value = parse(entry.bytes) else {
                throw StoreFailure(
                    .newer,
                    "what is kept of pushes is not as this program writes it",
                    help: "run the version that wrote it, or remove it with 'corewire push clear'"
                )
            }
            return (value, entry.summary.version)
        } catch {
            throw Fault(error.reason, help: error.help)
        }
    }

    private func edit<Value: Sendable & Equatable>(
        _ key: String,
        _ empty: Value,
        _ parse: @Sendable ([UInt8]) -> Value?,
        _ bytes: @Sendable (Value) -> [UInt8],
        _ change: @Sendable (inout Value) -> Void
    ) async throws(Fault) -> Value {
        while true {
            let kept = try read(key, parse)
            var value = kept?.value ?? empty
            change(&value)
            guard value != kept?.value ?? empty else { return value }
            do throws(StoreFailure) {
                // Tokens that reach the device are nobody else's to know.
                _ = try await store.put(
                    NewValue(bytes(value), type: "application/json", isSealed: true),
                    under: key,
                    in: Self.namespace,
                    if: kept.map { .version($0.1) } ?? .absent
                )
                return value
            } catch {
                if error.kind == .conflict { continue }
                throw Fault(error.reason, help: error.help)
            }
        }
    }

    /// Tells whenever another process has changed something; returns when the task is cancelled.
    func follow(_ clock: Clockwork, _ tell: @Sendable () -> Void) async {
        var seen = (try? store.changes(after: .max, in: Self.namespace, limit: 1).version) ?? 0
        while !Task.isCancelled {
            do throws(StoreFailure) {
                let found = try store.changes(after: seen, in: Self.namespace, limit: 64)
                seen = found.version
                if found.hasGap || !found.changes.isEmpty { tell() }
                _ = try await store.changed(after: seen)
            } catch {
                try? await clock.sleep(.seconds(5))
            }
        }
    }
}
