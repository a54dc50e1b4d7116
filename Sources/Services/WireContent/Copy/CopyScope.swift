import WireBase
import WireConfig
import WireContentContract
import WireHTTP
import WireSecrets
import WireService

/// The names of stored content, separate by app, environment and user.
///
/// Users must not see each other's content, so the present user is part of each name.
struct CopyScope: Sendable {
    private let host: ContentHost
    private let secrecy: any CryptoProvider
    private let presence: (any UserPresence)?
    /// The prefix of the names of this app in this environment.
    let root: String
    /// The prefix of the names of this app.
    let appRoot: String
    /// The server of the copies, as the file names it.
    let server: String

    /// The region of search results in the cache.
    static let region = "content"

    init(_ settings: ContentSection, _ host: ContentHost, _ secrecy: any CryptoProvider) throws(Fault) {
        (self.host, self.secrecy) = (host, secrecy)
        presence = host.uses.presence
        let base = host.facts.backend == .embedded ? "embedded" : host.facts.baseURL?.description ?? ""
        server = settings.url.absolute?.description ?? "\(base) \(settings.url.text)"
        appRoot = "content/\(try Self.digest([host.app?.id.description ?? ""], secrecy))/"
        root = "\(appRoot)\(try Self.digest([host.environmentScope], secrecy))/"
    }

    /// The user as a part of names.
    var account: String {
        get throws(ContentFailure) {
            guard let user = presence?.user else { return "nobody" }
            return Self.person + (try digest([user.issuer, user.subject]))
        }
    }

    /// The prefix of that part for signed-in users.
    static let person = "u-"

    /// The namespace of a module's copy.
    func module(_ name: String) throws(ContentFailure) -> String { "\(root)\(try account)/\(name)" }

    /// The key of a query's result, independent of its spelling.
    func answer(_ query: ContentQuery) throws(ContentFailure) -> String {
        let account = try account
        return "\(root)\(account)/" + (try digest([server, query.canonical]))
    }

    private func digest(_ parts: [String]) throws(ContentFailure) -> String {
        do throws(Fault) { return try Self.digest(parts, secrecy) } catch {
            throw ContentFailure(.store, error.reason)
        }
    }

    private static func digest(_ parts: [String], _ secrecy: any CryptoProvider) throws(Fault) -> String {
        let text = JSONValue.array(parts.map(JSONValue.string)).text()
        return String(try secrecy.digest(Array(text.utf8)).hexadecimal.prefix(32))
    }
}
