import WireBase
import WireConfig
import WireHTTP
import WireService

/// A download as it is written down.
struct DownloadRecord: Sendable {
    enum State: String, Sendable {
        /// It is to be fetched, and is being where somebody has claimed it.
        case wanted
        case paused, done, failed
    }

    let id: String
    let address: String
    let service: String
    let created: Int64
    var authorization: ServerCall.Authorization
    /// Who was signed in when it was asked for, whose token it is fetched with.
    ///
    /// Nil where it carries no token of a user, and in what versions before have written.
    var user: String?
    /// Which tokens may go along.
    var tokenRights: TokenRights
    /// What it is to be called, where somebody has said so.
    var name: String?
    var sha256: String?
    var priority: Int
    var state = State.wanted
    /// The piece of work that stands for it in the queue; another one each time it is wanted anew.
    var ticket: String
    /// What names the state of the file that is being fetched, as `If-Range` has it.
    var validator: String?
    var size: Int?
    /// How long it is at least, where it has stopped for lack of room and its length is not known.
    var atLeast: Int?
    /// What the server calls it.
    var title: String?
    /// How much of it was known to be on the disk, and which start of the machine it was when more was written.
    var synced = 0
    var boot = ""
    /// The name it has in the folder, or is about to get, and which file that is.
    var file: String?
    var mark: String?
    /// Why it failed.
    var reason: String?
    var help: String?
    var ended: Int64?

    init(_ wish: DownloadWish, id: String, of user: String?, ticket: String, created: Int64) {
        (self.id, self.address, self.service, self.created) = (id, wish.address, wish.service, created)
        (authorization, name, sha256, priority) = (
            wish.authorization, wish.name, wish.sha256?.lowercased(), wish.priority
        )
        (self.user, tokenRights, self.ticket) = (user, wish.tokenRights, ticket)
    }

    /// What was fetched so far is worth nothing.
    mutating func forgetProgress() {
        (validator, size, atLeast, title, synced, file, mark) = (nil, nil, nil, nil, 0, nil, nil)
    }
}

extension DownloadRecord {
    /// Written by another version, or damaged.
    struct Unreadable: Error {}

    var bytes: [UInt8] {
        let json = JSONValue.members([
            "id": .string(id), "address": .string(address), "service": .string(service),
            "created": .integer(Int(created)),
            "authorization": .string(authorization.rawValue), "user": user.map(JSONValue.string),
            "tokenModes": tokenRights.modesJSON, "tokenScopes": tokenRights.scopesJSON,
            "name": name.map(JSONValue.string),
            "sha256": sha256.map(JSONValue.string), "priority": .integer(priority), "state": .string(state.rawValue),
            "ticket": .string(ticket), "validator": validator.map(JSONValue.string),
            "size": size.map(JSONValue.integer), "atLeast": atLeast.map(JSONValue.integer),
            "title": title.map(JSONValue.string), "synced": .integer(synced), "boot": .string(boot),
            "file": file.map(JSONValue.string), "mark": mark.map(JSONValue.string),
            "reason": reason.map(JSONValue.string), "help": help.map(JSONValue.string),
            "ended": ended.map { .integer(Int($0)) },
        ])
        return json.bytes()
    }

    init(_ bytes: [UInt8]) throws(Unreadable) {
        guard let json = try? JSONValue(parsing: bytes, named: "download"), let id = json["id"]?.string,
            let address = json["address"]?.string, let service = json["service"]?.string,
            let created = json["created"]?.integer,
            let authorization = json["authorization"]?.string.flatMap(ServerCall.Authorization.init(rawValue:)),
            let priority = json["priority"]?.integer, let state = json["state"]?.string.flatMap(State.init),
            let ticket = json["ticket"]?.string
        else { throw Unreadable() }
        (self.id, self.address, self.service, self.created) = (id, address, service, Int64(created))
        (self.authorization, self.priority, self.state, self.ticket) = (authorization, priority, state, ticket)
        tokenRights = TokenRights(keptIn: json)
        (user, name, sha256) = (json["user"]?.string, json["name"]?.string, json["sha256"]?.string)
        (validator, size, title) = (json["validator"]?.string, json["size"]?.integer, json["title"]?.string)
        (synced, boot) = (json["synced"]?.integer ?? 0, json["boot"]?.string ?? "")
        atLeast = json["atLeast"]?.integer
        (file, mark) = (json["file"]?.string, json["mark"]?.string)
        (reason, help, ended) = (json["reason"]?.string, json["help"]?.string, json["ended"]?.integer.map(Int64.init))
    }
}
