import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService
import WireStore
import WireTelemetry

/// The repository of cached responses.
///
/// The key of a response is a digest of its user, URL and selecting fields. So neither URLs nor request data are
/// stored, and no user finds the responses of another one.
final class ResponseCache: Sendable {
    /// The responses to one URL, for one user of one environment.
    struct Place: Sendable {
        fileprivate let environment, owner, url: String
        fileprivate let since: UInt64
        /// The number of earlier clearings.
        fileprivate let clearings: Int
        fileprivate let selection: Selection
        fileprivate let bound: ByteCount

        fileprivate var name: String { "\(environment)/\(owner)/\(url)" }
    }

    /// A stored response.
    struct Stored: Sendable {
        fileprivate let key: String
        let head: StoredHead
        let body: [UInt8]

        /// The same body with another head.
        func with(_ head: StoredHead) -> Stored { Stored(key: key, head: head, body: body) }
    }

    private let store: any CacheStore
    private let secrecy: any CryptoProvider
    private let log: Log
    private let evictions: Counter
    private let invalidations = Mutex(Invalidations())
    private let isTroubled = Atomic(false)
    /// The barrier of writes, closed while the cache is cleared.
    let barrier = WorkBarrier()

    static let region = "network.answers"

    init(_ store: any CacheStore, secrecy: any CryptoProvider, log: Log, evictions: Counter) {
        (self.store, self.secrecy, self.log, self.evictions) = (store, secrecy, log, evictions)
    }

    /// The usage of the cache; nil where it is unknown now.
    var usage: StoreUsage? { try? store.cacheUsage(of: Self.region) }

    /// The place of a URL for a request; nil where this machine cannot compute digests.
    func place(of url: WebURL, for pipelineRequest: PipelineRequest) -> Place? {
        // Three parts, so that the entries of a user or an environment are found without their URLs.
        guard let environment = environment(pipelineRequest.environment) else { return nil }
        var owner = Self.nobody
        if let user = pipelineRequest.user {
            var person = ByteWriter()
            person.write(user.issuer)
            person.write(user.subject)
            guard let name = digest(person.bytes) else { return nil }
            owner = "\(Self.person)\(name.prefix(32))"
        }
        var key = ByteWriter()
        key.write(url.scheme)
        key.write(url.host)
        key.write(Int64(url.origin.port))
        key.write(url.path.isEmpty ? "/" : url.path)
        key.write(url.query == nil ? 0 : 1 as UInt8)
        key.write(url.query ?? "")
        guard let name = digest(key.bytes) else { return nil }
        return Place(
            environment: environment,
            owner: owner,
            url: name,
            since: invalidations.withLock { $0.number },
            clearings: barrier.times,
            selection: Selection(pipelineRequest.call, pipelineRequest.settings),
            bound: pipelineRequest.settings.cache.maxSize
        )
    }

    // MARK: Reading

    /// The stored response for a request; an unreadable entry counts as missing.
    func find(at place: Place) -> Stored? {
        guard let variants = variants(at: place) else { return nil }
        // Several variants may match after a change of `Vary`: the newest one applies.
        for variant in variants.all where digest(of: place.selection.values(of: variant.names)) == variant.digest {
            let key = Self.key(of: variant, at: place)
            guard let value = read(key), let head = StoredHead(form: value.notes, bodySize: value.bytes.count) else {
                continue
            }
            return Stored(key: key, head: head, body: value.bytes)
        }
        return nil
    }

    private func variants(at place: Place) -> Variants? { read(place.name).flatMap { Variants(form: $0.notes) } }

    private func read(_ key: String) -> CachedValue? {
        do {
            return try store.cached(key, in: Self.region)
        } catch {
            tell(error)
            return nil
        }
    }

    // MARK: Writing

    /// Stores a response, unless its URL was written to since the request.
    func keep(_ head: StoredHead, _ body: [UInt8], at place: Place) async {
        guard allows(place) else { return }
        let names = Selection.names(of: head.fields)
        guard let digest = digest(of: place.selection.values(of: names)) else { return }
        let variant = Variants.Variant(names: names, digest: digest)
        await write(head, body, under: Self.key(of: variant, at: place), at: place)
        // Two concurrent variants may overwrite each other's line; the lost one is fetched again.
        let known = variants(at: place) ?? Variants()
        var variants = known
        variants.use(variant)
        guard variants != known, allows(place) else { return }
        await write(CachedValue(bytes: [], notes: variants.form, stored: head.confirmed), under: place.name, at: place)
    }

    /// Replaces the head of a stored response.
    func keep(_ head: StoredHead, for stored: Stored, at place: Place) async {
        guard allows(place) else { return }
        await write(head, stored.body, under: stored.key, at: place)
    }

    func forget(_ stored: Stored) async { await forget(stored.key) }

    /// Removes all responses to a URL that was written to.
    func forgetAll(at place: Place) async {
        invalidations.withLock { $0.add(place.name) }
        await forget(place.name)
    }

    private func allows(_ place: Place) -> Bool {
        invalidations.withLock { $0.allows(place.name, since: place.since) }
    }

    private func write(_ head: StoredHead, _ body: [UInt8], under key: String, at place: Place) async {
        let value = CachedValue(bytes: body, notes: head.form(bodySize: body.count), stored: head.confirmed)
        await write(value, under: key, at: place)
    }

    private func write(_ value: CachedValue, under key: String, at place: Place) async {
        // A request from before a clearing stores nothing after it.
        guard barrier.enter(since: place.clearings) else { return }
        defer { barrier.leave() }
        do {
            let gone = try await store.cache(value, under: key, in: Self.region, bound: place.bound)
            if gone > 0 { evictions.add(gone) }
            isTroubled.store(false, ordering: .relaxed)
        } catch {
            tell(error)
        }
    }

    private func forget(_ key: String) async {
        do {
            try await store.forget(key, in: Self.region)
        } catch {
            tell(error)
        }
    }

    // MARK: Keys

    private static func key(of variant: Variants.Variant, at place: Place) -> String {
        // A response to a request with a secret of its own belongs to its owner, even without a signed-in user.
        let owner = place.selection.hasOwnSecret ? secret : place.owner
        return "\(place.environment)/\(owner)/\(place.url)/\(variant.digest)"
    }

    private static let nobody = "-"
    private static let person = "u"
    private static let secret = "s"

    private func environment(_ name: String) -> String? {
        var bytes = ByteWriter()
        bytes.write(name)
        return digest(bytes.bytes).map { String($0.prefix(16)) }
    }

    // MARK: Clearing

    /// Removes the users' entries of an environment, or all entries of it, or all; returns how many.
    func clear(_ scope: ClearingScope, of environment: String, with eraser: Eraser) async throws(Fault) -> Int {
        guard let name = self.environment(environment) else { throw Fault("this program cannot compute digests") }
        let prefixes =
            switch scope {
            case .user: ["\(name)/\(Self.person)", "\(name)/\(Self.secret)"]
            case .environment: ["\(name)/"]
            case .all: [""]
            }
        return try await Fault.wrapping { () async throws(StoreFailure) in
            var count = 0
            for prefix in prefixes { count += try await eraser.forgetCached(beginning: prefix, in: Self.region) }
            return count
        }
    }

    private func digest(of values: [UInt8]) -> String? { values.isEmpty ? "" : digest(values) }

    private func digest(_ bytes: [UInt8]) -> String? {
        do {
            return try secrecy.digest(bytes).hexadecimal
        } catch {
            log.warning("responses cannot be stored", ["error": .text(error.reason)])
            return nil
        }
    }

    /// Logs once that the store fails, until it works again; requests go on without the cache.
    private func tell(_ failure: StoreFailure) {
        guard !isTroubled.exchange(true, ordering: .relaxed) else { return }
        log.warning("the HTTP cache cannot be used", ["error": .text(failure.reason)])
    }
}
