import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService
import WireStore
import WireTelemetry

/// The identity server: answers what comes to its address, by the settings that hold when it comes.
final class Issuer: Sendable {
    /// What holds for the environment that runs; swapped whole.
    struct Present: Sendable {
        let settings: IssuerSettings
        let records: IssuerRecords
        let keys: KeyKeeper
        let environment: String
        var address: String
        /// The name of the host it listens at, which requests may be addressed to.
        var host: String
    }

    let machine: Machine
    private let log: Log
    private let looks: PageStyle
    private let attempts: Attempts
    private let book = RealmBook()
    let trouble: Trouble
    private let state: Mutex<Present>

    init(_ present: Present, machine: Machine, trouble: Trouble, log: Log) throws(SecrecyFailure) {
        self.machine = machine
        self.log = log
        self.trouble = trouble
        looks = try PageStyle(machine.secrecy)
        attempts = Attempts(machine.clock)
        state = Mutex(present)
    }

    var present: Present { state.withLock { $0 } }

    func become(_ present: Present) { state.withLock { $0 = present } }

    /// The realms somebody has asked for.
    var realms: [String] { book.realms(in: present.environment).map(\.name) }

    /// Takes a new key into use, if it is time or somebody wants it.
    func rotateKeys(always: Bool) async throws {
        let present = present
        guard always || present.keys.present.isDue(at: machine.now) else { return }
        try await present.keys.rotate(present.records)
        log.notice("a new key signs tokens", ["kid": present.keys.present.present.map { .text($0.id) }])
    }

    private func desk(_ realm: String, _ present: Present) -> Desk {
        Desk(
            settings: present.settings,
            machine: machine,
            records: present.records,
            keys: present.keys,
            attempts: attempts,
            looks: looks,
            log: log,
            book: book,
            environment: present.environment,
            realm: realm,
            address: present.address
        )
    }
}

extension Issuer: EmbeddedIssuing {
    func issuer(realm: String) -> String {
        let present = present
        book.open(realm, in: present.environment)
        return "\(present.address)/realms/\(realm)"
    }

    func admit(_ client: EmbeddedClient, realm: String) {
        book.admit(client, to: realm, in: present.environment)
    }
}

extension Issuer: Responder {
    /// How large a form may be.
    private static let limit = ByteCount.kibibytes(64)

    func exchange(for head: Request) -> Exchange {
        let present = present
        guard isAddressedHere(head, present) else {
            return .plainly(Status(421), "this server is not known by that name")
        }
        let path = head.target.segments
        if path == [""] { return welcome(present) }
        if path == ["api", "oauth", "token"] {
            guard head.method == .post else { return .refused(allowing: [.post]) }
            let halo = HaloTokens(desk: desk(RealmBook.common, present))
            return exchange(for: head) { await halo.answer($0) }
        }
        guard let (realm, rest) = IssuerRouter.realm(of: path), book.has(realm, in: present.environment) else {
            return .plainly(.notFound, "there is nothing here; realms are those the services file asks for")
        }
        let router = IssuerRouter(desk: desk(realm, present))
        guard let endpoint = router.endpoint(rest) else { return .plainly(.notFound, "there is no such endpoint") }
        guard endpoint.methods.contains(head.method) else { return .refused(allowing: endpoint.methods) }
        return exchange(for: head, known: endpoint.known) { await router.perform(endpoint, $0) }
    }

    /// The whole request, after the delay and by the luck the file wants.
    private func exchange(
        for head: Request,
        known: (@Sendable () -> Response)? = nil,
        _ answer: @escaping @Sendable (Request) async -> Response
    ) -> Exchange {
        let (delay, fails) = trouble.next()
        if delay == .zero {
            if fails { return Exchange(.answer(Trouble.failure)) }
            if let known { return Exchange(.answer(known().guarded())) }
        }
        let clock = machine.clock
        return Exchange(
            .collect(upTo: Self.limit) { request in
                .later {
                    // A wait that is cut short belongs to a server that ends.
                    if delay > .zero { try? await clock.sleep(delay) }
                    return fails ? Trouble.failure : await answer(request).guarded()
                }
            }
        )
    }

    /// Whether a request means this server: a page elsewhere could give any other name this address (DNS rebinding).
    private func isAddressedHere(_ head: Request, _ present: Present) -> Bool {
        guard let field = head.fields["Host"]?.lowercased() else { return false }
        let hasPort = field.last != "]" && field.contains(":")
        let host = hasPort ? String(field[..<(field.lastIndex(of: ":") ?? field.endIndex)]) : field
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        return bare == "localhost" || bare == present.host || bare.contains(":")
            || bare.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { UInt8($0) != nil }
    }

    /// What a person finds who looks who is here.
    private func welcome(_ present: Present) -> Exchange {
        let names = realms.isEmpty ? [RealmBook.common] : realms
        let list = names.map { "<p><code>\(present.address.htmlEscaped)/realms/\($0.htmlEscaped)</code></p>" }.joined()
        let page = Page(title: "Identity server", content: "<p class=\"soft\">Realms:</p>\(list)")
        return Exchange(.answer(page.response(looks).guarded()))
    }
}

extension Exchange {
    fileprivate static func plainly(_ status: Status, _ text: String) -> Exchange {
        let fields: Fields = ["Content-Type": "text/plain; charset=utf-8"]
        return Exchange(.answer(Response(status, fields: fields, body: .bytes(Array("\(text)\n".utf8))).guarded()))
    }

    fileprivate static func refused(allowing methods: [Method]) -> Exchange {
        let fields: Fields = ["Allow": methods.map(\.name).joined(separator: ", ")]
        return Exchange(.answer(Response(.methodNotAllowed, fields: fields).guarded()))
    }
}
