import Foundation
import Support
import Testing
import WireBase
import WireConfig

/// A content server with two modules, and a client that has a token of the app.
struct HaloHouse: Sendable {
    let house: House
    let web: Web
    let token: String

    static let news = """
        module: News
        fields:
          title: { type: text, localized: true }
          body: html
          likes: number
          pinned: boolean
          day: date
          ward: { type: relation, module: wards }
        instances:
          night:
            name: The night shift
            tags: { ward: 3B, role: nurse }
            values:
              title: { en: The night shift, de-DE: Die Nachtschicht }
              likes: 7
              pinned: true
              day: 2026-01-31
              ward: [blue]
          canteen:
            name: The canteen is closed
            tags: { ward: 3C }
            values: { title: { en: The canteen is closed }, likes: 2, ward: [blue, green] }
          old:
            name: Gone long since
            removedAt: 2020-01-01T00:00:00Z
          plain: { values: { body: "<p>nothing</p>" } }
        """
    static let wards = """
        { "fields": { "name": "text" }, "instances": { "blue": { "values": { "name": "Blue" } },
          "green": { "values": { "name": "Green" } } } }
        """

    /// A folder with the two modules.
    static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let content = folder.url.appendingPathComponent("content")
        try FileManager.default.createDirectory(at: content, withIntermediateDirectories: true)
        try Data(news.utf8).write(to: content.appendingPathComponent("news.yaml"))
        try Data(wards.utf8).write(to: content.appendingPathComponent("wards.json"))
        try Data("no content".utf8).write(to: content.appendingPathComponent("README.md"))
        return folder
    }

    static func run(
        in folder: TemporaryFolder? = nil,
        clock: HandClock = HandClock(),
        _ play: @escaping @Sendable (HaloHouse) async throws -> Void
    ) async throws {
        let folder = try folder ?? HaloHouse.folder()
        try await House.run(more: more(folder), in: folder, clock: clock) { house in
            let web = try Web(#require(house.base))
            try await play(HaloHouse(house: house, web: web, token: try appToken(web)))
        }
    }

    static func more(_ folder: TemporaryFolder) -> String {
        "  content: { directory: \"\(folder.url.appendingPathComponent("content").path)\" }"
    }

    static func appToken(_ web: Web) async throws -> String {
        let form = "grant_type=client_credentials&client_id=server&client_secret=hush"
        let type = "Content-Type: application/x-www-form-urlencoded"
        let answer = try await web.ask("POST", "/api/oauth/token?_app", [type], body: form)
        return try #require(answer.json["access_token"]?.string)
    }

    // MARK: Asking

    func get(_ path: String, _ fields: [String] = []) async throws -> RawClient.Answer {
        try await web.get("/api/\(path)", fields + ["Authorization: Bearer \(token)"])
    }

    func send(_ method: String, _ path: String, _ json: String, _ fields: [String] = []) async throws
        -> RawClient.Answer
    {
        try await web.send(method, "/api/\(path)", json, fields + ["Authorization: Bearer \(token)"])
    }

    /// The names of what a search finds, in its order.
    func names(_ search: String) async throws -> [String] {
        let answer = try await send("POST", "generalcontent/instance/search", search)
        guard answer.status == 200 else { throw Web.Failure(text: answer.text) }
        let items = answer.json.array ?? answer.json["items"]?.array ?? []
        return items.compactMap { $0["name"]?.string }
    }

    /// The identifier of an instance by its name.
    func id(_ name: String) async throws -> String {
        let search = """
            {"metaSearch":{"property":"name","operation":"=","value":"\(name)","type":"string"}}
            """
        let answer = try await send("POST", "generalcontent/instance/search", search)
        return try #require(answer.json["items"]?.array?.first?["id"]?.string)
    }

    func module(_ name: String) async throws -> JSONValue {
        let list = try await get("generalcontent/module?skip=true&withFields=true").json
        return try #require(list.array?.first { $0["name"]?.string == name })
    }
}
