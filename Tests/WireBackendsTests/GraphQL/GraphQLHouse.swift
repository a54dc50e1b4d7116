import Foundation
import Support
import Testing
import WireBase
import WireConfig

/// A GraphQL server with two models, and a client.
struct GraphQLHouse: Sendable {
    let house: House
    let web: Web

    static let schema = #"""
        enum Priority { LOW HIGH }

        """
        Something to do.
        @model
        @datasync(ttl: 3600)
        """
        type Task {
          id: ID!
          title: String!
          done: Boolean
          priority: Priority
          effort: Float
          tags: [String!]
          ward: Ward
        }

        """ @model """
        type Ward {
          id: ID!
          name: String!
          beds: Int
          """ @oneToMany(field: 'ward') """
          tasks: [Task!]
        }
        """#
    static let data = """
        Ward:
          - { id: 3B, name: Surgery, beds: 12 }
          - { id: 4A, name: Children }
        Task:
          - { title: Order bandages, done: false, priority: HIGH, effort: 1.5, wardId: 3B }
          - { title: Check the fridge, done: true, tags: [daily, kitchen], wardId: 3B }
          - { id: light, title: Replace the light, done: false, priority: LOW, effort: 20, wardId: 4A }
        """

    static func run(
        schema: String = schema,
        data: String? = data,
        in folder: TemporaryFolder? = nil,
        clock: HandClock = HandClock(),
        _ play: @escaping @Sendable (GraphQLHouse) async throws -> Void
    ) async throws {
        let folder = try folder ?? TemporaryFolder()
        try await House.run(more: more(folder, schema, data), in: folder, clock: clock) { house in
            try await play(GraphQLHouse(house: house, web: Web(#require(house.base))))
        }
    }

    /// Writes the files; what the services file says of them.
    static func more(_ folder: TemporaryFolder, _ schema: String = schema, _ data: String? = data) throws -> String {
        try Data(schema.utf8).write(to: folder.url.appendingPathComponent("schema.graphql"))
        guard let data else { return "  graphql: { schema: schema.graphql }" }
        try Data(data.utf8).write(to: folder.url.appendingPathComponent("data.yaml"))
        return "  graphql: { schema: schema.graphql, data: data.yaml }"
    }

    /// Sends a document; the whole answer.
    func send(_ query: String, _ variables: String = "{}", _ fields: [String] = []) async throws -> RawClient.Answer {
        let body = "{\"query\":\(JSONText.quoted(query)),\"variables\":\(variables)}"
        return try await web.send("POST", "/graphql", body, fields)
    }

    /// The answer as text on one line.
    func ask(_ query: String, _ variables: String = "{}", _ fields: [String] = []) async throws -> String {
        let answer = try await send(query, variables, fields)
        return answer.status == 200 ? answer.json.text() : "\(answer.status) \(answer.text)"
    }

    /// The data of an answer without errors.
    func data(_ query: String, _ variables: String = "{}", _ fields: [String] = []) async throws -> JSONValue {
        let json = try await send(query, variables, fields).json
        guard let data = json["data"], json["errors"] == nil else { throw Web.Failure(text: json.text()) }
        return data
    }

    /// The titles of the tasks that a filter and the rest of the arguments find.
    func titles(_ arguments: String) async throws -> [String] {
        let data = try await data("{ findTasks\(arguments.isEmpty ? "" : "(\(arguments))") { items { title } } }")
        return data["findTasks"]?["items"]?.array?.compactMap { $0["title"]?.string } ?? []
    }
}
