import WireBase
import WireConfig
import WireHTTP
import WireService

/// The local API of downloads.
struct DownloadRoutes: RouteGroup {
    private let part: DownloadsPart

    init(_ part: DownloadsPart) {
        self.part = part
    }

    // MARK: Looking

    func list(_ request: Request) throws -> Response {
        let state = try request.word("state", of: Download.State.allCases.map(\.rawValue))
        let limit = try request.number("limit", in: Self.limits) ?? 100
        var views = part.views
        if let state { views = views.filter { $0.state.rawValue == state } }
        if let after = request.query("after") {
            // One that has gone meanwhile leaves no place to go on from: the list begins again.
            if let index = views.firstIndex(where: { $0.record.id == after }) { views = Array(views[(index + 1)...]) }
        }
        let page = views.prefix(limit)
        return .json(
            .members([
                "downloads": .array(page.map(\.json)),
                "next": views.count > limit ? page.last.map { .string($0.record.id) } : nil,
            ])
        )
    }

    func look(_ request: Request) throws -> Response {
        let id = request[parameter: "id"]
        let accepts = request.fields["Accept"]?.lowercased().hasPrefix("text/event-stream") ?? false
        let watches = try request.boolean("watch") ?? accepts
        guard let view = part.view(id) else { throw Problem.noSuchDownload(id) }
        guard watches else { return .json(view.json) }
        return DownloadStream(part, id).response()
    }

    // MARK: Changing

    func add(_ request: Request) async throws -> Response {
        let wish = try request.json { members throws(Problem) in
            var wish = DownloadWish(try members.text("address"), service: "app")
            wish.tokenRights = request.rights.tokens
            wish.id = try members.textIfAny("id")
            wish.name = try members.textIfAny("name")
            wish.sha256 = try members.textIfAny("sha256")
            wish.priority = try members.integerIfAny("priority", in: DownloadWish.priorities) ?? 0
            if let authorization: ServerCall.Authorization = try members.word("authorization") {
                wish.authorization = authorization
            }
            return wish
        }
        let (view, isNew) = try await asking { () async throws(DownloadRefusal) in try await part.want(wish) }
        var response = Response.json(view.json, status: isNew ? .created : .ok)
        if isNew { response.fields["Location"] = "/v1/downloads/\(view.record.id)" }
        return response
    }

    func pause(_ request: Request) async throws -> Response {
        let id = request[parameter: "id"]
        let view = try await asking { () async throws(DownloadRefusal) in try await part.pause(id) { $0.json } }
        guard let view else { throw Problem.noSuchDownload(id) }
        return .json(view)
    }

    func resume(_ request: Request) async throws -> Response {
        let id = request[parameter: "id"]
        let view = try await asking { () async throws(DownloadRefusal) in try await part.resume(id) { $0.json } }
        guard let view else { throw Problem.noSuchDownload(id) }
        return .json(view)
    }

    func remove(_ request: Request) async throws -> Response {
        let id = request[parameter: "id"]
        let withFile = try request.boolean("file") ?? false
        let view = try await asking { () async throws(DownloadRefusal) in try await part.remove(id, withFile: withFile)
        }
        guard view != nil else { throw Problem.noSuchDownload(id) }
        return Response(.noContent)
    }

    private func asking<Answer>(_ ask: () async throws(DownloadRefusal) -> Answer) async throws(Problem) -> Answer {
        do throws(DownloadRefusal) { return try await ask() } catch { throw Problem(error) }
    }
}

extension Request {
    fileprivate func word(_ name: String, of words: [String]) throws(Problem) -> String? {
        guard let given = query(name) else { return nil }
        guard words.contains(given) else { throw .query(name, "found \(given.quoted), expected \(words.listed())") }
        return given
    }

    fileprivate func number(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let given = query(name) else { return nil }
        guard let number = Int(digits: given), range.contains(number) else {
            throw .query(name, "found \(given.quoted), expected \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    fileprivate func boolean(_ name: String) throws(Problem) -> Bool? {
        guard let given = query(name) else { return nil }
        switch given {
        case "true", "": return true
        case "false": return false
        default: throw .query(name, "found \(given.quoted), expected true or false")
        }
    }
}

extension Problem {
    fileprivate static func query(_ name: String, _ detail: String) -> Problem {
        Problem(.badRequest, "invalid-query", "the query is not as expected", detail: "'\(name)': \(detail)")
    }
}
