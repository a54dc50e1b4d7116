import WireBase
import WireConfig
import WireContentContract
import WireHTTP
import WireSecrets
import WireService

/// Under which names content is kept: apart by app, by environment and by who is signed in.
///
/// What a server gives one user another must not see, so who is signed in is asked each time.
struct CopyScope: Sendable {
    private let host: ContentHost
    private let secrecy: any Secrecy
    private let presence: (any UserPresence)?
    /// What all names of this app in this environment begin with.
    let root: String
    /// What all names of this app begin with.
    let appRoot: String
    /// What copies are of: the server, as the file names it.
    let server: String

    /// The region of answers in the cache.
    static let region = "content"

    init(_ settings: ContentSection, _ host: ContentHost, _ secrecy: any Secrecy) throws(Fault) {
        (self.host, self.secrecy) = (host, secrecy)
        presence = host.uses.presence
        let base = host.facts.backend == .embedded ? "embedded" : host.facts.baseURL?.description ?? ""
        server = settings.url.absolute?.description ?? "\(base) \(settings.url.text)"
        appRoot = "content/\(try Self.digest([host.app?.id.description ?? ""], secrecy))/"
        root = "\(appRoot)\(try Self.digest([host.environmentScope], secrecy))/"
    }

    /// Who is asked for, as part of names.
    var account: String {
        get throws(ContentFailure) {
            guard let user = presence?.user else { return "nobody" }
            return Self.person + (try digest([user.issuer, user.subject]))
        }
    }

    /// What the part of names begins with that says whose they are, for all that are somebody's.
    static let person = "u-"

    /// The namespace of a module's copy.
    func module(_ name: String) throws(ContentFailure) -> String { "\(root)\(try account)/\(name)" }

    /// The key of an answer to a query, in whichever words it was asked.
    func answer(_ query: ContentQuery) throws(ContentFailure) -> String {
        let account = try account
        return "\(root)\(account)/" + (try digest([server, query.canonical]))
    }

    private func digest(_ parts: [String]) throws(ContentFailure) -> String {
        do throws(Fault) { return try Self.digest(parts, secrecy) } catch {
            throw ContentFailure(.store, error.reason)
        }
    }

    private static func digest(_ parts: [String], _ secrecy: any Secrecy) throws(Fault) -> String {
        let text = JSONValue.array(parts.map(JSONValue.string)).text()
        return String(try secrecy.digest(Array(text.utf8)).hexadecimal.prefix(32))
    }
}
