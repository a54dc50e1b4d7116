import CorewireCatalogue
package import WireBase
import WireConfig
import WireCrypto
package import WireHost
import WireHTTP
package import WireNotificationContract
import WireNotifications
import WirePersistence
import WireRuntime
import WireSecrets
import WireService
import WireSQLite
import WireStore
import WireTelemetry
import WireTransfer

/// Accepts one push for the runner of an app, in a short-lived process.
///
/// The push is stored first; the remaining time is used for optional work.
package final class PushReceiver: Sendable {
    private let store: SQLiteStore
    private let group: GroupStore?
    private let settings: NotificationsSection
    private let receiver: NotificationReceiver
    private let candidate: Candidate
    private let folders: HostFolders
    private let folder: String
    private let secrecy = OpenSSLSecrecy()

    /// Reads the file and opens the store of the app, which a runner may have open as well.
    package init(_ options: RunOptions, in environment: Environment) async throws(StartFailure) {
        let secrecy = secrecy
        let source = FileCandidateSource(
            path: options.file,
            overrides: options.overrides,
            secrecy: secrecy,
            clock: .host
        )
        let rules = CandidateRules(options)
        folder = Assembly.folder(of: options.file)
        let file = try Assembly.candidate(source, options.environment)
        try rules.check(file)
        folders = try Assembly.folders(of: file, environment)
        store = try Assembly.store(for: file, folders)
        let history = GenerationHistory(in: store, of: file.app?.id.text ?? "app")
        // A switch of the runner's environment is a switch of what pushes are for.
        let environmentName = options.environment
        candidate = try await rules.first(file, chosen: environmentName, from: source, history, isStart: false)
            .candidate
        guard let settings = candidate.configuration[NotificationsSection.self] else {
            throw StartFailure(
                .invalid,
                "the file has no section 'notifications'",
                help: "add the section 'notifications'"
            )
        }
        self.settings = settings
        // Pushes of this machine must be stored also while the database is away.
        let isShared = candidate.configuration[PersistenceSection.self]?.store?.shares.contains(.notifications) ?? false
        group =
            isShared
            ? try await GroupStore.open(for: candidate, beside: store, folder: folders.state.path, environment) : nil
        let shared = (group?.stores(beside: store) ?? Stores(store))[.notifications]
        receiver = NotificationReceiver(
            settings,
            work: shared.queue,
            values: shared.values,
            device: store,
            app: candidate.app?.id.text ?? "app",
            environment: ServiceHost.scope(of: candidate.facts.name, at: candidate.url),
            digest: Self.digest(secrecy)
        )
    }

    private static func digest(_ secrecy: any CryptoProvider) -> @Sendable (String) -> String {
        { text in (try? secrecy.digest(Array(text.utf8)).hexadecimal) ?? text }
    }

    /// A stored push.
    package struct Taken: Sendable {
        package let id: String
        /// False for a repetition with the same content.
        package let isNew: Bool
        /// Whether an earlier push had the same id and other content.
        package let isUpdate: Bool
        /// The parsed push, as far as possible without the runner.
        package let push: ReceivedPush
    }

    /// Stores a push; without an id, equal bytes may be recognized as a repetition.
    package func receive(
        _ bytes: [UInt8],
        carrier: String?,
        isKnownByContent: Bool
    ) async throws(NotificationFailure) -> Taken {
        let taken = try await receiver.receive(
            bytes,
            carrier: carrier,
            naming: isKnownByContent ? .content : .fresh,
            at: TimeSource.host.wall()
        )
        return Taken(id: taken.id, isNew: taken.isNew, isUpdate: taken.isUpdate, push: taken.push)
    }

    /// Fetches the picture where the file says so; nil where there is none.
    package func fetchMedia(of push: ReceivedPush, _ id: String, within limit: Duration) async throws(Fault) -> String?
    {
        guard let rules = settings.media, let image = push.image else { return nil }
        let traffic = ClientPool(TransferOptions(), clock: .host)
        let (named, candidate) = (NamedHosts(folder: folder), candidate)
        let client = traffic.client { named.rules(of: candidate) }
        let fetch = MediaFetch(
            rules,
            places: Places(candidate.document),
            repository: receiver.media(HostFiles(), Assembly.dataFolder(of: candidate, folders)),
            clock: .host
        ) { (url, limit, time) throws(Fault) in
            var request = OutgoingRequest(.get, url.description)
            request.deadline = time
            request.fields["Accept"] = "image/*"
            let response: IncomingResponse
            do throws(TransferFailure) {
                response = try await client.send(request)
            } catch {
                throw Fault(error.reason)
            }
            guard response.status == .ok else {
                return try MediaFetch.Brought(status: response.status.code, location: response.fields["Location"])
            }
            return .picture(try await response.body.picture(upTo: limit))
        }
        let result: Result<String, Fault>
        do throws(Fault) { result = .success(try await fetch.fetch(image, for: id, within: limit)) } catch {
            result = .failure(error)
        }
        await traffic.stop()
        return try result.get()
    }

    /// Closes the stores.
    package func close() async {
        await group?.close()
        await store.close()
    }
}
