import WireBase
import WireDownloadContract
import WireHTTP
import WireNetworkContract

/// The stored form of a download.
struct DownloadRecord: Sendable {
    enum State: String, JSONWord, PlainCodable {
        /// The download is to be fetched, or a process is fetching it.
        case wanted
        case paused, done, failed
    }

    let id: String
    let address: String
    let service: String
    let created: Int64
    var authorization: ServerCall.Authorization
    /// The user who requested the download, whose token it carries.
    ///
    /// Nil without a user's token, and in records of earlier versions.
    var user: String?
    /// The tokens that the download may carry.
    var tokenRights: TokenRights
    /// The file name, if the caller gave one.
    var name: String?
    var sha256: String?
    var priority: Int
    var state = State.wanted
    /// The id of the queue entry; another one each time the download is requested again.
    var ticket: String
    /// The validator of the file's present state, for `If-Range`.
    var validator: String?
    var size: Int?
    /// The minimum size, where the size is unknown and the download has stopped for lack of space.
    var atLeast: Int?
    /// The server's name for the file.
    var title: String?
    /// The number of bytes flushed to the disk, and the boot id of the machine when more were written.
    var synced = 0
    var boot = ""
    /// The final name in the folder, given or about to be given, and the identity of the file.
    var file: String?
    var mark: String?
    /// The reason of the failure.
    var reason: String?
    var help: String?
    var ended: Int64?

    init(_ newDownload: NewDownload, id: String, of user: String?, ticket: String, created: Int64) {
        (self.id, self.address, self.service, self.created) = (id, newDownload.address, newDownload.service, created)
        (authorization, name, sha256, priority) = (
            newDownload.authorization, newDownload.name, newDownload.sha256?.lowercased(), newDownload.priority
        )
        (self.user, tokenRights, self.ticket) = (user, newDownload.tokenRights, ticket)
    }

    /// Resets the progress.
    mutating func forgetProgress() {
        (validator, size, atLeast, title, synced, file, mark) = (nil, nil, nil, nil, 0, nil, nil)
    }
}

extension DownloadRecord: JSONRecord {
    static let form = JSONForm<Self>("DownloadRecord", "A stored download.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "The id of the download.")
        address = try members.required("address", \.address, "The address.")
        service = try members.required("service", \.service, "The service that requested the download.")
        created = try members.required("created", \.created, "The time of the request.")
        authorization = try members.required("authorization", \.authorization, "The kind of token.")
        user = try members.optional("user", \.user, "The user of the token.")
        tokenRights = TokenRights(
            modes: try members.present("tokenModes", \.tokenRights.keptModes, "The token modes.")?.names,
            scopes: try members.present("tokenScopes", \.tokenRights.keptScopes, "Their scopes.")?.names
        )
        name = try members.optional("name", \.name, "The requested file name.")
        sha256 = try members.optional("sha256", \.sha256, "The expected SHA-256.")
        priority = try members.required("priority", \.priority, "The priority; the highest first.")
        state = try members.required("state", \.state, "The state.")
        ticket = try members.required("ticket", \.ticket, "The id of the queue entry.")
        validator = try members.optional("validator", \.validator, "The validator of the file's state.")
        size = try members.optional("size", \.size, "The size in bytes.")
        atLeast = try members.optional("atLeast", \.atLeast, "The minimum size in bytes.")
        title = try members.optional("title", \.title, "The server's file name.")
        synced = try members.value("synced", \.synced, "The number of flushed bytes.", or: 0)
        boot = try members.value("boot", \.boot, "The boot id of the last write.", or: "")
        file = try members.optional("file", \.file, "The file name in the folder.")
        mark = try members.optional("mark", \.mark, "The identity of that file.")
        reason = try members.optional("reason", \.reason, "The reason of the failure.")
        help = try members.optional("help", \.help, "The remedy.")
        ended = try members.optional("ended", \.ended, "The time of the end.")
    }
}
