import WireBase
import WireConfig
import WireSecrets
import WireService

/// The names under which data are kept: apart by app, by environment, by server and by signed-in user.
struct SyncScope: Sendable {
    private let secrecy: any Secrecy
    let presence: (any UserPresence)?
    /// What all names of the app begin with.
    let appRoot: String
    /// What all names of the app in this environment begin with.
    let root: String

    /// What follows the root in names of data that belong to a user.
    static let person = "u-"

    init(_ settings: SyncSection, _ host: ServiceHost, _ secrecy: any Secrecy) throws(SecrecyFailure) {
        self.secrecy = secrecy
        presence = settings.authenticated ? host.find(.userPresence) : nil
        appRoot = "sync/\(try Self.digest([host.app?.id.description ?? ""], secrecy))/"
        let base = host.facts.backend == .embedded ? "embedded" : host.facts.baseURL?.description ?? ""
        let server = settings.url.absolute?.description ?? "\(base) \(settings.url.text)"
        root = "\(appRoot)\(try Self.digest([host.environmentScope], secrecy))/"
        self.server = try Self.digest([server], secrecy)
    }

    private let server: String

    /// The present user, as part of names; asked each time, since users come and go.
    var account: String {
        get throws(SecrecyFailure) {
            guard let user = presence?.user else { return "shared" }
            return Self.person + (try Self.digest([user.issuer, user.subject], secrecy))
        }
    }

    /// Where the data of an account are kept.
    func region(of account: String) -> String { "\(root)\(account)/\(server)" }

    /// A digest that is the same on all machines that share a store.
    func digest(_ bytes: [UInt8]) -> String { (try? secrecy.digest(bytes).hexadecimal) ?? "" }

    private static func digest(_ parts: [String], _ secrecy: any Secrecy) throws(SecrecyFailure) -> String {
        let text = JSONValue.array(parts.map(JSONValue.string)).text()
        return String(try secrecy.digest(Array(text.utf8)).hexadecimal.prefix(32))
    }
}
