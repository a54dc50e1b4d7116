import WireBase
import WireDownloadContract
import WireHTTP
import WireNetworkContract

/// A download as it is written down.
struct DownloadRecord: Sendable {
    enum State: String, JSONWord, PlainCodable {
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

extension DownloadRecord: JSONRecord {
    static let form = JSONForm<Self>("DownloadRecord", "A download as it is kept.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "Which one.")
        address = try members.required("address", \.address, "Where it comes from.")
        service = try members.required("service", \.service, "Who wants it.")
        created = try members.required("created", \.created, "When it was first wanted.")
        authorization = try members.required("authorization", \.authorization, "Whose token goes along.")
        user = try members.optional("user", \.user, "Who was signed in.")
        tokenRights = TokenRights(
            modes: try members.present("tokenModes", \.tokenRights.keptModes, "The tokens it may use.")?.names,
            scopes: try members.present("tokenScopes", \.tokenRights.keptScopes, "Their scopes.")?.names
        )
        name = try members.optional("name", \.name, "What it is to be called.")
        sha256 = try members.optional("sha256", \.sha256, "What it has to come to.")
        priority = try members.required("priority", \.priority, "Those with more go first.")
        state = try members.required("state", \.state, "What is to become of it, or has.")
        ticket = try members.required("ticket", \.ticket, "Its work in the queue.")
        validator = try members.optional("validator", \.validator, "What names the state of the file.")
        size = try members.optional("size", \.size, "How long it is.")
        atLeast = try members.optional("atLeast", \.atLeast, "How long it is at least.")
        title = try members.optional("title", \.title, "What the server calls it.")
        synced = try members.value("synced", \.synced, "How much is on the disk for certain.", or: 0)
        boot = try members.value("boot", \.boot, "In which start of the machine the rest was written.", or: "")
        file = try members.optional("file", \.file, "Its name in the folder.")
        mark = try members.optional("mark", \.mark, "Which file has that name.")
        reason = try members.optional("reason", \.reason, "Why it failed.")
        help = try members.optional("help", \.help, "What can be done about it.")
        ended = try members.optional("ended", \.ended, "When it was done or failed.")
    }
}
