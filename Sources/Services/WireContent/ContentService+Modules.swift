import Synchronization
import WireBase
import WireConfig
package import WireContentContract
import WireHTTP
import WireNetworkContract
import WireService

/// Modules at the server.
extension ContentService {
    /// A page of modules, on request with their fields.
    package func modules(_ asked: ContentModulesRequest) async throws(ContentFailure) -> ContentPage {
        try await list(asked).page
    }

    private func list(_ asked: ContentModulesRequest) async throws(ContentFailure) -> (
        page: ContentPage, items: [ServerJSON.Node]
    ) {
        let (paging, pageSize) = (asked.paging, rules.settings.pageSize)
        var ask = ContentServer.Ask(.get, "module")
        var query = paging.isSkipped ? ["skip=true"] : ["page=\(paging.page)", "limit=\(paging.limit ?? pageSize)"]
        if asked.withFields { query.append("withFields=true") }
        ask.query = query.joined(separator: "&")
        ask.cacheAge = rules.settings.cache.serverMaxAge
        ask.policy = asked.policy
        let answer = try await server.send(ask)
        var list = try server.json(answer.bytes).page(asked: paging, pageSize: pageSize)
        list.page.fact = answer.fact
        return list
    }

    /// One module, by its name in the file, or its name or id at the server.
    package func module(_ asked: ContentModuleRequest) async throws(ContentFailure) -> ContentDocument {
        let id = try await moduleID(asked.module, policy: asked.policy)
        var ask = ContentServer.Ask(.get, "module/\(id.pathEncoded)")
        if asked.withFields { ask.query = "withFields=true" }
        ask.cacheAge = rules.settings.cache.serverMaxAge
        ask.policy = asked.policy
        let answer = try await server.send(ask)
        var module = try document(answer.bytes, "a module")
        module.fact = answer.fact
        return module
    }

    /// Reads a JSON object of the server.
    func document(_ bytes: [UInt8], _ what: String) throws(ContentFailure) -> ContentDocument {
        guard case .object = try server.json(bytes).whole.value else {
            throw server.malformed("expected \(what), an object")
        }
        return ContentDocument(bytes)
    }

    /// The server's id of a module, with which instances are made.
    func moduleID(_ name: String, policy: OfflinePolicy? = nil) async throws(ContentFailure) -> String {
        let kept = rules.module(name)
        if let id = kept?.identity.id { return id }
        let wanted = kept?.identity.name ?? name
        if let known = names[wanted] { return known }
        var asked = ContentModulesRequest(ContentPaging(isSkipped: true))
        asked.policy = policy
        let list = try await list(asked)
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
                "unknown module \(wanted.quoted) at the content server\(nearest)",
                origin: kept.flatMap { host.places.origin(of: $0.place, "content.modules.\($0.name)") }
            )
        }
        names[wanted] = found.id
        return found.id
    }
}

/// The ids of modules whose names were looked up.
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
        if let sourceNote { return .reported(sourceNote) }
        return switch source {
        case .server: .miss
        case .stored(let age): .hit(age: age)
        case .stale(let age): .stale(age: age, because: "error")
        }
    }
}

extension String {
    /// Encoded as one segment of a path (RFC 3986, section 3.3).
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
        // A segment of dots alone would be a relative reference.
        return encoded.allSatisfy { $0 == "." } ? encoded.replacing(".", with: "%2E") : encoded
    }
}
