import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService
import WireStore
import WireTelemetry

/// Where answers are stored: the one part that reads and writes the cache.
///
/// An answer lies under the digest of who asks for what, and where; what it varies by is part of its key. So neither URLs nor
/// anything of a request is written down, and nobody finds what is somebody else's.
final class AnswerShelf: Sendable {
    /// The answers to one URL, as one user of one environment sees them.
    struct Place: Sendable {
        fileprivate let environment, owner, url: String
        fileprivate let since: UInt64
        /// How often everything was cleared before.
        fileprivate let clearings: Int
        fileprivate let selection: Selection
        fileprivate let bound: ByteCount

        fileprivate var name: String { "\(environment)/\(owner)/\(url)" }
    }

    /// What is stored for a request.
    struct Stored: Sendable {
        fileprivate let key: String
        let head: StoredHead
        let body: [UInt8]

        /// The same body with another head.
        func with(_ head: StoredHead) -> Stored { Stored(key: key, head: head, body: body) }
    }

    private let store: any CacheStore
    private let secrecy: any Secrecy
    private let log: Log
    private let evictions: Counter
    private let invalidations = Mutex(Invalidations())
    private let isTroubled = Atomic(false)
    /// What is written goes through it, unless it is being cleared.
    let gate = WorkGate()

    static let region = "network.answers"

    init(_ store: any CacheStore, secrecy: any Secrecy, log: Log, evictions: Counter) {
        (self.store, self.secrecy, self.log, self.evictions) = (store, secrecy, log, evictions)
    }

    /// How much is stored; nil where that cannot be told now.
    var usage: StoreUsage? { try? store.cacheUsage(of: Self.region) }

    /// The place of a URL for whoever sends a request; nil where this machine cannot tell places apart.
    func place(of url: WebURL, for passage: Passage) -> Place? {
        // Three parts, so that what is one user's, or of one environment, is found without knowing any URL.
        guard let environment = environment(passage.environment) else { return nil }
        var owner = Self.nobody
        if let user = passage.user {
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
            clearings: gate.times,
            selection: Selection(passage.call, passage.settings),
            bound: passage.settings.cache.maxSize
        )
    }

    // MARK: Reading

    /// What is stored for the request a place was made for; what cannot be read is not there.
    func find(at place: Place) -> Stored? {
        guard let variants = variants(at: place) else { return nil }
        // Several variants may fit where what an answer varies by has changed: the last one is meant.
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

    /// Stores an answer, unless something was written to its URL since it was asked for.
    func keep(_ head: StoredHead, _ body: [UInt8], at place: Place) async {
        guard allows(place) else { return }
        let names = Selection.names(of: head.fields)
        guard let digest = digest(of: place.selection.values(of: names)) else { return }
        let variant = Variants.Variant(names: names, digest: digest)
        await write(head, body, under: Self.key(of: variant, at: place), at: place)
        // Two variants that come at once may take each other's line; the other one is then asked for again.
        let known = variants(at: place) ?? Variants()
        var variants = known
        variants.use(variant)
        guard variants != known, allows(place) else { return }
        await write(CachedValue(bytes: [], notes: variants.form, stored: head.confirmed), under: place.name, at: place)
    }

    /// Stores another head for what is stored.
    func keep(_ head: StoredHead, for stored: Stored, at place: Place) async {
        guard allows(place) else { return }
        await write(head, stored.body, under: stored.key, at: place)
    }

    func forget(_ stored: Stored) async { await forget(stored.key) }

    /// Forgets every answer to a URL: something was written to it.
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
        // What was asked for before everything was cleared is not stored after it.
        guard gate.enter(since: place.clearings) else { return }
        defer { gate.leave() }
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
        // What was got with a secret of the request's own is somebody's, though no user is signed in here.
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

    /// Forgets what is somebody's in an environment; or all of the environment, or all there is; how many entries.
    func clear(_ scope: ClearingScope, of environment: String) async throws(Fault) -> Int {
        guard let name = self.environment(environment) else { throw Fault("nothing makes digests here") }
        let prefixes =
            switch scope {
            case .user: ["\(name)/\(Self.person)", "\(name)/\(Self.secret)"]
            case .environment: ["\(name)/"]
            case .all: [""]
            }
        return try await Fault.wrapping { () async throws(StoreFailure) in
            var count = 0
            for prefix in prefixes { count += try await store.forget(beginning: prefix, in: Self.region) }
            return count
        }
    }

    private func digest(of values: [UInt8]) -> String? { values.isEmpty ? "" : digest(values) }

    private func digest(_ bytes: [UInt8]) -> String? {
        do {
            return try secrecy.digest(bytes).hexadecimal
        } catch {
            log.warning("answers cannot be stored", ["error": .text(error.reason)])
            return nil
        }
    }

    /// Says once that the store fails, until it works again; requests go on without it.
    private func tell(_ failure: StoreFailure) {
        guard !isTroubled.exchange(true, ordering: .relaxed) else { return }
        log.warning("the cache of answers cannot be used", ["error": .text(failure.reason)])
    }
}
