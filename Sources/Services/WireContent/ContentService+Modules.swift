import Synchronization
import WireBase
import WireConfig
import WireHTTP
package import WireService

/// Modules as the server has them.
extension ContentService {
    /// A page of modules; with their fields where that is wished.
    package func modules(
        _ paging: ContentQuery.Paging,
        withFields: Bool = false,
        policy: OfflinePolicy? = nil
    ) async throws(ContentFailure) -> ContentAnswer {
        let (page, fact) = try await list(paging, withFields: withFields, policy: policy)
        return ContentAnswer(page.page.bytes, fact)
    }

    private func list(
        _ paging: ContentQuery.Paging,
        withFields: Bool,
        policy: OfflinePolicy?
    ) async throws(ContentFailure) -> (page: (page: ContentPage, items: [ServerJSON.Node]), fact: ContentFact) {
        var ask = ContentServer.Ask(.get, "module")
        var query =
            paging.isSkipped
            ? ["skip=true"] : ["page=\(paging.page)", "limit=\(paging.limit ?? rules.settings.pageSize)"]
        if withFields { query.append("withFields=true") }
        ask.query = query.joined(separator: "&")
        ask.cacheAge = rules.settings.cache.serverMaxAge
        ask.policy = policy
        let answer = try await server.send(ask)
        let page = try server.json(answer.bytes).page(asked: paging, pageSize: rules.settings.pageSize)
        return (page, answer.fact)
    }

    /// One module, by its name in the file, its name or its identifier at the server.
    package func module(
        _ name: String,
        withFields: Bool = false,
        policy: OfflinePolicy? = nil
    ) async throws(ContentFailure) -> ContentAnswer {
        let id = try await moduleID(name, policy: policy)
        var ask = ContentServer.Ask(.get, "module/\(id.pathEncoded)")
        if withFields { ask.query = "withFields=true" }
        ask.cacheAge = rules.settings.cache.serverMaxAge
        ask.policy = policy
        let answer = try await server.send(ask)
        guard case .object = try server.json(answer.bytes).whole.value else {
            throw server.malformed("expected a module, an object")
        }
        return ContentAnswer(answer.bytes, answer.fact)
    }

    /// What the server calls a module by, which is what instances are made with.
    func moduleID(_ name: String, policy: OfflinePolicy? = nil) async throws(ContentFailure) -> String {
        let kept = rules.module(name)
        if let id = kept?.identity.id { return id }
        let wanted = kept?.identity.name ?? name
        if let known = names[wanted] { return known }
        let paging = ContentQuery.Paging(isSkipped: true)
        let (list, _) = try await list(paging, withFields: false, policy: policy)
        let modules = list.items.compactMap { node -> (id: String, name: String)? in
            guard let id = node.value["id"]?.string else { return nil }
            return (id, node.value["name"]?.string ?? "")
        }
        let found = modules.first { $0.name == wanted } ?? modules.first { $0.id == wanted }
        guard let found else {
            let nearest =
                Nearest.name(to: wanted, among: modules.map(\.name)).map { ", did you mean \($0.quoted)?" } ?? ""
            throw ContentFailure(
                .noSuchModule,
                "the content server has no module \(wanted.quoted)\(nearest)",
                origin: kept.flatMap { host.places.origin(of: $0.place, "content.modules.\($0.name)") }
            )
        }
        names[wanted] = found.id
        return found.id
    }
}

/// The identifiers of modules whose names were looked up.
final class ModuleNames: Sendable {
    private let known = Mutex<[String: String]>([:])
    private static let limit = 1_000

    subscript(name: String) -> String? {
        get { known.withLock { $0[name] } }
        set {
            known.withLock { known in
                if known.count >= Self.limit { known = [:] }
                known[name] = newValue
            }
        }
    }
}

extension ContentServer.Answer {
    var fact: ContentFact {
        if let told { return .told(told) }
        return switch source {
        case .server: .miss
        case .stored(let age): .hit(age: age)
        case .stale(let age): .stale(age: age, because: "error")
        }
    }
}

extension String {
    /// As one segment of a path (RFC 3986, section 3.3).
    var pathEncoded: String {
        var encoded = ""
        for byte in utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e:
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        // A segment of points alone would lead elsewhere.
        return encoded.allSatisfy { $0 == "." } ? encoded.replacing(".", with: "%2E") : encoded
    }
}
